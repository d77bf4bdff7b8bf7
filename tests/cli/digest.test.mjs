/* terrane check --digest and --golden: digests of chunks, and whether a build computes right. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { digest as hash, floats } from '../http/samples.mjs';
import { serverOfFile } from '../tools/server.mjs';
import { binary, root, terrane } from './terrane.mjs';
import { temporaryFolder } from '../tools/folder.mjs';

/* The digest of an array of floats. */
const digest = (samples) => hash(Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength));

const folder = temporaryFolder({
  'worlds/plane.json': { generator: 1, seed: 7, layers: { height: { formula: '0.5 * x + t', unit: 'm' } } },
});
const server = serverOfFile({ arguments: ['--worlds', `${folder.path}/worlds`] });

const check = (...words) => terrane(['check', ...words], { cwd: folder.path });
const golden = JSON.parse(readFileSync(`${root}/config/golden.json`, 'utf8'));

async function samplesOf(world, { chunk, size, step, apron, layers, t }) {
  const answer = await fetch(`${server.url}/worlds/${world}/chunks/${chunk[0]}/${chunk[1]}.r32f`
    + `?size=${size}&step=${step}&apron=${apron}&layers=${layers}&t=${t}`);
  assert.equal(answer.status, 200);
  return floats(Buffer.from(await answer.arrayBuffer()));
}

test('the digest of a plane is that of the numbers by hand', () => {
  /* 0.5 · x + t at x = -64, -48, … 0 for each of five rows */
  const row = [-32, -24, -16, -8, 0].map((height) => height + 3);
  const own = digest(Float32Array.from([...row, ...row, ...row, ...row, ...row]));
  const words = ['--digest', '--worlds', 'worlds', '--world', 'plane', '--chunk', '-1,4', '--size', '4', '--step', '16',
    '--time', '3'];
  const { status, stdout, stderr } = check(...words);
  assert.equal(stderr, '');
  assert.equal(status, 0);
  assert.equal(stdout, `${own}\n`);
  assert.deepEqual(check(...words, own), { status: 0, stdout: 'same\n', stderr: '' });
});

test('the digest is the same as over HTTP', async () => {
  for (const [words, query] of [
    [[], 'chunk=0,0'],
    [['--chunk', '3,-2', '--size', '16', '--step', '0.5', '--apron', '2', '--layer', 'biome', '--layer', 'height'],
      'chunk=3,-2&size=16&step=0.5&apron=2&layers=biome,height'],
    [['--chunk', '3,-2', '--size', '16', '--layer', 'height', '--layer', 'materials'], 'chunk=3,-2&size=16&layers=height,materials'],
  ]) {
    const wanted = await (await fetch(`${server.url}/verify?${query}`)).json();
    assert.equal(check('--digest', ...words).stdout, `${wanted.digest}\n`);
    assert.deepEqual(JSON.parse(check('--digest', '--json', ...words).stdout), wanted);
  }
});

test('a different digest is an error with both digests', () => {
  const own = check('--digest').stdout.trim();
  const other = own.replace(/./, (digit) => (digit === '0' ? '1' : '0'));
  const { status, stdout, stderr } = check('--digest', other);
  assert.equal(status, 1);
  assert.equal(stdout, '');
  assert.ok(stderr.includes(own) && stderr.includes(other), stderr);
  const told = check('--digest', '--json', other);
  assert.equal(told.status, 1);
  assert.equal(JSON.parse(told.stdout).same, false);
  assert.equal(check('--digest', '--world', 'terra~1', own).status, 1, 'another seed');
});

test('wrong usage says what is allowed', () => {
  for (const [words, status, message] of [
    [['--digest', 'xyz'], 2, /32 hex digits/],
    [['--digest', '0'.repeat(32), 'more'], 2, /unexpected argument "more"/],
    [['--digest', '--golden'], 2, /only one of --digest, --golden, --program and --costs/],
    [['--golden', 'file.json'], 2, /unexpected argument/],
    [['--size', '3'], 2, /--size needs --digest/],
    [['--golden', '--world', 'terra'], 2, /--world needs --digest/],
    [['--digest', '--size', '1025'], 2, /from 1 to 1024/],
    [['--digest', '--chunk', '1'], 1, /CX,CY/],
    [['--digest', '--step', '3'], 1, /power of two from 0.0625 to 65536/],
    [['--digest', '--layer', 'hight'], 1, /did you mean "height"/],
    [['--digest', '--chunk', '99999999999999,0'], 1, /-17179869184 … 17179869183/],
  ]) {
    const result = check(...words);
    assert.equal(result.status, status, `${words}: ${result.stderr}`);
    assert.match(result.stderr, message);
  }
});

test('this build computes the golden digests', () => {
  assert.deepEqual(check('--golden'), { status: 0, stdout: `${golden.length} of ${golden.length} chunks are what they should be\n`, stderr: '' });
  const worlds = JSON.parse(terrane(['worlds', '--json']).stdout);
  const names = (worlds.worlds ?? worlds).map(({ name }) => name);
  assert.deepEqual([...new Set(golden.map(({ world }) => world))].sort(), names.sort(), 'every built-in world has some');
});

test('the golden digests are those of the samples, by an independent hash', async () => {
  for (const row of golden) assert.equal(digest(await samplesOf(row.world, row)), row.digest, `${row.world} ${row.chunk}`);
});

test('check --golden finds a build that computes different samples', () => {
  const { digest: right, world } = golden[4];
  const program = readFileSync(binary);
  const at = program.indexOf(right);
  assert.ok(at > 0);
  program[at] = program[at] === 0x30 ? 0x31 : 0x30;
  folder.write('broken', program);
  chmodSync(`${folder.path}/broken`, 0o755);
  const { status, stdout, stderr } = spawnSync(`${folder.path}/broken`, ['check', '--golden'], { encoding: 'utf8' });
  assert.equal(status, 1);
  assert.equal(stdout, `${golden.length - 1} of ${golden.length} chunks are what they should be\n`);
  assert.ok(stderr.startsWith(`${world}: `) && stderr.includes(right), stderr);
});
