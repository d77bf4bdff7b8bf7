/* The worlds of config/worlds/examples: each passes, is short, has a picture, and shows what it is about. */

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../tools/folder.mjs';
import { terrane } from './terrane.mjs';

const root = fileURLToPath(new URL('../../config/worlds/examples/', import.meta.url));
const files = readdirSync(root).filter((name) => name.endsWith('.json'));
const file = (name) => `${root}${name}`;

/* The layers at places, at a height and a time. */
function sampleAt(name, places, { z = 0, t = 0 } = {}) {
  const { status, stdout, stderr } = terrane(['query', '--world', file(name), '--json', `--z=${z}`, `--time=${t}`, '-'],
    { input: places.map((place) => place.join(' ')).join('\n') });
  assert.deepEqual([status, stderr], [0, '']);
  return stdout.trim().split('\n').map((line, i) => ({ place: places[i], ...JSON.parse(line).layers }));
}

/* Those at all places of a square grid around x, y. */
function sample(name, x, y, side, step) {
  const places = [];
  for (let i = 0; i < side * side; i++)
    places.push([x + (i % side - side / 2) * step, y + (Math.floor(i / side) - side / 2) * step]);
  return sampleAt(name, places);
}
const within = (value, wanted, off) => Math.abs(value - wanted) <= off;

for (const name of files)
  test(`${name} passes, and has a picture`, () => {
    const { status, stderr } = terrane(['check', file(name)]);
    assert.deepEqual([status, stderr], [0, '']);
    const text = readFileSync(file(name), 'utf8');
    assert.ok(text.split('\n').length <= 60);
    const folder = temporaryFolder();
    try {
      const { style } = JSON.parse(text).view;
      const rendered = terrane(['render', '--world', file(name), '--style', style, '--bbox=-3000,-3000,3000,3000',
        '--width', '128', '-o', 'picture.png'], { cwd: folder.path });
      assert.deepEqual([rendered.status, rendered.stderr], [0, '']);
      const picture = readFileSync(`${folder.path}/picture.png`);
      assert.equal(picture.toString('latin1', 1, 4), 'PNG');
      assert.ok(picture.length > 1000, `${picture.length} bytes: nothing is in the picture`);
    } finally {
      folder.remove();
    }
  });

test('a large crater is 156 m deep, and its rim 91 m high', () => {
  const depths = sample('craters.json', 0, 0, 60, 250).map(({ large }) => large);
  /* 260 · −0.6, and 260 · 0.35. */
  assert.ok(depths.some((depth) => within(depth, -156, 0.1)), `${Math.min(...depths)}`);
  assert.ok(depths.some((depth) => within(depth, 91, 3)), `${Math.max(...depths)}`);
});

test('volcanoes rise from a sea', () => {
  const heights = sample('volcanoes.json', 0, 0, 60, 2000).map(({ height }) => height);
  assert.ok(Math.max(...heights) > 1000 && Math.min(...heights) < -200);
  const sea = heights.filter((height) => height < 0).length / heights.length;
  assert.ok(sea > 0.4 && sea < 0.95, `${sea}`);
});

