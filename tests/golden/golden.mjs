/* The golden samples: bits of a generator's worlds at fixed places and levels of detail, and digests of every layer of the
 * shipped worlds (worlds.mjs). generatorN.json has what no drainage network shapes, and is locked: a world or a noise that
 * is new adds to it, and nothing else changes. generatorN-land.json has land, which may change until the generator is
 * released: land.mjs writes it. The locked file was made by
 *
 *   node tests/golden/golden.mjs > tests/golden/generator1.json
 *
 * (TERRANE_BINARY is the program that answers, build/release/terrane if not set.) */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { root, terrane } from '../cli/terrane.mjs';
import { drainedNoises, noises, undrainedNoises } from './noises.mjs';
import { temporaryFolder } from '../tools/folder.mjs';
import { startServer } from '../tools/server.mjs';
import { worldDigests, worldNames } from './worlds.mjs';

/* The samples: everything that noises.mjs lists, at 500 places, and the layers of the worlds, those of land apart. A view
 * is a zoom's level of detail (null: full), a height and a time. */
const full = { zoom: null, z: 0, t: 0 };
const views = [full, { zoom: 12, z: 0, t: 0 }, { zoom: 6, z: 0, t: 0 }];
const later = { zoom: null, z: -123.25, t: 77.5 };
const noisePlan = (layers) => [
  { world: 'noises', layers, places: 500, views: [{ ...later, z: 31.5 }] },
  { world: 'noises', layers, places: 60, views: [full, { zoom: 14, z: 1e9, t: -1e9 }] },
];
const lockedPlan = [
  ...noisePlan(undrainedNoises),
  { world: 'perlin', layers: ['height', 'warped'], places: 500, views },
  { world: 'dunes', layers: ['height', 'biome'], places: 500, views: [full] },
  { world: 'marble', layers: ['height'], places: 500, views: [full] },
  { world: 'wood', layers: ['height'], places: 500, views: [full] },
  { world: 'clouds', layers: ['cover', 'light'], places: 500, views: [later] },
  { world: 'fog', layers: ['ground', 'density'], places: 500, views: [{ ...later, z: 15 }] },
  { world: 'fire', layers: ['heat'], places: 500, views: [later] },
  { world: 'caves', layers: ['density'], places: 500, views: [later] },
];
const landPlan = [
  ...noisePlan(drainedNoises),
  { world: 'terra', layers: ['height', 'water_level', 'biome'], places: 500, views },
  { world: 'archipelago', layers: ['height', 'biome'], places: 500, views: [full] },
  { world: 'highlands', layers: ['height', 'biome'], places: 500, views: [full] },
  { world: 'canyons', layers: ['height', 'biome'], places: 500, views: [full] },
];

/* True for a shipped world whose file has a drainage network. */
export const isDrained = (world) => (
  'drainage' in JSON.parse(readFileSync(`${root}/config/worlds/${world}.json`, 'utf8')));

const metre = 1n << 16n;

/* A linear congruential generator (Knuth's MMIX) for places: its high half. */
function makeRandom() {
  let state = 1n;
  return (low, high) => {
    state = BigInt.asUintN(64, state * 6364136223846793005n + 1442695040888963407n);
    return low + (state >> 20n) % (high - low + 1n);
  };
}

/* In 2⁻¹⁶ m: a third about the origin, a third anywhere, a third along the world's edges. */
function listPlaces(count) {
  const random = makeRandom();
  const edge = metre << 40n, near = metre << 14n;
  const kinds = [
    () => [random(-near, near), random(-near, near)],
    () => [random(-edge, edge), random(-edge, edge)],
    () => [edge - random(0n, near), random(-near, near) - edge + near],
  ];
  return Array.from({ length: count }, (_, i) => kinds[i % kinds.length]());
}

/* A position as exact decimal metres. */
export function decimal(position) {
  const size = position < 0n ? -position : position;
  const digits = ((size & 0xFFFFn) * 152587890625n).toString().padStart(16, '0');
  const fraction = digits.replace(/0+$/, '');
  return `${position < 0n ? '-' : ''}${size >> 16n}${fraction && '.'}${fraction}`;
}

/* A float's bits as 8 hex digits. The program prints floats so that they read back to the same. */
function floatBits(number) {
  const view = new DataView(new ArrayBuffer(4));
  view.setFloat32(0, number);
  return view.getUint32(0).toString(16).padStart(8, '0');
}

/* Asks the program for places of a world, which is a file of this tree or one of noises.mjs. */
function query(world, words, input) {
  const folder = world === 'noises' ? temporaryFolder({ 'noises.json': noises }) : null;
  const file = folder ? 'noises.json' : `config/worlds/${world}.json`;
  try {
    const { status, stdout, stderr } = terrane(
      ['query', '--world', file, '--world-cost', '4000', '--json', ...words],
      { cwd: folder ? folder.path : root, input });
    if (status !== 0) throw new Error(stderr);
    return stdout.trim().split('\n').map((line) => JSON.parse(line).layers);
  } finally {
    folder?.remove();
  }
}

/* The layers' bits, one after another, for each place [x, y] in decimal metres. */
export function sampleBits(world, layers, places, { zoom, z, t }) {
  const detail = zoom === null ? [] : ['--zoom', String(zoom)];
  const input = places.map((place) => place.join(' ')).join('\n');
  return query(world, [...detail, `--z=${z}`, `--time=${t}`, '-'], input)
    .map((answer) => layers.map((layer) => floatBits(answer[layer])).join(''));
}

function makeSamples(plan) {
  return plan.map(({ world, layers, places: count, views: wanted }) => {
    const places = listPlaces(count).map((place) => place.map(decimal));
    const samples = wanted.map((view) => ({
      view, bits: sampleBits(world, layers, places, view),
    }));
    return { world, layers, places, samples };
  });
}

async function makeDigests(isWanted) {
  const { url, stop } = await startServer();
  const digests = [];
  for (const world of await worldNames(url)) if (isWanted(world)) digests.push(await worldDigests(url, world));
  await stop();
  return digests;
}

async function makeGolden(plan, isWanted) {
  return `${JSON.stringify({ generator: 1, worlds: makeSamples(plan), digests: await makeDigests(isWanted) }, null, 1)}\n`;
}

/* The text of generator1-land.json. */
export const makeLand = () => makeGolden(landPlan, isDrained);

if (process.argv[1] === fileURLToPath(import.meta.url))
  process.stdout.write(await makeGolden(lockedPlan, (world) => !isDrained(world)));
