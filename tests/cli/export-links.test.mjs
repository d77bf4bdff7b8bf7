/* terrane export into places where links, pipes and folders stand in the way: nothing is written through them. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { area, bytes, exportTo, half, path, refused } from './archives.mjs';

test('links beside a tar archive are not written through', () => {
  exportTo('plain.tar');
  writeFileSync(path('victim'), 'mine');
  symlinkSync('victim', path('linked.tar.part-archive'));
  exportTo('linked.tar');
  assert.equal(readFileSync(path('victim'), 'utf8'), 'mine');
  assert.deepEqual(readFileSync(path('linked.tar')), readFileSync(path('plain.tar')));
});

/* The name that is planted in the folder, what it is, and what the error says of it. */
const tile = '8/127/127.r32f';
const planted = [
  ['8', 'folder', '8 is a symbolic link where a folder is needed'],
  ['8/127', 'folder', '8/127 is a symbolic link where a folder is needed'],
  ['8', 'nothing', '8 is a symbolic link where a folder is needed'],
  [tile, 'file', 'it is a symbolic link where a regular file is needed'],
  [tile, 'nothing', 'it is a symbolic link where a regular file is needed'],
  [tile, 'pipe', 'it is a named pipe where a regular file is needed'],
  ['8', 'file itself', '8 is a regular file where a folder is needed'],
];

test('names in a folder of files that lead elsewhere are refused, and nothing is written there', () => {
  exportTo('part-1.pmtiles', '--zoom', '8');
  for (const [i, [name, what, message]] of planted.entries()) {
    const [into, victim] = [`planted-${i}/`, path(`victim-${i}`)];
    mkdirSync(join(path(into), name, '..'), { recursive: true });
    if (what === 'folder') mkdirSync(victim);
    if (what === 'file') writeFileSync(victim, 'mine');
    if (what === 'pipe') execFileSync('mkfifo', [join(path(into), name)]);
    else if (what === 'file itself') writeFileSync(join(path(into), name), 'mine');
    else symlinkSync(victim, join(path(into), name));
    for (const words of [['export', ...half, ...area, '--zoom', '8'], ['merge', 'part-1.pmtiles']]) {
      refused([...words, '-o', into], new RegExp(`${into}: ${tile} cannot be written: ${message}`));
      for (const end of ['part', 'part-index']) rmSync(path(`planted-${i}.${end}`), { force: true });
    }
    if (what === 'folder') assert.deepEqual(readdirSync(victim), [], name);
    if (what === 'file') assert.equal(readFileSync(victim, 'utf8'), 'mine');
    if (what === 'nothing') assert.ok(!existsSync(victim));
  }
});

test('a link to the folder itself is followed, and one at metadata.json is replaced', () => {
  mkdirSync(path('elsewhere'));
  symlinkSync('elsewhere', path('named'));
  writeFileSync(path('metadata-victim'), 'mine');
  symlinkSync('../metadata-victim', path('elsewhere/metadata.json'));
  exportTo('named/', '--zoom', '8');
  assert.equal(readFileSync(path('metadata-victim'), 'utf8'), 'mine');
  assert.equal(JSON.parse(bytes('elsewhere/metadata.json'))['terrane:bbox'], '-9000,-9000,9000,9000');
  assert.ok(existsSync(path(`elsewhere/${tile}`)));
});
