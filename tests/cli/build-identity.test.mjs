/* Builds may serve each other's cached bytes only if they have the same build identity: a digest of all
 * sources that write bytes of tiles and chunks. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../tools/folder.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const tree = temporaryFolder().path;

/* A copy of the sources; everything else is a link. */
for (const name of readdirSync(root)) {
  if (name === 'core' || name === 'server') cpSync(path.join(root, name), path.join(tree, name), { recursive: true });
  else if (!name.startsWith('.') && name !== 'build') symlinkSync(path.join(root, name), path.join(tree, name));
}

const { MAKEFLAGS, MAKELEVEL, MFLAGS, ...env } = process.env;
const make = (...words) => execFileSync('make', ['-s', '--no-print-directory', ...words], { cwd: tree, env, encoding: 'utf8' }).trim();
const identity = () => make('build-identity');
const folders = ['core', 'server/render', ...readdirSync(path.join(root, 'core'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isDirectory()).map((entry) => path.relative(root, path.join(entry.path, entry.name)))];

/* Prices are no part of what is written. */
const writers = folders.filter((folder) => !/^core\/(examples|price)\b/.test(folder)).flatMap((folder) =>
  readdirSync(path.join(tree, folder)).filter((name) => /\.([ch]|def)$/.test(name)).map((name) => path.join(folder, name)));

/* The digest is computed here again, of the files that make would read: each of them changes it. */
test('every source that writes tiles or chunks changes the build identity', { timeout: 120_000 }, () => {
  const read = make('-n', 'build-identity').split(' | ')[0].split(' ').slice(1);
  const digest = createHash('sha256');
  for (const name of read) digest.update(readFileSync(path.join(tree, name)));
  assert.equal(identity(), digest.digest('hex').slice(0, 16));
  assert.ok(writers.length > 400, `${writers.length} sources`);
  assert.deepEqual([...read].sort(), [...writers].sort());
  const seen = new Set([identity()]);
  appendFileSync(path.join(tree, writers.at(-1)), ' ');
  assert.ok(!seen.has(identity()), writers.at(-1));
  seen.add(identity());
  for (const name of ['core/base/new.c', 'core/noise/a/b/new.c', 'server/render/new/new.h']) {
    mkdirSync(path.dirname(path.join(tree, name)), { recursive: true });
    writeFileSync(path.join(tree, name), '/* a new file */\n');
    assert.ok(!seen.has(identity()), name);
    seen.add(identity());
  }
});

test('sources that do not affect tiles do not change the identity', () => {
  const before = identity();
  for (const name of ['server/main.c', 'server/http/server.c', 'server/cli/render.c', 'core/examples/chunk.c', 'core/price/new.c']) {
    writeFileSync(path.join(tree, name), '/* changed */\n');
    assert.equal(identity(), before, name);
  }
});

/* A writer elsewhere would escape the digest. core/encode/gzip and the like also compress other responses,
 * so that they may be included. Exports are files of their own, which no cache holds. */
test('no other folder includes the encoders of tiles and chunks', () => {
  const includes = execFileSync('grep', ['-rlE', '#include "(core/encode/(png|webp|samples|mvt|glb|geotiff|ascii_grid|predict)|server/render/\\w+_task)\\.h"',
    'server', '--include=*.[ch]'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
  assert.deepEqual(includes.filter((name) => !/^server\/(render|export)\//.test(name)), []);
});
