/* The golden samples: bits of a generator's worlds at fixed places and levels of detail, in
 * generatorN.json. A released generator's file never changes. Before the release of generator 1
 * a change of its numbers is a commit of its own, with the file made anew by
 *
 *   node tests/golden/golden.mjs > tests/golden/generator1.json
 *
 * (TERRANE_BINARY is the program that answers, build/release/terrane if not set.) */

import { fileURLToPath } from 'node:url';
import { root, terrane } from '../cli/terrane.mjs';

/* What is sampled: every layer of perlin at many places, the other worlds' heights at some. `zoom` null is
 * full detail, otherwise the level of detail of that zoom's tiles. */
const plan = [
  { world: 'perlin', places: 216, zooms: [null, 12, 6] },
  { world: 'terra', layers: ['height'], places: 50, zooms: [null, 12, 6] },
  { world: 'marble', layers: ['height'], places: 50, zooms: [null, 12, 6] },
  { world: 'wood', layers: ['height'], places: 50, zooms: [null, 12, 6] },
];

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

/* Exact decimal metres. */
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

/* The layers' bits, one after another, for each place [x, y] in decimal metres. */
export function sampleBits(world, layers, places, zoom) {
  const { status, stdout, stderr } = terrane(
    ['query', '--world', world, '--json', ...(zoom === null ? [] : ['--zoom', String(zoom)]), '-'],
    { cwd: root, input: places.map((place) => place.join(' ')).join('\n') });
  if (status !== 0) throw new Error(stderr);
  return stdout.trim().split('\n').map((line) => {
    const answer = JSON.parse(line).layers;
    return layers.map((layer) => floatBits(answer[layer])).join('');
  });
}

function layersOf(world) {
  const { stdout } = terrane(['query', '--world', world, '--json', '0', '0'], { cwd: root });
  return Object.keys(JSON.parse(stdout).layers);
}

/* The worlds as they are in this tree, never another of the same name. */
export function worldFile(world) {
  return `config/worlds/${world}.json`;
}

function makeGolden() {
  return plan.map(({ world, layers = layersOf(worldFile(world)), places: count, zooms }) => {
    const places = listPlaces(count).map((place) => place.map(decimal));
    const samples = zooms.map((zoom) => ({
      zoom, bits: sampleBits(worldFile(world), layers, places, zoom),
    }));
    return { world, layers, places, samples };
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  process.stdout.write(`${JSON.stringify({ generator: 1, worlds: makeGolden() }, null, 1)}\n`);
