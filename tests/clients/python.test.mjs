/* The Python package: built and installed by Debian's pip, then compared with a server, libterrane and plain HTTP. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../tools/folder.mjs';
import { serverOfFile, startServer } from '../tools/server.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = temporaryFolder();
const server = serverOfFile();

/* Its output; `begun` is called at the first of it. */
async function python(words, env = {}, begun = () => {}) {
  const child = spawn('/usr/bin/python3', words, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, PYTHONPATH: folder.file('installed'), PYTHONDONTWRITEBYTECODE: '1', no_proxy: '*',
      TERRANE_LIBRARY: `${dirname(process.env.TERRANE_BINARY)}/libterrane.so.0`, XDG_CACHE_HOME: folder.file('caches'), ...env } });
  child.stdout.once('data', begun);
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
  assert.deepEqual(output.trim().split('\n'), ['doctests', 'same_bits', 'objects', 'chunk_objects', 'digests', 'cached', 'refusals', 'patient', 'threads']);
});

/* East of x = 70 alone the ground rises by 1 m, so of three chunks of 32 m the first stays. */
test('following a world gives the new version, with and without events', async () => {
  const island = (height) => ({ generator: 1, seed: 'island', layers: { height } });
  for (const watch of [['--watch'], []]) {
    const worlds = temporaryFolder({ 'island.json': island('x') });
    const daemon = await startServer({ arguments: ['--worlds', worlds.path, ...watch] });
    try {
      const script = fileURLToPath(new URL('python/follow.py', import.meta.url));
      const output = await python([script, daemon.url, watch.length ? '600' : '0.05'], {}, () => {
        worlds.write('island.json', island('x + (x > 70 ? 1 : 0)'));
        if (!watch.length) process.kill(daemon.pid, 'SIGHUP');
      });
      const { fingerprint } = await (await fetch(`${daemon.url}/worlds/island`)).json();
      assert.equal(output, `ready\n${fingerprint} [(2, 0), (3, 0)] [69.0, 70.0, 72.0, 73.0]\n`);
    } finally {
      await daemon.stop();
    }
  }
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
