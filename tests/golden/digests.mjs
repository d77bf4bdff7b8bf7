/* Writes config/golden.json, what `terrane check --golden` compares with: digests of a few chunks of
 * each built-in world. Rows of worlds without a drainage network are locked, those of the others may
 * change until the generator is released: land.mjs writes these. Rows of new worlds are added by
 *
 *   node tests/golden/digests.mjs
 *
 * (TERRANE_BINARY is the program that answers, build/release/terrane if not set.) */

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { root, terrane } from '../cli/terrane.mjs';

const file = `${root}/config/golden.json`;

const json = (words) => {
  const { status, stdout, stderr } = terrane(words);
  if (status !== 0) throw new Error(`${words.join(' ')}: ${stderr}`);
  return JSON.parse(stdout);
};

/* A chunk at the origin; a coarse one with an apron; one at the edge of the world, later. */
const chunks = [
  ['--chunk', '0,0', '--size', '32'],
  ['--chunk', '-5,7', '--size', '16', '--step', '64', '--apron', '1'],
  ['--chunk', '34359738367,-34359738368', '--size', '32', '--time', '77.5'],
];

/* The layers that show a world, without intermediate ones. */
const wanted = ['height', 'water_level', 'biome', 'density', 'cover', 'light', 'ground', 'heat'];

function makeRows(world) {
  const layers = Object.keys(json(['query', '--world', world, '--json', '0', '0']).layers);
  const some = wanted.filter((layer) => layers.includes(layer)).flatMap((layer) => ['--layer', layer]);
  return chunks.map((chunk) => {
    const { same, expected, seed, ...row } = json(['check', '--digest', '--json', '--world', world, ...chunk, ...some]);
    return row;
  });
}

/* Writes the rows of the wanted worlds anew, and the others as they were. */
export function writeDigests(isWanted) {
  const former = JSON.parse(readFileSync(file, 'utf8'));
  const rows = json(['worlds', '--json']).flatMap(({ name }) => (isWanted(name) ? makeRows(name) : former.filter(({ world }) => world === name)));
  writeFileSync(file, `[\n${rows.map((row) => JSON.stringify(row)).join(',\n')}\n]\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeDigests(() => true);