test('the manual lists each world with a picture', () => {
  const manual = readFileSync(new URL('../../config/worlds/README.md', import.meta.url), 'utf8');
  for (const name of files) {
    const stem = name.replace('.json', '');
    const picture = `![The world ${stem}](../../.github/example-${stem}.webp)`;
    assert.ok(manual.includes(`| [\`${stem}\`](examples/${name}) | ${picture} |`), stem);
  }
  assert.equal(manual.match(/\]\(examples\//g).length, files.length);
});

test('an island ends on all sides, and rises above its woods', () => {
  const all = sample('island.json', 0, 0, 60, 500);
  assert.ok(all.every(({ place: [x, y], height }) => Math.hypot(x, y) < 12000 || height < -100));
  assert.ok(Math.max(...all.map(({ height }) => height)) > 600);
  assert.ok(all.filter(({ height }) => height > 0).length > 300);
});

test('badlands are carved: at most 68 m from the hills, and lower than them in gullies', () => {
  const all = sample('badlands.json', 0, 0, 60, 90), off = all.map(({ carved, hills }) => carved - hills);
  /* Half of 0.16 · 420 m for the first octave, and as much for all others together. */
  assert.ok(off.every((metres) => Math.abs(metres) < 67.3), `${off}`);
  assert.ok(Math.max(...off) > 15 && Math.min(...off) < -15);
  assert.ok(all.every(({ height, carved, plain }) => height === Math.max(carved, plain)));
});

test('alien rock overhangs: some places are open below rock, and some above it', () => {
  const places = Array.from({ length: 400 }, (_, i) => [i % 20 * 40, Math.floor(i / 20) * 40]);
  const isRock = (z) => sampleAt('alien.json', places, { z }).map(({ density }) => density > 0);
  const levels = [-40, -20, 0, 20, 40].map(isRock);
  const changes = (from) => places.some((_, i) => levels.some((level, k) => (
    k > 0 && levels[k - 1][i] === from && level[i] !== from)));
  assert.ok(changes(true) && changes(false));
});

test('a sea moves with the time, and its ground does not', () => {
  const [then, now] = [0, 3].map((t) => sampleAt('waves.json', [[100, 50]], { t })[0]);
  assert.notEqual(then.sea, now.sea);
  assert.equal(then.height, now.height);
});

test('strata are flat for most of each step', () => {
  const heights = sample('strata.json', 0, 0, 60, 40).map(({ height }) => height);
  const flat = heights.filter((height) => within(height / 40, Math.round(height / 40), 0.001)).length;
  assert.ok(flat / heights.length > 0.75, `${flat} of ${heights.length}`);
});

test('a village stands on level ground, at the height of the land', () => {
  const all = sample('village.json', 0, 0, 120, 30);
  const { place: [x, y] } = all.find(({ village }) => village === 1);
  const near = sample('village.json', x, y, 30, 5).filter(({ village }) => village === 1);
  const spread = (values) => Math.max(...values) - Math.min(...values);
  assert.ok(near.length > 100, `${near.length} places`);
  assert.ok(spread(near.map(({ height }) => height)) < 2e-4);
  assert.ok(spread(near.map(({ ground }) => ground)) > 1);
  const [height] = near.map((at) => at.height);
  assert.ok(near.some(({ ground }) => within(ground, height, 0.5)));
});

test('a road is level across, and a town on level ground has a wall but for where the road goes through', () => {
  /* Up to 6 m from the middle of the side that goes from (-1000, 760) to (-500, 420), on a line across. */
  const [east, south] = [500, -340].map((v) => v / Math.hypot(500, 340));
  const across = [-6, -4, -2, -1, 1, 2, 4, 6].map((off) =>
    sample('road.json', -749.5 - south * off, 590.5 + east * off, 1, 1)[0]);
  assert.ok(across.every(({ away }) => away < 6.01));
  const spread = (values) => Math.max(...values) - Math.min(...values);
  assert.ok(spread(across.map(({ height }) => height)) < 0.02, `${across.map(({ height }) => height)}`);
  assert.ok(spread(across.map(({ land }) => land)) > 0.1);
  const { road } = JSON.parse(readFileSync(file('road.json'))).paths;
  for (let i = 1; i < road.length; i++) {
    const [[x, y], to] = [road[i - 1], road[i]];
    const length = Math.hypot(to[0] - x, to[1] - y), steps = Math.floor(length / 8);
    const heights = sampleAt('road.json', Array.from({ length: steps }, (_, k) => [x + (to[0] - x) * k / steps,
      y + (to[1] - y) * k / steps])).map(({ height }) => height);
    const grade = Math.max(...heights.slice(1).map((height, k) => Math.abs(height - heights[k]) * steps / length));
    assert.ok(grade < 0.1, `a grade of ${grade} from ${x}, ${y}`);
  }
  const town = sample('road.json', 135, 40, 50, 13).filter(({ border }) => border < -4);
  assert.ok(town.length > 500 && spread(town.map(({ height }) => height)) < 1e-4, `${town.length} places`);
  const border = sample('road.json', 135, 40, 90, 7.5).filter((at) => Math.abs(at.border) < 2);
  assert.ok(border.some(({ wall }) => wall === 1) && border.every(({ wall, away }) => (wall === 1) === (away > 6)));
});
