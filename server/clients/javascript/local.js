/* Chunks computed here, by terrane.wasm, as the client needs them. */

import { bytesOf } from './codec.js';
import { Library } from './library.js';

export { openModule } from './library.js';

/* A world in a module of its own. */
export class Local {
  #world;
  #layers;
  #columns;

  constructor(module, { text, seed, layers, columns }) {
    this.#world = new Library(module).load(text, { seed });
    this.#layers = layers;
    this.#columns = columns;
    this.fingerprint = this.#world.fingerprint;
    this.#world.check(layers);
  }

  /* r32f of the chunk whose first sample is at x, y: BigInt in 2⁻¹⁶ m, `unit` as well. */
  sample({ x, y, unit, step, t }) {
    const grid = { x, y, step: unit, columns: this.#columns, rows: this.#columns, spacing: step, t };
    const samples = this.#world.grid(this.#layers, grid);
    const all = new Float32Array(this.#columns ** 2 * this.#layers.length);
    this.#layers.forEach((name, i) => all.set(samples[name], this.#columns ** 2 * i));
    return bytesOf(all);
  }
}
