/* Chunks computed here, by terrane.wasm. */

import { TerraneError } from './error.js';

export async function openModule(wasm) {
  if (wasm instanceof WebAssembly.Module) return wasm;
  if (typeof wasm !== 'string' && !(wasm instanceof URL)) return WebAssembly.compile(wasm);
  const response = await fetch(wasm);
  if (!response.ok) throw new TerraneError(`GET ${wasm}: ${response.status}`);
  return WebAssembly.compile(await response.arrayBuffer());
}

/* A world in terrane.wasm, with room for one chunk: the structs of core/terrane.h as a 32-bit machine
 * lays them out. Its errors are TerraneErrors; anything else is a trap. */
const ERROR_SIZE = 620;
const GRID_SIZE = 56;

const MATERIALS = 'materials.';

export class Local {
  constructor(module, { text, seed, layers, columns }) {
    this.exports = new WebAssembly.Instance(module).exports;
    this.exports._initialize();
    this.columns = columns;
    this.error = this.#allocate(ERROR_SIZE);
    this.world = this.#parse(text, seed);
    this.fingerprint = this.#text(this.exports.terrane_world_fingerprint(this.world));
    this.sampler = this.exports.terrane_sampler_new();
    const each = 4 * columns ** 2;
    this.length = each * layers.length;
    this.samples = this.#allocate(this.length);
    this.grid = this.#allocate(GRID_SIZE);
    const numbers = this.#numbers(layers.map((name) => this.#layer(name)));
    const outputs = this.#numbers(layers.map((_, i) => this.samples + each * i));
    this.request = this.#numbers([numbers, outputs, layers.length]);
    const first = layers.findIndex((name) => name.startsWith(MATERIALS));
    this.weights = first < 0 ? 0 : outputs + 4 * first;
  }

  /* r32f of the chunk whose first sample is at x, y: BigInt in 2⁻¹⁶ m, `unit` as well. */
  sample({ x, y, unit, step, t }) {
    const view = new DataView(this.exports.memory.buffer, this.grid, GRID_SIZE);
    [x, y, unit].forEach((value, i) => view.setBigInt64(8 * i, value, true));
    [this.columns, this.columns].forEach((value, i) => view.setUint32(24 + 4 * i, value, true));
    [step, 0, t].forEach((value, i) => view.setFloat64(32 + 8 * i, value, true));
    const { terrane_sample_grid: sampleGrid } = this.exports;
    if (!sampleGrid(this.sampler, this.world, this.grid, this.request, this.error)) throw this.#problem();
    if (this.weights) this.exports.terrane_share_materials(this.world, this.weights, this.columns ** 2);
    return new Uint8Array(this.exports.memory.buffer.slice(this.samples, this.samples + this.length));
  }

  #allocate(size) {
    const pointer = this.exports.malloc(size);
    if (!pointer) throw new TerraneError('out of memory');
    return pointer;
  }

  /* Text with a 0 behind it. */
  #put(text) {
    const bytes = new TextEncoder().encode(`${text}\0`);
    const pointer = this.#allocate(bytes.length);
    new Uint8Array(this.exports.memory.buffer).set(bytes, pointer);
    return [pointer, bytes.length - 1];
  }

  #numbers(list) {
    const pointer = this.#allocate(4 * list.length);
    const view = new DataView(this.exports.memory.buffer);
    list.forEach((value, i) => view.setUint32(pointer + 4 * i, value, true));
    return pointer;
  }

  #text(pointer) {
    const bytes = new Uint8Array(this.exports.memory.buffer, pointer);
    return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
  }

  #problem() {
    const line = this.#allocate(ERROR_SIZE);
    this.exports.terrane_error_text(this.error, line, ERROR_SIZE);
    const error = new TerraneError(this.#text(line));
    this.exports.free(line);
    return error;
  }

  #parse(source, seed) {
    const [text, length] = this.#put(source);
    const world = this.exports.terrane_world_parse(text, length, 0, this.error);
    this.exports.free(text);
    if (!world) throw this.#problem();
    if (seed === null) return world;
    const [words] = this.#put(seed);
    const other = this.exports.terrane_world_reseed(world, words, this.error);
    if (!other) throw this.#problem();
    return other;
  }

  /* A material has the number behind those of the layers. */
  #layer(name) {
    if (name.startsWith(MATERIALS)) return this.exports.terrane_layer_count(this.world) + this.#material(name);
    const [text] = this.#put(name);
    const layer = this.exports.terrane_layer_find(this.world, text);
    this.exports.free(text);
    if (layer < 0) throw new TerraneError(`the world has no layer "${name}"`);
    return layer;
  }

  #material(name) {
    for (let i = 0, text; (text = this.exports.terrane_material_name(this.world, i)) !== 0; i++)
      if (MATERIALS + this.#text(text) === name) return i;
    throw new TerraneError(`the world has no material "${name}"`);
  }
}
