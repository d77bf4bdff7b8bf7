/* make land-figures and make land-zooms: worlds whose figures are plain, the choice of tiles, and the comparison with an earlier run. The
 * arithmetic of valleys, slopes and power is tested in tests/unit/bench/land. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { compareColours, compareLand, compareSteps, varietyOf } from '../bench/land/compare.mjs';
import { binary, root } from '../cli/terrane.mjs';
import { temporaryFolder } from '../tools/folder.mjs';

const program = join(dirname(binary), 'tests/bench/land/figures');
const zoomsProgram = join(dirname(binary), 'tests/bench/land/zooms');
const world = (height, more = {}) => ({ generator: 1, layers: { height, ...more } });
const folder = temporaryFolder({
  'steps.json': world('100 + 10 * detail(3072)'),
  'ridges.json': world("100 + 10 * detail(3072) + (cycle('x', 16384) < 0.5 ? 0 : 15 + 10 * detail(3072))"),
  'east.json': world('x > 0 ? 100 : -100'),
  'sea.json': world('-1'),
  'saw.json': world("1000 + 2048 * cycle('x', 8192)"),
  'steeper.json': world("1000 + 2304 * cycle('x', 8192)"),
  'checks.json': { ...world("cycle('x', 8192) < 0.5 ? 150 : 50", { vegetation: "cycle('y', 67108864) < 0.5" }),
    styles: { relief: { paint: [{ ramp: { layer: 'height', stops: [[100, '#000'], [100, '#fff']] } }] } } },
  'bands.json': world("cycle('x', 12582912) < 0.5 ? 100 : -100", { snow: 'detail(3072) > 0.75' }),
  'lake.json': world('10', { water_level: "cycle('x', 8192) > 0.5 ? 11 : 9" }),
});

function run(...words) {
  const out = folder.file('out.json');
  return spawnSync('node', [`${root}/tests/bench/land/figures.mjs`, program, out, ...words], { cwd: folder.path, encoding: 'utf8' });
}

function figures(...words) {
  const { status, stderr } = run(...words);
  assert.equal(status, 0, stderr);
  return JSON.parse(readFileSync(folder.file('out.json'), 'utf8'));
}

test('the steps between levels of detail are those of the world', () => {
  /* detail(3072) is 3072 / (2 · spacing) − 1 within 0 … 1: 1 at 512 m, a half at 1024 m, 0 at 2048 m. */
  const { steps } = figures('--world', 'steps.json', '--tiles', '1', '--zoom', '8');
  const expected = { 7: 5, 8: 5 };
  assert.deepEqual(steps.map(({ zoom, rms_m: rms }) => [zoom, rms]), Array.from({ length: 18 }, (_, zoom) => [zoom, expected[zoom] ?? 0]));
});

test('means of steps are those of all places, of low ones and of high ones', () => {
  /* The east of each block of 32 × 32 samples is 20 m higher than the rest at zoom 7, 25 m at zoom 8; the rest rises by 5 m. */
  const { steps } = figures('--world', 'ridges.json', '--tiles', '1', '--zoom', '8');
  const { rms_m: rms, bias_m: all, bias_low_m: low, bias_high_m: high } = steps[8];
  assert.deepEqual([all, low, high], [7.5, 5, 10]);
  assert.ok(Math.abs(rms - Math.sqrt((5 ** 2 + 10 ** 2) / 2)) < 1e-4, `${rms}`);
});

test('slopes are rises over distances, and water is counted', () => {
  /* 2048 m in 8192 m; at zoom 12, of 256 columns of samples two are at the edge of the saw. */
  const { zooms: [saw] } = figures('--world', 'saw.json', '--tiles', '2', '--zoom', '12');
  assert.deepEqual([saw.zoom, saw.spacing_m, saw.land, saw.water, saw.tiles.length], [12, 32, 1, 0, 2]);
  for (const slope of [saw.slope_median, saw.slope_p95]) assert.ok(Math.abs(slope - 0.25) < 1e-3, `${slope}`);
  const { zooms: [lake] } = figures('--world', 'lake.json', '--tiles', '2', '--zoom', '12');
  assert.deepEqual([lake.land, lake.water, lake.slope_p95, lake.power_2_64], [1, 0.5, 0, 0]);
});

