/* terrane seeds: against a search written here, of every place of the grid for each seed, from POST /heights. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryFolder } from '../tools/folder.mjs';
import { serverOfFile } from '../tools/server.mjs';
import { terrane } from './terrane.mjs';

const folder = temporaryFolder({
  'worlds/hills.json': {
    generator: 1, seed: 7,
    layers: { height: { formula: '300 * fbm(wavelength=6000, octaves=9)', unit: 'm' }, wet: 'fbm(wavelength=3000, octaves=8)' },
    biomes: [
      { name: 'sea', color: '#00f', when: 'height < 0' },
      { name: 'wood', color: '#080', when: 'wet > 0.2' },
      { name: 'heath', color: '#0f0' },
    ],
  },
});
const server = serverOfFile({ arguments: ['--worlds', `${folder.path}/worlds`] });
const seeds = (...words) => terrane(['seeds', '--worlds', 'worlds', '--world', 'hills', ...words], { cwd: folder.path });

/* 32 steps of 64 m to the radius; the level of detail of zoom 11 is 64 m. */
const step = 64;
const reach = 32;
const [middleX, middleY] = [500, -300];

async function samples(seed, layer, zoom) {
  const points = Array.from({ length: 65 * 65 }, (_, i) => [middleX + step * (i % 65 - reach), middleY + step * (Math.floor(i / 65) - reach)]);
  const response = await fetch(`${server.url}/worlds/hills~${seed}/heights`, { method: 'POST', body: JSON.stringify({ points, layer, zoom }) });
  assert.equal(response.status, 200);
  return (await response.json()).heights;
}

const byDistance = Array.from({ length: 65 * 65 }, (_, i) => ({ i, east: i % 65 - reach, south: Math.floor(i / 65) - reach }))
  .map((place) => ({ ...place, distance: Math.hypot(place.east, place.south) * step }))
  .filter(({ distance }) => distance <= 2048)
  .sort((a, b) => a.distance - b.distance || a.south - b.south || a.east - b.east);

/* The nearest place of a seed where the condition holds at both levels of detail, as the columns of a line; or none. */
async function nearest(seed, passes, minDistance = 0) {
  const at = async (zoom) => [await samples(seed, 'height', zoom), await samples(seed, 'biome', zoom)];
  const [coarse, full] = [await at(11), await at(undefined)];
  const found = byDistance.find(({ i, distance }) => distance >= minDistance && [coarse, full].every(([height, biome]) => passes(height[i], biome[i])));
  return found && [middleX + step * found.east, middleY + step * found.south, full[0][found.i], found.distance];
}

const common = ['--near', `${middleX},${middleY}`, '--radius', '2048'];
const rows = (text) => text.trim().split('\n').slice(1).map((line) => line.split('\t').map(Number));

test('seeds are those of an exhaustive search, with the nearest places', { timeout: 60_000 }, async () => {
  const wood = (height, biome) => biome === 1 && height > 60;
  const peak = (height) => height > 120;
  const expected = [];
  for (let seed = 3; seed < 40; seed++) {
    const places = [await nearest(seed, wood, 200), await nearest(seed, peak, 200)];
    if (places.every(Boolean)) expected.push([seed, ...places[0], ...places[1]]);
  }
  assert.ok(expected.length >= 5 && expected.length <= 30, `${expected.length} seeds of 37`);
  const { status, stdout, stderr } = seeds(...common, '--min-distance', '200', '--where', 'biome==wood && height>60', '--where', 'height>120', '--from', '3',
    '--tries', '37', '--count', `${expected.length}`);
  assert.deepEqual([status, stderr], [0, '']);
  assert.match(stdout, /^seed\tx\ty\theight\tdistance\tx\ty\theight\tdistance\n/);
  const found = rows(stdout);
  assert.deepEqual(found.map((row) => row.map((value) => Math.round(value * 1e3))), expected.map((row) => row.map((value) => Math.round(value * 1e3))));
});

test('the same seeds are found by any number of threads', () => {
  const words = [...common, '--where', 'height>120, slope<20', '--count', '60', '--tries', '2000'];
  const one = seeds(...words, '--threads', '1');
  assert.deepEqual([one.status, rows(one.stdout).length], [0, 60]);
  for (const threads of [2, 3, 16]) assert.equal(seeds(...words, '--threads', `${threads}`).stdout, one.stdout);
  const json = seeds(...words, '--json').stdout.trim().split('\n').map((line) => JSON.parse(line));
  assert.deepEqual(json.map(({ seed, places: [{ x, y, height, distance }] }) => [Number(seed), x, y, height, distance]), rows(one.stdout));
});

test('more steps find smaller places', () => {
  const found = (steps) => rows(seeds(...common, '--where', 'height>140', '--tries', '60', '--count', '60', '--steps', steps).stdout).length;
  assert.ok(found('4') < found('64'), `${found('4')}, ${found('64')}`);
});

test('fewer seeds than wanted are an error behind those that are found', () => {
  const { status, stdout, stderr } = seeds(...common, '--where', 'height>99999', '--tries', '50');
  assert.deepEqual([status, stdout], [1, 'seed\tx\ty\theight\tdistance\n']);
  assert.match(stderr, /^terrane: 0 of 10 seeds found among 50: /);
});

const refused = [
  [[], 2, '--where CONDITION is needed'],
  [Array(9).fill(['--where', '1']).flat(), 2, '--where may be given 8 times at most'],
  [['--where', 'height>fbm(9,9)'], 1, '--where: column 8: a condition cannot call fbm'],
  [['--where', 'heigt>1'], 1, '--where: column 1: unknown name "heigt" (did you mean "height"?)'],
  [['--where', '1', '--near', '5'], 1, '--near: must be X,Y in metres, not "5"'],
  [['--where', '1', '--near', '5,b'], 1, '--near: '],
  [['--where', '1', '--radius', '0'], 1, '--radius: must be a decimal number from 1 to 16777216, not "0"'],
  [['--where', '1', '--radius', '99', '--min-distance', '99.5'], 1, '--min-distance: must be at most the radius, 99 m, not 99.5'],
  [['--where', '1', '--min-distance', '-1'], 1, '--min-distance: must be a decimal number from 0 to 16777216, not "-1"'],
  [['--where', '1', '--count', '0'], 2, '--count'],
  [['--where', '1', '--steps', '257'], 2, '--steps'],
  [['--where', '1', '--from', '-1'], 2, '--from'],
  [['--where', '1', 'x'], 2, 'unexpected argument "x"'],
];
for (const [words, status, message] of refused) {
  test(`refused: seeds ${words.join(' ').slice(0, 60)}`, () => {
    const answer = seeds(...words);
    assert.equal(answer.status, status);
    assert.ok(answer.stderr.includes(message), answer.stderr);
  });
}
