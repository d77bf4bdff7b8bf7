/* `make land-figures`: measures the land of a world, writes one JSON document and prints tables of it.
 * usage: figures.mjs PROGRAM OUT.json [--world NAME|FILE] [--zoom 4,8,12,16] [--tiles 24] [--seed 1] [--compare FILE]
 * With --compare the tiles are those of an earlier run's document, and the status is 1 if a figure is out of bounds. */

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { fixed, table } from '../table.mjs';
import { BOUNDS, compareLand, compareSteps } from './compare.mjs';

const USAGE = 'usage: figures.mjs PROGRAM OUT.json [--world NAME|FILE] [--zoom 4,8,12,16] [--tiles 24] [--seed 1] [--compare FILE]';

function stop(message) {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

function readWords() {
  try {
    return parseArgs({ allowPositionals: true,
      options: Object.fromEntries(['world', 'zoom', 'tiles', 'seed', 'compare'].map((name) => [name, { type: 'string' }])) });
  } catch ({ message }) {
    return stop(`${message}\n${USAGE}`);
  }
}

/* The file of a built-in world, or the file itself. */
function fileOf(world) {
  const builtIn = fileURLToPath(new URL(`../../../config/worlds/${world}.json`, import.meta.url));
  return existsSync(builtIn) ? builtIn : world;
}

/* Zooms to choose tiles of, or the tiles of an earlier document. */
function tileWords({ zoom }, before) {
  const wanted = zoom?.split(',');
  if (!before) return wanted ?? ['4', '8', '12', '16'];
  const views = before.zooms.filter((view) => !wanted || wanted.includes(String(view.zoom)));
  if (views.length === 0) stop(`--zoom ${zoom}: the earlier run has the zooms ${before.zooms.map((view) => view.zoom)}`);
  return views.flatMap((view) => view.tiles.map(({ x, y }) => `${view.zoom}/${x}/${y}`));
}

function measure(program, values, before) {
  const world = values.world ?? before?.world ?? 'terra';
  const seed = Number(before?.seed ?? values.seed ?? 1);
  const words = [fileOf(world), values.tiles ?? '24', String(seed), ...tileWords(values, before)];
  const began = process.hrtime.bigint();
  const { status, stdout } = spawnSync(program, words, { encoding: 'utf8', maxBuffer: 1 << 26, stdio: ['ignore', 'pipe', 'inherit'] });
  if (status !== 0) process.exit(status ?? 1);
  const seconds = Number(process.hrtime.bigint() - began) / 1e9;
  return { world, seed, date: new Date().toISOString().slice(0, 10), cpu: os.cpus()[0]?.model ?? os.arch(), seconds: Number(fixed(seconds, 1)), ...JSON.parse(stdout) };
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

const stepsTable = ({ steps }, ratios) => table(
  'Root mean square of the difference to the next coarser level of detail',
  steps.map(({ zoom, spacing_m: spacing, rms_m: rms }) => ({
    zoom, 'm a sample': spacing, m: short(rms), ...(ratios.has(zoom) ? { ratio: fixed(ratios.get(zoom), 3) } : {}),
  })),
);

const boundsText = ([name, [low, high]]) => `${name} ${high === Infinity ? `at least ${low}` : `${low} to ${high}`}`;

const ratiosTable = (rows) => table(
  `Ratios to the earlier run; bounds: ${Object.entries(BOUNDS).map(boundsText).join(', ')}`,
  rows.map(({ zoom, ratios, outside }) => ({
    zoom, ...Object.fromEntries(Object.entries(ratios).map(([name, ratio]) => [name, fixed(ratio, 3)])),
    'out of bounds': outside.join(', '),
  })),
);

const { values, positionals: [program, out, ...more] } = readWords();
if (out === undefined || more.length > 0) stop(USAGE);
if (values.compare && (values.tiles || values.seed)) stop('--compare takes the tiles of the earlier run, so --tiles and --seed mean nothing beside it');
const before = values.compare && JSON.parse(readFileSync(values.compare, 'utf8'));
const now = measure(program, values, before);
writeFileSync(out, `${JSON.stringify(now, null, 1)}\n`);
process.stdout.write(figuresTable(now) + stepsTable(now, before ? compareSteps(now, before) : new Map()));
process.stdout.write(`seed ${now.seed}, ${now.date}, ${now.cpu}, ${now.seconds} s\n`);
if (before) {
  const rows = compareLand(now, before);
  process.stdout.write(ratiosTable(rows));
  process.exitCode = rows.some(({ outside }) => outside.length > 0) ? 1 : 0;
}
