/* `make land-zooms`: measures whether zooms of a world agree, writes one JSON document and prints a table of it.
 * usage: zooms.mjs PROGRAM OUT.json [--world NAME|FILE] [--places 200] [--seed 1] [--zoom 0-12] [--goal] */

import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';

import { fixed, table } from '../table.mjs';
import { fileOf, readWords, texts } from './words.mjs';

const USAGE = 'usage: zooms.mjs PROGRAM OUT.json [--world NAME|FILE] [--places 200] [--seed 1] [--zoom 0-12] [--goal]';

/* The most that --goal allows at each zoom: a share of pixels, and a difference of colours. */
const GOAL = { disagreement: 0.02, colour: 4 };

const percent = (share) => fixed(100 * share, 2);

/* The shares of a class here and closer by, as two numbers. */
const both = ([here, closer]) => `${fixed(100 * here, 1)} → ${fixed(100 * closer, 1)}`;

/* The most frequent changes of a class, of those that are a hundredth of a percent or more. */
const changesText = (changes) => Object.entries(changes).filter(([, share]) => share >= 1e-4).sort(([, a], [, b]) => b - a).slice(0, 3)
  .map(([name, share]) => `${name.replaceAll('_', ' ')} ${percent(share)}`).join(', ');

const zoomsTable = ({ world, zooms }) => table(
  `Zooms of ${world} and the next closer ones: pixels of another class, %; difference of colours, ΔE; shares of classes, %`,
  zooms.map(({ zoom, disagreement, colour, shares, changes }) => ({
    zoom, 'another class': percent(disagreement), 'ΔE': fixed(colour, 1),
    ...Object.fromEntries(Object.entries(shares).map(([name, share]) => [name, both(share)])),
    'changes to the next zoom': changesText(changes),
  })),
);

const { values, program, out } = readWords(USAGE, { ...texts('world', 'places', 'seed', 'zoom'), goal: { type: 'boolean' } });
const [first, last] = (values.zoom ?? '0-12').split('-');
const words = [fileOf(values.world ?? 'terra'), values.places ?? '200', values.seed ?? '1', first, last ?? first];
const { status, stdout } = spawnSync(program, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
if (status !== 0) process.exit(status ?? 1);
const now = { world: values.world ?? 'terra', seed: Number(words[2]), date: new Date().toISOString().slice(0, 10), ...JSON.parse(stdout) };
writeFileSync(out, `${JSON.stringify(now, null, 1)}\n`);
process.stdout.write(zoomsTable(now));
const missed = now.zooms.filter((zoom) => zoom.disagreement > GOAL.disagreement || zoom.colour > GOAL.colour);
if (values.goal && missed.length > 0) {
  process.stdout.write(`beyond ${100 * GOAL.disagreement} % or ${GOAL.colour} ΔE: zooms ${missed.map(({ zoom }) => zoom)}\n`);
  process.exitCode = 1;
}
