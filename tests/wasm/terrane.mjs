/* build/wasm/terrane.wasm from JavaScript: the structs of core/terrane.h as a 32-bit machine lays
 * them out. */

import { readFileSync } from 'node:fs';

const ERROR_SIZE = 620, LABEL_SIZE = 200;

export class Terrane {
  constructor(file) {
    this.module = new WebAssembly.Module(readFileSync(file));
    this.exports = new WebAssembly.Instance(this.module).exports;
    this.exports._initialize();
    this.sampler = this.exports.terrane_sampler_new();
    this.error = this.exports.malloc(ERROR_SIZE);
  }

  view() {
    return new DataView(this.exports.memory.buffer);
  }

  text(pointer) {
    const bytes = new Uint8Array(this.exports.memory.buffer, pointer);
    return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
  }

  allocate(bytes) {
    const pointer = this.exports.malloc(Math.max(1, bytes.length));
    new Uint8Array(this.exports.memory.buffer, pointer, bytes.length).set(bytes);
    return pointer;
  }

  /* The last error as one line. */
  problem() {
    const out = this.exports.malloc(1024);
    this.exports.terrane_error_text(this.error, out, 1024);
    const line = this.text(out);
    this.exports.free(out);
    return new Error(line);
  }

  parse(source, name) {
    const bytes = new TextEncoder().encode(source);
    const text = this.allocate(bytes), file = this.allocate(new TextEncoder().encode(`${name}\0`));
    const world = this.exports.terrane_world_parse(text, bytes.length, file, this.error);
    this.exports.free(text);
    this.exports.free(file);
    if (!world) throw this.problem();
    return world;
  }

  layers(world) {
    return Array.from({ length: this.exports.terrane_layer_count(world) }, (_, i) => (
      this.text(this.exports.terrane_layer_name(world, i))));
  }

  materials(world) {
    return Array.from({ length: this.exports.terrane_material_count(world) }, (_, i) => (
      `materials.${this.text(this.exports.terrane_material_name(world, i))}`));
  }

  /* Calls `sample` with the struct and a request for the layers; a Float32Array for each. The name `materials` stands
   * for all of them, whose samples are shares. */
  request(world, wanted, count, size, fill, sample) {
    const { malloc, free } = this.exports;
    const materials = this.materials(world);
    const all = [...this.layers(world), ...materials];
    const names = wanted.flatMap((name) => (name === 'materials' ? materials : [name]));
    const struct = malloc(size), request = malloc(12), layers = malloc(4 * names.length);
    const outputs = malloc(4 * names.length), samples = malloc(4 * count * names.length);
    const view = this.view();
    fill(view, struct);
    names.forEach((name, i) => {
      view.setUint32(layers + 4 * i, all.indexOf(name), true);
      view.setUint32(outputs + 4 * i, samples + 4 * count * i, true);
    });
    [layers, outputs, names.length].forEach((v, i) => view.setUint32(request + 4 * i, v, true));
    const done = sample(this.sampler, world, struct, request, this.error);
    if (done && wanted.includes('materials'))
      this.exports.terrane_share_materials(world, outputs + 4 * wanted.indexOf('materials'), count);
    const buffer = this.exports.memory.buffer;
    const results = names.map((_, i) => (
      new Float32Array(buffer.slice(samples + 4 * count * i, samples + 4 * count * (i + 1)))));
    [struct, request, layers, outputs, samples].forEach(free);
    if (!done) throw this.problem();
    return results;
  }

  static putGrid(view, at, grid) {
    const { x, y, step, columns, rows, spacing = 0, z = 0, t = 0 } = grid;
    [x, y, step].forEach((v, i) => view.setBigInt64(at + 8 * i, v, true));
    [columns, rows].forEach((v, i) => view.setUint32(at + 24 + 4 * i, v, true));
    [spacing, z, t].forEach((v, i) => view.setFloat64(at + 32 + 8 * i, v, true));
  }

  /* { x, y, step: BigInt in 2⁻¹⁶ m, columns, rows, spacing, z, t } */
  grid(world, names, grid) {
    return this.request(world, names, grid.columns * grid.rows, 56,
      (view, at) => Terrane.putGrid(view, at, grid), this.exports.terrane_sample_grid);
  }

  volume(world, names, { grid, zStep, slices }) {
    return this.request(world, names, grid.columns * grid.rows * slices, 72, (view, at) => {
      Terrane.putGrid(view, at, grid);
      view.setFloat64(at + 56, zStep, true);
      view.setUint32(at + 64, slices, true);
    }, this.exports.terrane_sample_volume);
  }

  /* places: [[x, y]…], BigInt in 2⁻¹⁶ m */
  points(world, names, places, { spacing = 0, z = 0, t = 0 } = {}) {
    const list = this.allocate(new Uint8Array(BigInt64Array.from(places.flat()).buffer));
    try {
      return this.request(world, names, places.length, 32, (view, at) => {
        view.setUint32(at, list, true);
        view.setUint32(at + 4, places.length, true);
        [spacing, z, t].forEach((v, i) => view.setFloat64(at + 8 + 8 * i, v, true));
      }, this.exports.terrane_sample_points);
    } finally {
      this.exports.free(list);
    }
  }

  /* The labels of a view { west, north, east, south: BigInt in 2⁻¹⁶ m, zoom }: an object for each, as in /labels of
   * the server; x and y are BigInt, too, and the id is a text. */
  labels(world, { west, north, east, south, zoom }) {
    const { malloc, free, terrane_labels_find: find, terrane_label_count: count, terrane_label_get: get } = this.exports;
    this.list ??= this.exports.terrane_labels_new();
    const struct = malloc(LABEL_SIZE);
    [west, north, east, south].forEach((v, i) => this.view().setBigInt64(struct + 8 * i, v, true));
    this.view().setInt32(struct + 32, zoom, true);
    const done = find(this.list, this.sampler, world, struct, this.error);
    const labels = Array.from({ length: count(this.list) }, (_, i) => {
      get(this.list, i, struct);
      const view = this.view();
      const [size, angle, length] = [0, 1, 2].map((k) => view.getFloat64(struct + 24 + 8 * k, true));
      return {
        id: String(view.getBigUint64(struct, true)), name: this.text(struct + 72), kind: this.text(struct + 56),
        x: view.getBigInt64(struct + 8, true), y: view.getBigInt64(struct + 16, true), rank: view.getInt32(struct + 52, true),
        size, height: view.getFloat32(struct + 48, true), angle, length,
      };
    });
    free(struct);
    if (!done) throw this.problem();
    return labels;
  }

  /* Returns the digest of the layers, one Float32Array each, one after another. */
  digest(layers) {
    const { malloc, free } = this.exports;
    const count = layers.reduce((sum, { length }) => sum + length, 0);
    const samples = malloc(4 * count), out = malloc(33);
    const values = new Float32Array(this.exports.memory.buffer, samples, count);
    let at = 0;
    for (const layer of layers) {
      values.set(layer, at);
      at += layer.length;
    }
    this.exports.terrane_digest(samples, count, out);
    const text = this.text(out);
    [samples, out].forEach(free);
    return text;
  }
}
