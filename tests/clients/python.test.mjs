/* The Python package: built and installed by Debian's pip, then compared with a server, libterrane and plain HTTP. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../tools/folder.mjs';
import { serverOfFile } from '../tools/server.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = temporaryFolder();
const server = serverOfFile();

async function python(words, env = {}) {
  const child = spawn('/usr/bin/python3', words, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, PYTHONPATH: folder.file('installed'), PYTHONDONTWRITEBYTECODE: '1', no_proxy: '*',
      TERRANE_LIBRARY: `${dirname(process.env.TERRANE_BINARY)}/libterrane.so.0`, XDG_CACHE_HOME: folder.file('caches'), ...env } });
  const closed = new Promise((resolve) => { child.on('close', resolve); });
  const [output, complaints] = await Promise.all([text(child.stdout), text(child.stderr)]);
  assert.equal(await closed, 0, `${output}${complaints}`);
  return output;
}

before(async () => {
  cpSync(`${root}/server/clients/python`, folder.file('source'), { recursive: true });
  await python(['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--root-user-action=ignore', '--no-build-isolation',
    '--no-deps', '--no-index', '--target', folder.file('installed'), folder.file('source')], { PYTHONPATH: '' });
});

test('the installed package has the samples of the server and of libterrane, and says what is wrong', async () => {
  const output = await python([fileURLToPath(new URL('python/check.py', import.meta.url)), server.url, folder.file('cache'),
    `${root}/config/worlds`]);
  assert.deepEqual(output.trim().split('\n'), ['doctests', 'same_bits', 'objects', 'cached', 'refusals', 'patient', 'threads']);
});

test('the programs of its manual run', async () => {
  const manual = readFileSync(`${root}/server/clients/python/README.md`, 'utf8');
  const programs = [...manual.matchAll(/```python\n([\s\S]*?)```/g)].map(([, program]) => program);
  assert.equal(programs.length, 4);
  const outputs = [];
  for (const program of programs) outputs.push(await python(['-c', program.replaceAll('http://127.0.0.1:8080', server.url)]));
  assert.match(outputs[1], /^\d+ degrees at -548\d{4}, -1254\d{4}\n$|^\d+ degrees at -548\d{4}, -12550000\n$/);
  assert.match(outputs[2], /^\{.*\d+: \d+.*\}\n$/);
  const [, trees, apart] = /^(\d+) (\S+)\n$/.exec(outputs[3]);
  assert.ok(Number(trees) > 50 && Number(apart) < 0.01, outputs[3]);
});

test('the package has the version of the program', () => {
  const version = /TERRANE_VERSION "(.*)"/.exec(readFileSync(`${root}/core/terrane.h`, 'utf8'))[1];
  for (const [file, pattern] of [['pyproject.toml', /^version = "(.*)"$/m], ['terrane/__init__.py', /^__version__ = "(.*)"$/m]])
    assert.equal(pattern.exec(readFileSync(`${root}/server/clients/python/${file}`, 'utf8'))[1], version, file);
});
