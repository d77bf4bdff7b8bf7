/* libterrane as WebAssembly: any grid, volume or place of a world, without a daemon.
 *
 *     import { Library } from 'terrane/library';
 *     const library = await Library.open();
 *     const world = library.load(worldFileText);
 *     const { height } = world.grid(['height'], { x: 0, y: 0, step: 2, columns: 100, rows: 50 });
 *
 * Positions are metres as numbers, rounded to the nearest 2⁻¹⁶ m, ties to even, or such units as BigInt. Samples come as
 * a Float32Array for each layer, rows from north to south; the name `materials` stands for the shares of all materials.
 * Errors are TerraneErrors; anything else is a trap, after which the library may be in any state: open another one.
 *
 * The structs are those of core/terrane.h as a 32-bit machine lays them out. */

import { TerraneError } from './error.js';

const ERROR_SIZE = 620;
const GRID_SIZE = 56;
const VOLUME_SIZE = 72;
const POINTS_SIZE = 32;
const UNIT = 65536;

const MATERIALS = 'materials';
const OF_MATERIAL = 'materials.';

/* The module, from its bytes or its address. Node's fetch() reads no files, so file: is read there. */
export async function openModule(wasm) {
  if (wasm instanceof WebAssembly.Module) return wasm;
  if (typeof wasm !== 'string' && !(wasm instanceof URL)) return WebAssembly.compile(wasm);
  if (String(wasm).startsWith('file:')) {
    const files = 'node:fs/promises'; /* not for bundlers */
    return WebAssembly.compile(await (await import(files)).readFile(new URL(wasm)));
  }
  const response = await fetch(wasm);
  if (!response.ok) throw new TerraneError(`GET ${wasm}: ${response.status}`);
  return WebAssembly.compile(await response.arrayBuffer());
}

/* Metres in 2⁻¹⁶ m. The product is exact, so only the rounding has to be to even. */
function unitsOf(metres) {
  if (typeof metres === 'bigint') return metres;
  const product = metres * UNIT;
  if (!Number.isFinite(product)) throw new TerraneError(`a position must be a finite number, not ${metres}`);
  const floor = Math.floor(product);
  const tie = product - floor === 0.5;
  return BigInt(tie ? floor + (floor & 1) : Math.round(product));
}

export class Library {
  /* The module beside this file, or that of an address or of bytes. */
  static async open(wasm = new URL('./terrane.wasm', import.meta.url)) {
    return new Library(await openModule(wasm));
  }

  constructor(module) {
    this.exports = new WebAssembly.Instance(module).exports;
    this.exports._initialize();
    this.error = this.allocate(ERROR_SIZE);
    this.sampler = this.exports.terrane_sampler_new();
    if (!this.sampler) throw new TerraneError('out of memory');
  }

  get version() {
    return this.text(this.exports.terrane_version());
  }

  /* The world of a file's text; `seed`, a text, replaces its own, and `name` is that of the file in messages. */
  load(text, { seed = null, name = '' } = {}) {
    return new World(this, this.#parse(text, seed, name));
  }

  #parse(source, seed, name) {
    const [text, length] = this.put(source);
    const [file] = this.put(name);
    const world = this.exports.terrane_world_parse(text, length, file, this.error);
    [text, file].forEach(this.exports.free);
    if (!world) throw this.problem();
    if (seed === null) return world;
    const [words] = this.put(seed);
    const other = this.exports.terrane_world_reseed(world, words, this.error);
    this.exports.free(words);
    this.exports.terrane_world_release(world);
    if (!other) throw this.problem();
    return other;
  }

  /* The following are for this module's own use. */

  allocate(size) {
    const pointer = this.exports.malloc(Math.max(1, size));
    if (!pointer) throw new TerraneError('out of memory');
    return pointer;
  }

  /* Text with a 0 behind it: [pointer, length]. */
  put(text) {
    const bytes = new TextEncoder().encode(`${text}\0`);
    const pointer = this.allocate(bytes.length);
    new Uint8Array(this.exports.memory.buffer).set(bytes, pointer);
    return [pointer, bytes.length - 1];
  }

  text(pointer) {
    const bytes = new Uint8Array(this.exports.memory.buffer, pointer);
    return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
  }

  /* The names that `name(world, i)` has for 0, 1 …, until it is null. */
  names(name, world) {
    const found = [];
    for (let text; (text = name(world, found.length)) !== 0;) found.push(this.text(text));
    return found;
  }

  problem() {
    const line = this.allocate(ERROR_SIZE);
    this.exports.terrane_error_text(this.error, line, ERROR_SIZE);
    const error = new TerraneError(this.text(line));
    this.exports.free(line);
    return error;
  }
}

/* A world of a library, until release(): its fingerprint, and the names of its layers and materials. */
export class World {
  #library;
  #world;

