/* Several versions of a world, and the tiles of each as `terrane render` makes them,
 * independently of any server. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../tools/folder.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const binary = process.env.TERRANE_BINARY ?? `${root}/build/release/terrane`;

/* Zooms fine enough to show the world's wavelengths, as coarser tiles of all versions look the same. */
export const tiles = ['8/131/126', '9/256/256', '10/511/513', '12/2050/2047'];
const seedOther = '~4711'; /* the versions differ with any seed */

const world = (version) => ({
  title: `Version ${version}`,
  generator: 1,
  seed: 'the same',
  layers: { height: `${100 + version} * fbm(wavelength=8192, octaves=${4 + version})` },
});

/* A folder with one of the versions as world "shifting"; `put(n)` makes it the n-th in one step. Of
 * each: its fingerprint, and of each tile its samples, plain and reseeded. */
export function makeVersions(count) {
  const folder = temporaryFolder().path;
  const served = path.join(folder, 'worlds');
  mkdirSync(served);
  const versions = Array.from({ length: count }, (_, n) => {
    const file = path.join(folder, `v${n}.json`);
    writeFileSync(file, JSON.stringify(world(n)));
    const render = (seed, tile) => {
      const out = path.join(folder, 'out.r32f');
      execFileSync(binary, ['render', '--world', file + seed, '--style', 'height', '--tile', tile, '-o', out]);
      return readFileSync(out);
    };
    const fingerprint = /g1-[0-9a-f]{32}/.exec(execFileSync(binary, ['check', file], { encoding: 'utf8' }))[0];
    const samples = (seed) => Object.fromEntries(tiles.map((tile) => [tile, render(seed, tile)]));
    return { fingerprint, plain: samples(''), seeded: samples(seedOther) };
  });
  const put = (n, text = JSON.stringify(world(n))) => {
    writeFileSync(path.join(folder, 'next'), text);
    renameSync(path.join(folder, 'next'), path.join(served, 'shifting.json'));
  };
  put(0);
  return { folder, served, versions, put, seed: seedOther, remove: () => rmSync(folder, { recursive: true }) };
}