test('tiles are different ones on land, and follow from the seed', () => {
  const tilesOf = (...words) => figures('--world', 'east.json', '--zoom', '5,9', '--tiles', '6', ...words).zooms.map(({ tiles }) => tiles.map(({ x, y }) => `${x},${y}`));
  const chosen = tilesOf();
  assert.deepEqual(chosen.map((tiles) => new Set(tiles).size), [6, 6]);
  for (const [i, zoom] of [5, 9].entries())
    for (const tile of chosen[i]) assert.ok(parseInt(tile, 10) >= 2 ** (zoom - 1), `${zoom}/${tile} is west of the origin`);
  assert.deepEqual(tilesOf(), chosen);
  assert.notDeepEqual(tilesOf('--seed', '2'), chosen);
});

test('colours are those of windows where plants grow', () => {
  const { zooms, colours } = figures('--world', 'checks.json', '--zoom', '12', '--colours', '9,12', '--tiles', '3');
  assert.deepEqual([zooms.length, colours.map(({ zoom, windows }) => [zoom, windows.length])], [1, [[9, 3], [12, 3]]]);
  /* A half is black and a half is white: 50 from the mean of L*. Plants grow in the southern half of 67108864 m. */
  for (const { zoom, windows } of colours)
    for (const { y, deviation } of windows) {
      assert.ok(Math.abs(deviation - 50) < 0.01, `${deviation}`);
      const south = (y + 0.5) * 2 ** (26 - zoom) - 2 ** 24;
      assert.ok((south / 67108864 % 1 + 1) % 1 < 0.5, `${zoom}/${y} is where nothing grows`);
    }
});

test('plains of terra are varied', { timeout: 60_000 }, () => {
  const { colours } = figures('--colours', '9,12,15', '--zoom', '16', '--tiles', '10');
  for (const view of colours) assert.ok(varietyOf(view).share >= 0.8, JSON.stringify(view));
});

test('shares of varied windows are compared', () => {
  const view = (zoom, ...deviations) => ({ zoom, windows: deviations.map((deviation) => ({ deviation })) });
  assert.deepEqual(varietyOf(view(9, 9, 5, 6, 8, 7)), { share: 0.8, low: 5, median: 7, high: 8 });
  const before = { colours: [view(9, 6, 6, 6, 6), view(10, 5, 6, 7, 8)] };
  assert.deepEqual(compareColours({ colours: [view(9, 7, 7, 7, 5), view(10, 3, 6, 6, 6), view(11, 1)] }, before),
    [{ zoom: 9, ratio: 0.75, outside: true }, { zoom: 10, ratio: 1, outside: false }]);
  assert.deepEqual(compareColours(before, {}), []);
});

test('a run is compared with an earlier one at the same tiles', () => {
  const before = figures('--world', 'saw.json', '--tiles', '2', '--zoom', '12,13');
  folder.write('before.json', before);
  const same = run('--compare', 'before.json');
  assert.equal(same.status, 0, same.stderr);
  const now = JSON.parse(readFileSync(folder.file('out.json'), 'utf8'));
  assert.deepEqual(now.zooms, before.zooms);
  /* A ninth higher: 1.125 times the slope, and its square the power. */
  const steeper = run('--compare', 'before.json', '--world', 'steeper.json', '--zoom', '13');
  assert.equal(steeper.status, 1, steeper.stderr);
  assert.match(steeper.stdout, /^ *13 .* 1\.125 +1\.125 +1\.266 .* slope_median, slope_p95, power_2_64$/m);
  assert.doesNotMatch(steeper.stdout, /^ *12 .* slope_median/m);
});

test('bounds are those of the figures, and nothing is compared that was measured elsewhere', () => {
  const view = { zoom: 8, tiles: [{ x: 1, y: 2 }], valley_length: 100, valley_samples: 900, slope_median: 0.1, slope_p95: 0.3, power_2_64: 50, power: { 2: 1, 4: 2 } };
  const before = { zooms: [view, { ...view, zoom: 9 }], steps: [{ zoom: 3, rms_m: 8 }] };
  const change = (more) => compareLand({ zooms: [{ ...view, ...more }] }, before);
  assert.deepEqual(change({}).map(({ zoom, outside }) => [zoom, outside]), [[8, []]]);
  for (const [more, outside] of [
    [{ valley_length: 81 }, []], [{ valley_length: 79 }, ['valley_length']], [{ valley_length: 900 }, []], [{ valley_samples: 9 }, []],
    [{ slope_median: 0.091 }, []], [{ slope_median: 0.089 }, ['slope_median']], [{ slope_p95: 0.331 }, ['slope_p95']],
    [{ power_2_64: 44 }, ['power_2_64']], [{ power_2_64: 54 }, []], [{ power: { 2: 0, 4: 2 } }, []],
  ]) assert.deepEqual(change(more)[0].outside, outside, JSON.stringify(more));
  assert.equal(change({ power: { 2: 3, 4: 2 } })[0].ratios.power_2_4, 3);
  const later = { ...before, steps: [{ zoom: 3, rms_m: 4 }] };
  assert.deepEqual([...compareSteps(later, before)], [[3, 0.5]]);
  assert.equal(compareSteps({ ...later, zooms: [view] }, before).size, 0);
});