  constructor(library, world) {
    const { exports } = library;
    this.#library = library;
    this.#world = world;
    this.fingerprint = library.text(exports.terrane_world_fingerprint(world));
    this.layers = library.names(exports.terrane_layer_name, world);
    this.materials = library.names(exports.terrane_material_name, world);
  }

  /* Throws unless the world has all of the names. */
  check(names) {
    this.#expand(names).names.forEach((name) => this.#numberOf(name));
  }

  /* `spacing` is the level of detail in metres: the step, if it is not given; 0 is full detail. */
  grid(names, { x, y, step, columns, rows, spacing, z = 0, t = 0 }) {
    const fill = (view, at) => putGrid(view, at, { x, y, step, columns, rows, spacing, z, t });
    return this.#sample('terrane_sample_grid', names, { size: GRID_SIZE, count: columns * rows, fill });
  }

  /* `slices` grids, `zStep` metres apart from z on. */
  volume(names, { zStep, slices, z = 0, t = 0, ...grid }) {
    const fill = (view, at) => {
      putGrid(view, at, { ...grid, z, t });
      view.setFloat64(at + 56, zStep, true);
      view.setUint32(at + 64, slices, true);
    };
    return this.#sample('terrane_sample_volume', names, { size: VOLUME_SIZE, count: grid.columns * grid.rows * slices, fill });
  }

  /* Places [[x, y], …], at full detail or at that of a zoom. */
  points(names, places, { zoom = null, z = 0, t = 0 } = {}) {
    const list = this.#library.allocate(16 * places.length);
    const fill = (view, at) => {
      places.flat().forEach((metres, i) => view.setBigInt64(list + 8 * i, unitsOf(metres), true));
      view.setUint32(at, list, true);
      view.setUint32(at + 4, places.length, true);
      [zoom === null ? 0 : 2 ** (17 - zoom), z, t].forEach((value, i) => view.setFloat64(at + 8 + 8 * i, value, true));
    };
    try {
      return this.#sample('terrane_sample_points', names, { size: POINTS_SIZE, count: places.length, fill });
    } finally {
      this.#library.exports.free(list);
    }
  }

  /* Frees the world's memory. */
  release() {
    this.#library.exports.terrane_world_release(this.#world);
    this.#world = 0;
  }

  #numberOf(name) {
    const material = name.startsWith(OF_MATERIAL) ? this.materials.indexOf(name.slice(OF_MATERIAL.length)) : -1;
    if (material >= 0) return this.layers.length + material;
    const layer = this.layers.indexOf(name);
    if (layer < 0) throw new TerraneError(`the world has no layer "${name}"; its layers: ${this.layers.join(', ')}`);
    return layer;
  }

  #expand(wanted) {
    const all = this.materials.map((name) => OF_MATERIAL + name);
    const names = wanted.flatMap((name) => (name === MATERIALS && all.length > 0 ? all : [name]));
    const shares = names.filter((name) => name.startsWith(OF_MATERIAL));
    const first = names.indexOf(all[0]);
    if (shares.length > 0 && !(shares.length === all.length && all.every((name, i) => names[first + i] === name)))
      throw new TerraneError('shares of materials come together: ask for "materials"');
    return { names, first };
  }

  #sample(call, wanted, { size, count, fill }) {
    const library = this.#library;
    const { exports } = library;
    const { names, first } = this.#expand(wanted);
    const numbers = names.map((name) => this.#numberOf(name));
    if (!this.#world) throw new TerraneError('the world was released');
    const each = 4 * count;
    const [struct, request, samples] = [size, 12 + 8 * names.length, each * names.length].map((bytes) => library.allocate(bytes));
    try {
      const [layers, outputs] = [request + 12, request + 12 + 4 * names.length];
      const view = new DataView(exports.memory.buffer);
      fill(view, struct);
      numbers.forEach((number, i) => {
        view.setUint32(layers + 4 * i, number, true);
        view.setUint32(outputs + 4 * i, samples + each * i, true);
      });
      [layers, outputs, names.length].forEach((value, i) => view.setUint32(request + 4 * i, value, true));
      if (!exports[call](library.sampler, this.#world, struct, request, library.error)) throw library.problem();
      if (first >= 0) exports.terrane_share_materials(this.#world, outputs + 4 * first, count);
      const { buffer } = exports.memory;
      return Object.fromEntries(names.map((name, i) => [name, new Float32Array(buffer.slice(samples + each * i, samples + each * (i + 1)))]));
    } finally {
      [struct, request, samples].forEach(exports.free);
    }
  }
}

function putGrid(view, at, { x, y, step, columns, rows, spacing, z, t }) {
  [x, y, step].forEach((value, i) => view.setBigInt64(at + 8 * i, unitsOf(value), true));
  [columns, rows].forEach((value, i) => view.setUint32(at + 24 + 4 * i, value, true));
  const detail = spacing ?? (typeof step === 'bigint' ? Number(step) / UNIT : step);
  [detail, z, t].forEach((value, i) => view.setFloat64(at + 32 + 8 * i, value, true));
}
