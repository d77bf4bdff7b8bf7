/* Players' edits of the ground, kept as differences on a base that both sides can make.
 *
 *     const edits = await Edits.open(new Terrane(url, { world: 'terra' }), savedText);
 *     edits.set(12.5, -300, 41.25);             // metres: the ground there is 41.25 m from now on
 *     const heights = await edits.heights(0, -5); // Float32Array of chunk 0 -5, edits included
 *     await storage.write(edits.text());        // JSON, to be given to Edits.open() again
 *     await edits.check();                      // whether the base is still that on which players have built
 *
 * Only edits are stored, not ground. An edit belongs to a vertex of the world, at (column · step, row · step), so that
 * it is in all of the up to four chunks that share the vertex. The base is a world pinned to its fingerprint and, for
 * each edited chunk, the digest of its samples: a base with other samples is found by comparing digests, and never
 * edited by mistake. When the world has changed, edits.moveTo() takes them to the new one. */

import { Terrane, TerraneError } from './terrane.js';

const VERSION = 1;
const keyOf = (cx, cy) => `${cx},${cy}`;
const placeOf = (key) => key.split(',').map(Number);
const gridOf = ({ settings: { size, step, layers: [layer] } }) => ({ size, step, layer });
const textOf = ({ size, step, layer }) => `${layer} in chunks of ${size} steps of ${step} m`;

/* An index of a vertex and a digest of a chunk mean nothing in chunks of another size. */
function expectGrid(wanted, terrane) {
  const [edits, client] = [wanted, gridOf(terrane)].map(textOf);
  if (edits !== client)
    throw new TerraneError(`the edits are of ${edits}, the client loads ${client}: it must have the same size, step and first layer`);
}

/* The client with the edited layer alone, and nothing around chunks: digests are of all samples. */
const bareOf = (terrane, world) => new Terrane(terrane.origin, {
  ...terrane.settings, layers: terrane.settings.layers.slice(0, 1), apron: 0, format: 'r32f', world });

export class Edits {
  #terrane; /* pinned */
  #chunks = new Map(); /* by "cx,cy": { digest: of the base, or null if not known yet, changes: Map of index to metres } */

  constructor(terrane) {
    this.#terrane = terrane;
  }

  /* Edits of the text that text() has made, or none, on its world, or on that of the client. */
  static async open(terrane, text = null) {
    const saved = text ? JSON.parse(text) : { version: VERSION, ...gridOf(terrane), world: await terrane.pin(), chunks: [] };
    if (saved.version !== VERSION) throw new TerraneError(`the edits have version ${saved.version}; this program reads ${VERSION}`);
    expectGrid(saved, terrane);
    const edits = new Edits(bareOf(terrane, saved.world));
    for (const { place, digest, changes } of saved.chunks) edits.#chunks.set(keyOf(...place), { digest, changes: new Map(changes) });
    return edits;
  }

  /* The pinned name of the base. */
  get world() {
    return this.#terrane.settings.world;
  }

  /* The edited chunks, [[cx, cy], …]. */
  get places() {
    return [...this.#chunks.keys()].map(placeOf);
  }

  text() {
    const chunks = [...this.#chunks].map(([key, { digest, changes }]) => ({ place: placeOf(key), digest, changes: [...changes] }));
    return JSON.stringify({ version: VERSION, ...gridOf(this.#terrane), world: this.world, chunks });
  }

  /* From now on the vertex next to (x, y) is `height` metres high, rounded to a float; null takes the edit back. */
  set(x, y, height) {
    const { size, step } = this.#terrane.settings;
    const [i, j] = [x, y].map((metres) => Math.round(metres / step));
    const [cx, cy] = [i, j].map((vertex) => Math.floor(vertex / size));
    const index = (j - cy * size) * size + (i - cx * size);
    const key = keyOf(cx, cy);
    const chunk = this.#chunks.get(key) ?? { digest: null, changes: new Map() };
    if (height === null) chunk.changes.delete(index);
    else chunk.changes.set(index, Math.fround(height));
    this.#chunks.set(key, chunk);
    if (chunk.changes.size === 0) this.#chunks.delete(key);
  }

  /* The samples of a chunk with its edits, a copy. An edit of the first row or column of the chunks to the east, south
   * and south-east is in its last ones, too. */
  async heights(cx, cy) {
    const { size } = this.#terrane.settings;
    const base = await this.#terrane.chunk(cx, cy);
    const heights = base.layers[this.#terrane.settings.layers[0]].slice();
    for (const [dx, dy] of [[0, 0], [1, 0], [0, 1], [1, 1]]) {
      const chunk = this.#chunks.get(keyOf(cx + dx, cy + dy));
      for (const [index, height] of chunk?.changes ?? []) {
        const [column, row] = [index % size + dx * size, Math.floor(index / size) + dy * size];
        if (column <= size && row <= size) heights[row * base.columns + column] = height;
      }
    }
    return heights;
  }

  /* Notes the digests of chunks edited since the last call. To be called before text(), so that check() can compare. */
  async note() {
    const places = this.places.filter(([cx, cy]) => this.#chunks.get(keyOf(cx, cy)).digest === null);
    const digests = await digestsOf(this.#terrane, places);
    places.forEach((place, i) => { this.#chunks.get(keyOf(...place)).digest = digests[i]; });
  }

  /* The edited chunks whose base in that client's world is not the one that was edited; of the own base there must be
   * none, as the pin says. The client has the size, step and first layer of the edits. */
  async check(terrane = this.#terrane) {
    expectGrid(gridOf(this.#terrane), terrane);
    const places = this.places.filter(([cx, cy]) => this.#chunks.get(keyOf(cx, cy)).digest !== null);
    const digests = await digestsOf(bareOf(terrane, terrane.settings.world), places);
    return places.filter(([cx, cy], i) => this.#chunks.get(keyOf(cx, cy)).digest !== digests[i]);
  }

  /* The same edits on that client's world. Where the ground has changed, `decide` gives an edit's height from those of
   * the edit and of the vertex before and after, or null to drop it: the default keeps the difference to the ground. */
  async moveTo(terrane, decide = (height, before, after) => height - before + after) {
    expectGrid(gridOf(this.#terrane), terrane);
    const next = await Edits.open(new Terrane(terrane.origin, { ...terrane.settings, world: await terrane.pin() }));
    await this.note();
    const changed = new Set((await this.check(next.#terrane)).map((place) => keyOf(...place)));
    const { size, step, layers: [layer] } = this.#terrane.settings;
    for (const [key, { changes }] of this.#chunks) {
      const [cx, cy] = placeOf(key);
      const [before, after] = changed.has(key) ? await Promise.all([this.#terrane.chunk(cx, cy), next.#terrane.chunk(cx, cy)]) : [];
      for (const [index, height] of changes) {
        const [column, row] = [index % size, Math.floor(index / size)];
        const at = row * (size + 1) + column;
        const moved = before ? decide(height, before.layers[layer][at], after.layers[layer][at]) : height;
        if (moved !== null) next.set((cx * size + column) * step, (cy * size + row) * step, moved);
      }
    }
    await next.note();
    return next;
  }
}

/* Without the samples: the daemon takes the digests. */
const digestsOf = async (terrane, places) => (await terrane.digests(places)).digests;