test('what cannot be measured is told', () => {
  for (const [words, status, message] of [
    [['--world', 'sea.json', '--zoom', '8'], 1, /tiles: 0 of 20000 tiles of zoom 8 are nine tenths land, and 24 are wanted/],
    [['--world', 'none.json'], 1, /none\.json/],
    [['--colours', '0', '--zoom', '8', '--world', 'saw.json'], 1, /0: must be a whole number from 1 to 17/],
    [['--zoom', '18'], 1, /18: must be a whole number from 0 to 17/],
    [['--tiles', '0'], 1, /0: must be a whole number from 1 to 1000/],
    [['--zom', '8'], 2, /zom/],
    [['--compare', 'before.json', '--seed', '3'], 2, /takes the tiles of the earlier run/],
    [['--compare', 'before.json', '--zoom', '3'], 2, /has the zooms 12,13/],
  ]) {
    const result = run(...words);
    assert.equal(result.status, status, `${words}: ${result.stderr}`);
    assert.match(result.stderr, message);
    assert.doesNotMatch(result.stderr, /^\s+at /m, 'a stack of calls');
  }
});

function runZooms(...words) {
  return spawnSync('node', [`${root}/tests/bench/land/zooms.mjs`, zoomsProgram, folder.file('zooms.json'), ...words], { cwd: folder.path, encoding: 'utf8' });
}

test('zooms agree but where a class changes between them', () => {
  /* detail(3072) is 0 at 2048 m, a half at 1024 m and 1 at 512 m: all land is under snow from zoom 8 on. */
  const words = ['--world', 'bands.json', '--places', '6', '--zoom', '6-8'];
  const { status, stdout, stderr } = runZooms(...words);
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^ *7 .* land to ice/m);
  const { zooms: [before, change, after] } = JSON.parse(readFileSync(folder.file('zooms.json'), 'utf8'));
  assert.deepEqual([before.disagreement, after.disagreement], [0, 0]);
  assert.deepEqual([before.shares.ice, after.shares.land], [[0, 0], [0, 0]]);
  const [land] = change.shares.land;
  assert.ok(land > 0.5 && land < 1, `${land}`);
  for (const share of [change.disagreement, change.changes.land_to_ice, change.shares.ice[1]]) assert.ok(Math.abs(share - land) < 1e-3, `${share}`);
  const missed = runZooms(...words, '--goal');
  assert.equal(missed.status, 1, missed.stderr);
  assert.match(missed.stdout, /^beyond 2 % or 4 ΔE: zooms 7$/m);
});

test('worlds without coasts are measured on land', () => {
  const { status, stderr } = runZooms('--world', 'steps.json', '--places', '3', '--zoom', '7');
  assert.equal(status, 0, stderr);
  const { zooms: [{ shares }] } = JSON.parse(readFileSync(folder.file('zooms.json'), 'utf8'));
  assert.deepEqual(shares.land, [1, 1]);
});

test('what zooms cannot be measured of is told', () => {
  for (const [words, status, message] of [
    [['--world', 'sea.json'], 1, /places: there is neither land nor a coast/],
    [['--zoom', '20'], 1, /20: must be a whole number from 0 to 19/],
    [['--zoom', '8-6'], 1, /8: must be a whole number from 0 to 6/],
    [['--place', '6'], 2, /place/],
  ]) {
    const result = runZooms(...words);
    assert.equal(result.status, status, `${words}: ${result.stderr}`);
    assert.match(result.stderr, message);
    assert.doesNotMatch(result.stderr, /^\s+at /m, 'a stack of calls');
  }
});
