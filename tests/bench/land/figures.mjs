/* `make land-figures`: measures the land of a world, writes one JSON document and prints tables of it.
 * usage: figures.mjs PROGRAM OUT.json [--world NAME|FILE] [--zoom 4,8,12,16] [--colours 9,10,…,15] [--tiles 24] [--seed 1]
 *        [--compare FILE]
 * PROGRAM is figures; colours is beside it. With --zoom alone no colours are measured. With --compare the tiles are those of
 * an earlier run's document, the windows for colours are chosen by its seed, and the status is 1 if a figure is out of bounds. */

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { dirname, join } from 'node:path';

import { fixed, table } from '../table.mjs';
import { BOUNDS, compareColours, compareLand, compareSteps, varietyOf, VARIETY } from './compare.mjs';
import { fileOf, readWords, stop, texts } from './words.mjs';

const USAGE = 'usage: figures.mjs PROGRAM OUT.json [--world NAME|FILE] [--zoom 4,8,12,16] [--colours 9,10,…,15] [--tiles 24] [--seed 1] [--compare FILE]';

/* Zooms to choose tiles of, or the tiles of an earlier document. */
function tileWords({ zoom }, before) {
  const wanted = zoom?.split(',');
  if (!before) return wanted ?? ['4', '8', '12', '16'];
  const views = before.zooms.filter((view) => !wanted || wanted.includes(String(view.zoom)));
  if (views.length === 0) stop(`--zoom ${zoom}: the earlier run has the zooms ${before.zooms.map((view) => view.zoom)}`);
  return views.flatMap((view) => view.tiles.map(({ x, y }) => `${view.zoom}/${x}/${y}`));
}

/* Zooms at which colours are measured. */
function colourWords({ zoom, colours }, before) {
  if (colours !== undefined) return colours.split(',');
  if (zoom !== undefined) return [];
  return before ? (before.colours ?? []).map((view) => String(view.zoom)) : ['9', '10', '11', '12', '13', '14', '15'];
}

/* The document that a program prints. */
function run(program, words) {
  const { status, stdout } = spawnSync(program, words, { encoding: 'utf8', maxBuffer: 1 << 26, stdio: ['ignore', 'pipe', 'inherit'] });
  if (status !== 0) process.exit(status ?? 1);
  return JSON.parse(stdout);
}

function measure(program, values, before) {
  const world = values.world ?? before?.world ?? 'terra';
  const seed = Number(before?.seed ?? values.seed ?? 1);
  const words = [fileOf(world), values.tiles ?? '24', String(seed)];
  const colours = colourWords(values, before);
  const began = process.hrtime.bigint();
  const figures = run(program, [...words, ...tileWords(values, before)]);
  const painted = colours.length > 0 ? run(join(dirname(program), 'colours'), [...words, ...colours]) : {};
  const seconds = Number(process.hrtime.bigint() - began) / 1e9;
  return { world, seed, date: new Date().toISOString().slice(0, 10), cpu: os.cpus()[0]?.model ?? os.arch(), seconds: Number(fixed(seconds, 1)), ...figures, ...painted };
}

const percent = (share, digits) => `${fixed(100 * share, digits)} %`;
const short = (value) => String(Number(value.toPrecision(3)));

const figuresTable = ({ world, zooms }) => table(
  `Land of ${world}: means of tiles of 256 × 256 samples, and all their pits`,
  zooms.map((view) => ({
    zoom: view.zoom,
    'm a sample': view.spacing_m,
    tiles: view.tiles.length,
    land: percent(view.land, 1),
    'under water': percent(view.water, 1),
    'valley lines, samples': fixed(view.valley_length, 0),
    'valley samples': fixed(view.valley_samples, 0),
    pits: view.pits,
    'slope, median': percent(view.slope_median, 2),
    'p95': percent(view.slope_p95, 2),
    ...Object.fromEntries(Object.entries(view.power).map(([from, power]) => [`m² at ${from}–${2 * from}`, short(power)])),
  })),
);

const coursesTable = ({ zooms }) => table(
  'Streams, on the map: medians of length over distance, of turns at joints and of angles where they meet; shares that meet at 30 to 70 degrees',
  zooms.map((view) => ({
    zoom: view.zoom,
    'winding, flat': fixed(view.sinuosity_flat, 3),
    'steep': fixed(view.sinuosity_steep, 3),
    'turn at joints': fixed(view.turn, 1),
    'junction': fixed(view.junction, 1),
    '30–70°': percent(view.junction_acute, 0),
  })),
);

const stepsTable = ({ steps }, ratios) => table(
  'Differences to the next coarser level of detail: root mean square; mean of all, of places below the mean of their block, above it',
  steps.map(({ zoom, spacing_m: spacing, rms_m: rms, bias_m: bias, bias_low_m: low, bias_high_m: high }) => ({
    zoom, 'm a sample': spacing, m: short(rms), ...(ratios.has(zoom) ? { ratio: fixed(ratios.get(zoom), 3) } : {}),
    mean: short(bias), low: short(low), high: short(high),
  })),
);

const coloursTable = ({ colours = [] }, before) => (colours.length === 0 ? '' : table(
  `Colours of windows of 512 × 512 pixels of vegetated land: root mean square of differences to the mean colour (CIE76)`,
  colours.map((view) => {
    const { share, low, median, high } = varietyOf(view);
    const row = before?.find(({ zoom }) => zoom === view.zoom);
    return {
      zoom: view.zoom, windows: view.windows.length, [`${VARIETY} and more`]: percent(share, 0), p10: fixed(low, 1), median: fixed(median, 1), p90: fixed(high, 1),
      ...(row ? { ratio: fixed(row.ratio, 3), 'out of bounds': row.outside ? 'share' : '' } : {}),
    };
  }),
));

const boundsText = ([name, [low, high]]) => `${name} ${high === Infinity ? `at least ${low}` : `${low} to ${high}`}`;

const ratiosTable = (rows) => table(
  `Ratios to the earlier run; bounds: ${Object.entries(BOUNDS).map(boundsText).join(', ')}`,
  rows.map(({ zoom, ratios, outside }) => ({
    zoom, ...Object.fromEntries(Object.entries(ratios).map(([name, ratio]) => [name, fixed(ratio, 3)])),
    'out of bounds': outside.join(', '),
  })),
);

const { values, program, out } = readWords(USAGE, texts('world', 'zoom', 'colours', 'tiles', 'seed', 'compare'));
if (values.compare && (values.tiles || values.seed)) stop('--compare takes the tiles of the earlier run, so --tiles and --seed mean nothing beside it');
const before = values.compare && JSON.parse(readFileSync(values.compare, 'utf8'));
const now = measure(program, values, before);
writeFileSync(out, `${JSON.stringify(now, null, 1)}\n`);
const painted = before && compareColours(now, before);
process.stdout.write(figuresTable(now) + coursesTable(now) +
  stepsTable(now, before ? compareSteps(now, before) : new Map()) + coloursTable(now, painted));
process.stdout.write(`seed ${now.seed}, ${now.date}, ${now.cpu}, ${now.seconds} s\n`);
if (before) {
  const rows = compareLand(now, before);
  process.stdout.write(ratiosTable(rows));
  process.exitCode = rows.some(({ outside }) => outside.length > 0) || painted.some(({ outside }) => outside) ? 1 : 0;
}
