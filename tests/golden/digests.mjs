/* Writes config/golden.json, what `terrane check --golden` compares with: digests of a few chunks of
 * each built-in world. A released generator's rows never change; those of new worlds are added by
 *
 *   node tests/golden/digests.mjs
 *
 * (TERRANE_BINARY is the program that answers, build/release/terrane if not set.) */

import { writeFileSync } from 'node:fs';
import { root, terrane } from '../cli/terrane.mjs';

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

const rows = [];
for (const { name } of json(['worlds', '--json']).worlds ?? json(['worlds', '--json'])) {
  const layers = Object.keys(json(['query', '--world', name, '--json', '0', '0']).layers);
  const some = wanted.filter((layer) => layers.includes(layer)).flatMap((layer) => ['--layer', layer]);
  for (const chunk of chunks) {
    const { same, expected, seed, ...row } = json(['check', '--digest', '--json', '--world', name, ...chunk, ...some]);
    rows.push(row);
  }
}
writeFileSync(`${root}/config/golden.json`, `[\n${rows.map((row) => JSON.stringify(row)).join(',\n')}\n]\n`);
