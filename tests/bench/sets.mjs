/* Noises and relief tiles of builds for one instruction set each, side by side, with other libraries
 * beside them: node sets.mjs NAME=FOLDER… OTHERS…
 * FOLDER is that of a build; OTHERS are the programs of fastnoise2.cpp and fastnoiselite.cpp. All
 * programs have their turn, round after round, so that a load on the machine slows all of them. */

import { execFileSync } from 'node:child_process';
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';

import { fixed, table } from './table.mjs';

const ROUNDS = 3;

const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];

/* What runs: { name, set, words }; only our own builds have tiles. */
function programs(builds, others) {
  const run = (name, file, words) => ({ name, file, words, rounds: [] });
  return {
    noises: [
      ...builds.map(([set, folder]) => run(`Terrane ${set}`, `${folder}/terrane`, ['bench', '--json'])),
      ...others.filter((file) => basename(file) === 'fastnoise2')
        .flatMap((file) => builds.map(([set]) => run(`FastNoise2 ${set}`, file, [set]))),
      ...others.filter((file) => basename(file) === 'fastnoiselite')
        .map((file) => run('FastNoiseLite', file, [])),
    ],
    tiles: builds.map(([set, folder]) => run(set, `${folder}/tests/bench/bench`, ['relief'])),
  };
}

/* { noises: [{ name, [program]: ns }], tiles: [{ zoom, [set]: ms }], relief: { [set]: { median, worst, zoom } } } */
export function measureSets(words) {
  const builds = words.filter((word) => word.includes('=')).map((word) => word.split('='));
  const { noises, tiles } = programs(builds, words.filter((word) => !word.includes('=')));
  for (let round = 0; round < ROUNDS; round++)
    for (const { file, words: args, rounds } of [...noises, ...tiles])
      rounds.push(JSON.parse(execFileSync(file, args, { encoding: 'utf8', maxBuffer: 1 << 26 })));

  const ns = ({ rounds }, name) => {
    const found = rounds.map(({ noise }) => noise.find((row) => row.name === name)?.ns);
    return found[0] === undefined ? undefined : median(found);
  };
  const ms = ({ rounds }, zoom) => median(rounds.map((figures) => (
    figures.tiles.find((row) => row.zoom === zoom).least_ms)));
  const figure = (list, value) => Object.fromEntries(list.map((program) => [program.name, value(program)]));
  const zooms = tiles[0].rounds[0].tiles.map(({ zoom }) => zoom);
  return {
    noises: noises[0].rounds[0].noise.map(({ name }) => (
      { noise: name, ...figure(noises, (program) => ns(program, name)) })),
    tiles: zooms.map((zoom) => ({ zoom, ...figure(tiles, (program) => ms(program, zoom)) })),
    relief: figure(tiles, (program) => (
      median(zooms.filter((zoom) => zoom <= 17).map((zoom) => ms(program, zoom))))),
  };
}

const rounded = ({ noise, zoom, ...figures }) => ({
  ...(noise === undefined ? { zoom } : { noise }),
  ...Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, fixed(value, 2) ?? ''])),
});

export const setsTables = ({ noises, tiles, relief }) => (
  table('Noises by instruction set, ns a sample on one core: 256 × 256 at 1 m, wavelength 256 m', noises.map(rounded))
  + table('Cold relief tiles by instruction set, ms on one core, the mean of six places', tiles.map(rounded))
  + `median of zoom 0 … 17: ${Object.entries(relief).map(([set, ms]) => `${set} ${ms.toFixed(2)} ms`).join(', ')}\n`);

if (import.meta.url === pathToFileURL(process.argv[1]).href)
  process.stdout.write(setsTables(measureSets(process.argv.slice(2))));
