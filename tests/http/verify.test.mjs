/* /verify: a client that samples by itself compares its digest with the server's. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serverOfFile } from '../tools/server.mjs';
import { makeWorlds } from './worlds.mjs';
import { digest as hash, floats } from './samples.mjs';

/* The digest of an array of floats. */
const digest = (samples) => hash(Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength));

const worlds = makeWorlds();
const server = serverOfFile({ arguments: ['--worlds', worlds.folder] });

const ask = (target, options) => fetch(server.url + target, options);
const json = async (target) => {
  const answer = await ask(target);
  assert.equal(answer.status, 200, target);
  return answer.json();
};

/* path of the world, chunk, other parameters */
const chunks = [
  ['', [0, 0], ''],
  ['', [-3, 7], 'size=16&step=0.25'],
  ['/worlds/terra~9', [5, -5], 'size=8&step=64&apron=2'],
  ['/worlds/terra', [1, 1], 'size=4&layers=biome,height,water_level'],
  ['/worlds/clock', [0, 0], 'size=2&layers=tide&t=12.5'],
  ['', [34359738367, -34359738368], 'size=32'],
];

test('/verify has the digest of /chunks, which an independent hash confirms', async () => {
  for (const [world, [cx, cy], order] of chunks) {
    const chunk = await ask(`${world}/chunks/${cx}/${cy}.r32f?${order}`);
    const samples = floats(Buffer.from(await chunk.arrayBuffer()));
    const own = digest(samples);
    const target = `${world}/verify?chunk=${cx},${cy}&${order}&digest=${own}`.replace('&&', '&');
    const answer = await json(target);
    assert.equal(answer.same, true, target);
    assert.equal(answer.digest, own);
    assert.equal(answer.expected, own);
    assert.equal(chunk.headers.get('x-terrane-digest'), own);
    assert.equal(answer.fingerprint, chunk.headers.get('x-terrane-world'));
    assert.deepEqual(answer.chunk, [cx, cy]);
    assert.deepEqual(answer.layers.join(), chunk.headers.get('x-terrane-layers'));
    assert.equal(String(answer.step), chunk.headers.get('x-terrane-step'));

    /* One different bit in one sample gives another digest. */
    const bits = new Uint32Array(samples.slice().buffer);
    bits[bits.length - 1] ^= 1;
    const wrong = digest(new Float32Array(bits.buffer));
    const differs = await json(`${world}/verify?chunk=${cx},${cy}&${order}&digest=${wrong}`.replace('&&', '&'));
    assert.equal(differs.same, false);
    assert.equal(differs.digest, own);
    assert.equal(differs.expected, wrong);
  }
});

test('/verify without a digest compares nothing, and digests may be in upper case', async () => {
  const answer = await json('/verify?chunk=0,0');
  assert.equal(answer.same, null);
  assert.equal(answer.expected, null);
  assert.equal((await json(`/verify?chunk=0,0&digest=${answer.digest.toUpperCase()}`)).same, true);
  assert.deepEqual(await json('/verify?chunk=0,0&size=64&step=1&apron=0&layers=height&t=0&pretty=1'), answer, 'the defaults');
});

test('the text form is one word', async () => {
  const { digest: own } = await json('/verify?chunk=0,0');
  const text = async (more) => (await ask(`/verify?chunk=0,0&format=text${more}`)).text();
  assert.equal(await text(''), `${own}\n`);
  assert.equal(await text(`&digest=${own}`), 'same\n');
  assert.equal(await text(`&digest=${'0'.repeat(32)}`), 'different\n');
});

test('comparisons and forms have different entity tags, and a pinned response is immutable', async () => {
  const targets = ['/verify?chunk=0,0', '/verify?chunk=0,1', '/verify?chunk=0,0&format=text', '/verify?chunk=0,0&pretty=1',
    `/verify?chunk=0,0&digest=${'0'.repeat(32)}`, '/verify?chunk=0,0&layers=biome', '/verify?chunk=0,0&t=1',
    '/worlds/terra~1/verify?chunk=0,0'];
  const tags = await Promise.all(targets.map(async (target) => (await ask(target)).headers.get('etag')));
  assert.equal(new Set(tags).size, targets.length);
  const known = await ask(targets[0], { headers: { 'if-none-match': tags[0] } });
  assert.equal(known.status, 304);
  assert.equal(known.headers.get('etag'), tags[0]);
  const { fingerprint } = await json('/verify?chunk=0,0');
  const pinned = await ask(`/worlds/terra@${fingerprint}/verify?chunk=0,0`);
  assert.match(pinned.headers.get('cache-control'), /immutable/);
  assert.equal((await ask('/verify?chunk=0,0')).headers.get('cache-control'), 'no-cache');
});

test('a world\'s descriptor has the addresses of /verify and of volumes', async () => {
  const fill = (template, values) => template.replace(/\{(\w+)\}/g, (_, key) => values[key]);
  const { urls } = await json('/worlds/caves');
  const values = { cx: -3, cy: 5, cz: 1, layer: 'density', format: 'r32f', digest: '0'.repeat(32) };
  const answer = await ask(fill(urls.volume, values));
  assert.equal((await answer.arrayBuffer()).byteLength, 4 * 33 ** 3);
  const { urls: flat } = await json('/worlds/terra');
  assert.equal((await json(fill(flat.verify, values))).same, false);
});

/* query, status, parameter */
const wrong = [
  ['', 400, 'chunk'],
  ['chunk=', 400, 'chunk'],
  ['chunk=1', 400, 'chunk'],
  ['chunk=1,', 400, 'chunk'],
  ['chunk=1,2,3', 400, 'chunk'],
  ['chunk=1.5,2', 400, 'chunk'],
  ['chunk=0x1,2', 400, 'chunk'],
  ['chunk=9223372036854775808,0', 400, 'chunk'],
  ['chunk=0,0&digest=', 400, 'digest'],
  ['chunk=0,0&digest=abc', 400, 'digest'],
  [`chunk=0,0&digest=${'g'.repeat(32)}`, 400, 'digest'],
  [`chunk=0,0&digest=${'0'.repeat(33)}`, 400, 'digest'],
  ['chunk=0,0&size=0', 400, 'size'],
  ['chunk=0,0&size=1025', 400, 'size'],
  ['chunk=0,0&step=3', 400, 'step'],
  ['chunk=0,0&apron=9', 400, 'apron'],
  ['chunk=0,0&t=x', 400, 't'],
  ['chunk=0,0&layers=height,height', 400, 'layers'],
  ['chunk=0,0&format=csv', 400, 'format'],
  ['chunk=0,0&layer=height', 400, 'layer'],
  ['chunk=0,0&layers=hight', 404, 'layers'],
  ['chunk=34359738368,0&size=32', 404, 'chunk'],
  ['chunk=0,0&size=1024&layers=height,biome,water_level,temperature', 413, 'size'],
];

test('an error names the parameter and has a working example', async () => {
  for (const [query, status, parameter] of wrong) {
    const answer = await ask(`/verify?${query}`.replace(/\?$/, ''));
    const problem = await answer.json();
    assert.equal(answer.status, status, `${query}: ${problem.detail}`);
    assert.equal(answer.headers.get('content-type'), 'application/problem+json');
    assert.equal(problem.parameter, parameter, query);
    if (problem.example) assert.equal((await ask(problem.example)).status, 200, problem.example);
  }
});
