/* A name is the same wherever it is asked for: in /labels, vector tiles, /at, /locate and WebAssembly, in random order.
 * What the library has is compared with /labels in tests/library. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { VectorTile } from '@mapbox/vector-tile';
import { PbfReader } from 'pbf';
import { root } from '../cli/terrane.mjs';
import { makeRandom } from '../http/tile-addresses.mjs';
import { amount } from '../tools/amount.mjs';
import { serverOfFile } from '../tools/server.mjs';
import { Terrane } from './terrane.mjs';

const NAMES = amount(300, 10000);
const server = serverOfFile();
const wasm = new Terrane(fileURLToPath(new URL('../../build/wasm/terrane.wasm', import.meta.url)));
const world = wasm.parse(readFileSync(`${root}/config/worlds/terra.json`, 'utf8'), 'terra.json');
const random = makeRandom(4242);
const chance = (low, high) => Number(random(BigInt(low), BigInt(high)));
const shuffled = (list) => list.map((item) => [chance(0, 2 ** 30), item]).sort(([a], [b]) => a - b).map(([, item]) => item);

/* The name of each feature, and from where it is known. Peaks have no kind in tiles, so the id alone is the key. */
const names = new Map();
const sources = {};
function note(source, { id, name }) {
  const key = String(id), known = names.get(key);
  sources[source] = (sources[source] ?? 0) + 1;
  if (known) assert.equal(name, known.name, `${key}: ${source}, first ${known.source}`);
  else names.set(key, { name, source });
}

async function get(path) {
  const response = await fetch(`${server.url}/worlds/terra${path}`);
  assert.equal(response.status, 200, path);
  return response;
}

async function noteLabels({ west, north, span, zoom }) {
  const { labels } = await (await get(`/labels?bbox=${west},${north},${west + span},${north + span}&zoom=${zoom}`)).json();
  for (const label of labels) note('labels', label);
}

/* Ids of rivers and streams have 64 bits, more than numbers of features hold exactly: those are left out. */
async function noteTile({ zoom, x, y }) {
  const bytes = await (await get(`/tiles/contour/${zoom - 1}/${x}/${y}.mvt?labels=1`)).arrayBuffer();
  const { labels } = new VectorTile(new PbfReader(Buffer.from(bytes))).layers;
  for (let i = 0; i < (labels?.length ?? 0); i++) {
    const { id, properties } = labels.feature(i);
    if (properties.name && Number.isSafeInteger(id)) note('tile', { id, name: properties.name });
  }
}

async function noteAt({ west, north, span }) {
  const [x, y] = [west, north].map((edge) => edge + chance(0, span));
  const { named } = await (await get(`/at?x=${x}&y=${y}&named=1`)).json();
  if (named) for (const found of [...named.in, ...named.near, ...named.on ? [named.on] : []]) note('at', found);
}

async function noteSearch({ west, north, span }) {
  const [x, y] = [west, north].map((edge) => edge + chance(0, span));
  const letter = 'abcdefghijklmnoprstuvwy'[chance(0, 22)];
  const { places } = await (await get(`/locate?name=${letter}&x=${x}&y=${y}&radius=${chance(1000, 200000)}&limit=10`)).json();
  for (const place of places) note('locate', place);
}

function noteWasm({ west, north, span, zoom }) {
  const [half, left, top] = [span / 2, west, north];
  for (const [x, y] of shuffled([[left, top], [left + half, top], [left, top + half], [left + half, top + half]])) {
    const [a, b, c, d] = [x, y, x + half, y + half].map((at) => BigInt(at * 65536));
    for (const label of wasm.labels(world, { west: a, north: b, east: c, south: d, zoom })) note('wasm', label);
  }
}

test(`${NAMES} names are the same wherever they are asked for`, { timeout: amount(120_000, 1_200_000) /* some 0.1 s each view */ }, async () => {
  for (let i = 0; names.size < NAMES; i++) {
    assert.ok(i < NAMES, `${names.size} names`);
    const zoom = chance(4, 14), tiles = 2 ** (zoom - 1);
    const [x, y] = [0, 0].map(() => chance(Math.floor(tiles / 8), Math.floor(tiles * 7 / 8)));
    const span = 2 ** (26 - zoom);
    const view = { zoom, x, y, span, west: x * span - 2 ** 24, north: y * span - 2 ** 24 };
    const ways = [noteLabels, noteTile, noteWasm, ...i % 4 === 0 ? [noteAt, noteSearch] : []];
    for (const way of shuffled(ways)) await way(view);
  }
  for (const source of ['labels', 'tile', 'wasm']) assert.ok(sources[source] > NAMES / 3, `${source}: ${sources[source]}`);
  for (const source of ['at', 'locate']) assert.ok(sources[source] > NAMES / 150, `${source}: ${sources[source]}`);
  assert.equal(sources.wasm, sources.labels);
});
