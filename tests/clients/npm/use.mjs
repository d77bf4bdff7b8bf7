/* A program that has installed the package: use.mjs URL. Prints what it found, as JSON. */
import { createRequire } from 'node:module';
import * as client from 'terrane';
import * as edits from 'terrane/edits';
import * as library from 'terrane/library';
import * as stitch from 'terrane/stitch';

const [url] = process.argv.slice(2);
let state = 7;
const next = () => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.round((state / 2 ** 32 - 0.5) * 2e5 * 8) / 8;
};
const places = Array.from({ length: 500 }, () => [next(), next()]);
const bitsOf = (samples) => Buffer.from(new Uint32Array(samples.buffer, samples.byteOffset, samples.length).buffer).toString('base64');

const terrane = new client.Terrane(url, { world: 'terra' });
const opened = await library.Library.open();
const text = await (await fetch(`${url}/worlds/terra/world.json`)).text();
const world = opened.load(text);
const fine = await terrane.chunk(82, 115);
const local = new client.Terrane(url, { world: 'terra' });
const done = await local.useLocal({ wasm: new URL(`file://${createRequire(import.meta.url).resolve('terrane/terrane.wasm')}`) });
const caves = opened.load(await (await fetch(`${url}/worlds/caves/world.json`)).text());
const volume = caves.volume(['density'], { x: 0, y: 0, z: 24, step: 1, columns: 9, rows: 9, zStep: 1, slices: 9 }).density;
const shares = world.grid(['materials'], { x: 0, y: 0, step: 4, columns: 5, rows: 5 });
const problems = [];
for (const action of [() => world.grid(['heigt'], {}), () => opened.load('{"generator":1,"layers":{"height":"fbmm(3)"}}', { name: 'my.json' }),
  () => world.grid(['materials.grass'], { x: 0, y: 0, step: 1, columns: 1, rows: 1 }), () => world.points(['height'], [[NaN, 0]]),
  () => { caves.release(); caves.points(['height'], [[0, 0]]); }]) {
  try {
    action();
  } catch (error) {
    problems.push(`${error.name}: ${error.message}`.slice(0, 100));
  }
}
const rounded = opened.load('{"generator":1,"layers":{"height":"x"}}').points(['height'], [[2 ** -17, 0], [3 * 2 ** -17, 0], [-(2 ** -17), 0]]);

console.log(JSON.stringify({
  exports: [client, edits, library, stitch].map((module) => Object.keys(module).sort()),
  places, server: bitsOf(await terrane.heights(places)), module: bitsOf(world.points(['height'], places).height),
  serverAtZoom: bitsOf(await terrane.heights(places, { zoom: 9 })), moduleAtZoom: bitsOf(world.points(['height'], places, { zoom: 9 }).height),
  chunk: fine.digest, grid: client.digest(new Uint8Array(world.grid(['height'], { x: 82 * 64, y: 115 * 64, step: 1, columns: 65, rows: 65 }).height.buffer)),
  local: [done, (await local.chunk(82, 115)).digest, local.counts.computed], volume: bitsOf(volume),
  shares: Object.values(shares).map((plane) => [...plane]), materials: world.materials, fingerprint: world.fingerprint,
  seeded: opened.load(text, { seed: '42' }).fingerprint, version: opened.version, rounded: [...rounded.height].map((x) => x * 65536), problems,
}));
