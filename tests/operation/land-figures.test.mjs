/* make land-figures: worlds whose figures are plain, the choice of tiles, and the comparison with an earlier run. The
 * arithmetic of valleys, slopes and power is tested in tests/unit/bench/land. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { compareLand, compareSteps } from '../bench/land/compare.mjs';
import { binary, root } from '../cli/terrane.mjs';
import { temporaryFolder } from '../tools/folder.mjs';

const program = join(dirname(binary), 'tests/bench/land/figures');
const world = (height, more = {}) => ({ generator: 1, layers: { height, ...more } });
const folder = temporaryFolder({
  'steps.json': world('100 + 10 * detail(3072)'),
  'east.json': world('x > 0 ? 100 : -100'),
  'sea.json': world('-1'),
  'saw.json': world("1000 + 2048 * cycle('x', 8192)"),
  'steeper.json': world("1000 + 2304 * cycle('x', 8192)"),
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
