/* Batches of chunks, and errors in requests for chunks. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startServer } from '../tools/server.mjs';
import { FORMATS, load, post, request } from './chunks.mjs';
import { crc32, records } from './samples.mjs';

test('a batch consists of the single chunks in the requested order', async () => {
  const chunks = [[0, 0], [-1, 5], [3, -2], [0, 0], [2 ** 33, -(2 ** 33)]];
  for (const format of FORMATS) {
    const { bytes, headers } = await post('/chunks', { format, size: 16, step: 2, apron: 1, t: 3, chunks });
    assert.equal(headers.get('content-type'), 'application/vnd.terrane.chunks');
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.equal(headers.get('x-terrane-grid'), '19x19');
    assert.equal(headers.get('x-terrane-step'), '2');
    assert.equal(headers.get('x-terrane-layers'), 'height');
    const found = records(bytes);
    assert.deepEqual(found.map(({ x, y }) => [Number(x), Number(y)]), chunks);
    for (const { magic, version, status, x, y, crc, payload } of found) {
      assert.deepEqual([magic, version, status], ['TRNC', 1, 200]);
      assert.equal(crc, crc32(payload));
      assert.ok(payload.equals((await load(`/chunks/${x}/${y}.${format}?size=16&step=2&apron=1`)).bytes), `${format} ${x} ${y}`);
    }
  }
});

test('a batch with nothing but places has the defaults of a chunk', async () => {
  const [{ payload }] = records((await post('/worlds/perlin/chunks', { chunks: [[7, 8]] })).bytes);
  assert.ok(payload.equals((await load('/worlds/perlin/chunks/7/8.r32f')).bytes));
  const layered = records((await post('/chunks', { layers: ['biome', 'height'], chunks: [[7, 8]] })).bytes);
  assert.ok(layered[0].payload.equals((await load('/chunks/7/8.r32f?layers=biome,height')).bytes));
  assert.equal((await post('/chunks', { chunks: [] })).bytes.length, 0);
});

test('a chunk beyond the edge of the world does not fail its batch', async () => {
  const edge = 2 ** 34; /* × 64 m = 2⁴⁰ m */
  const found = records((await post('/chunks', { chunks: [[edge - 1, 0], [edge, 0], [0, -edge - 1], [-edge, 1]] })).bytes);
  assert.deepEqual(found.map(({ status }) => status), [200, 404, 404, 200]);
  assert.deepEqual(found.map(({ payload }) => payload.length), [16900, 0, 0, 16900]);
  assert.equal(found[1].crc, 0);
});

test('a batch has up to 256 chunks and the configured number of samples', async () => {
  const chunks = Array.from({ length: 256 }, (_, i) => [i, -i]);
  assert.equal(records((await post('/chunks', { size: 1, chunks })).bytes).length, 256);
  const small = await startServer({ env: { TERRANE_CHUNK_SAMPLES: '10000' } });
  try {
    const status = async (target, body) => {
      const response = await fetch(small.url + target, body && { method: 'POST', body: JSON.stringify(body) });
      const answer = response.status === 200 ? null : await response.json();
      assert.ok(answer === null || /10000 samples/.test(answer.detail), answer?.detail);
      return response.status;
    };
    assert.equal(await status('/chunks/0/0.r32f?size=99'), 200);
    assert.equal(await status('/chunks/0/0.r32f?size=100'), 413);
    assert.equal(await status('/chunks/0/0.r32f?size=98&apron=1'), 413);
    assert.equal(await status('/chunks/0/0.r32f?size=69&layers=height,biome'), 200);
    assert.equal(await status('/chunks/0/0.r32f?size=70&layers=height,biome'), 413);
    assert.equal(await status('/chunks', { size: 49, chunks: [[0, 0], [1, 0], [2, 0], [3, 0]] }), 200);
    assert.equal(await status('/chunks', { size: 50, chunks: [[0, 0], [1, 0], [2, 0], [3, 0]] }), 413);
    assert.equal(await status('/worlds/caves/volumes/0/0/0.r32f?size=20'), 200);
    assert.equal(await status('/worlds/caves/volumes/0/0/0.r32f?size=21'), 413);
  } finally {
    await small.stop();
  }
});

/* Each bad request with its status and a word of the error. */
const bad = [
  ['/chunks/0/0', 404, 'ends in the format'], ['/chunks/0/0.bin', 404, 'r32f, r16'], ['/chunks/0/0.r8', 404, 'r32f, r16'],
  ['/chunks/0/0.R32F', 404, 'no format'], ['/chunks/a/0.r32f', 400, 'cx'], ['/chunks/0/b.r32f', 400, 'cy'],
  ['/chunks/1.5/0.r32f', 400, 'cx'], ['/chunks/0/1e3.r32f', 400, 'cy'], ['/chunks/+1/0.r32f', 400, 'cx'],
  ['/chunks/0x1/0.r32f', 400, 'cx'], ['/chunks/99999999999999999999/0.r32f', 400, 'cx'], ['/chunks/0/.r32f', 400, 'cy'],
  ['/chunks/17179869184/0.r32f', 404, '-17179869184 … 17179869183'], ['/chunks/0/-17179869185.r32f', 404, '-17179869184'],
  ['/chunks/9223372036854775807/0.r32f', 404, 'must be'], ['/chunks/0/-9223372036854775808.r32f?size=1', 404, 'must be'],
  ['/chunks/0/0.r32f?size=0', 400, 'size'], ['/chunks/0/0.r32f?size=1025', 400, '1024'], ['/chunks/0/0.r32f?size=-1', 400, 'size'],
  ['/chunks/0/0.r32f?size=big', 400, 'big'], ['/chunks/0/0.r32f?size=', 400, 'size'], ['/chunks/0/0.r32f?size=6.4e1', 400, 'size'],
  ['/chunks/0/0.r32f?step=0', 400, 'step'], ['/chunks/0/0.r32f?step=3', 400, 'power of two'], ['/chunks/0/0.r32f?step=-1', 400, 'step'],
  ['/chunks/0/0.r32f?step=0.03125', 400, '0.0625'], ['/chunks/0/0.r32f?step=131072', 400, '65536'], ['/chunks/0/0.r32f?step=inf', 400, 'inf'],
  ['/chunks/0/0.r32f?step=1.0001', 400, 'step'], ['/chunks/0/0.r32f?step=0x1', 400, 'step'], ['/chunks/0/0.r32f?step=1,0', 400, 'step'],
  ['/chunks/0/0.r32f?apron=9', 400, 'apron'], ['/chunks/0/0.r32f?apron=-1', 400, 'apron'], ['/chunks/0/0.r32f?apron=x', 400, 'apron'],
  ['/chunks/0/0.r32f?t=nan', 400, 't: must'], ['/chunks/0/0.r32f?t=1e13', 400, 't: must'], ['/chunks/0/0.r32f?t=', 400, 't: must'],
  ['/chunks/0/0.r32f?layers=heigt', 404, 'did you mean \\"height\\"'], ['/chunks/0/0.r32f?layers=', 400, 'empty'],
  ['/chunks/0/0.r32f?layers=height,', 400, 'empty'], ['/chunks/0/0.r32f?layers=height,height', 400, 'more than once'],
  ['/chunks/0/0.r32f?layers=height,biom', 404, 'biome'], ['/chunks/0/0.r32f?layers=Height', 404, 'height'],
  [`/chunks/0/0.r32f?layers=${'x'.repeat(64)}`, 400, 'so long'], [`/chunks/0/0.r32f?layers=${'%C3%A4'.repeat(31)}`, 404, 'unknown layer'],
  ['/chunks/0/0.png?layers=height,biome', 400, 'one layer'], ['/chunks/0/0.asc?layers=height,biome', 400, 'one layer'],
  ['/chunks/0/0.glb?layers=height,biome', 400, 'one layer'], ['/chunks/0/0.r32f?szie=64', 400, 'did you mean \\"size\\"'],
  ['/chunks/0/0.r32f?size=4&size=4', 400, 'more than once'], ['/chunks/0/0.r32f?zoom=3', 400, 'zoom'],
  ['/chunks/0/0.r32f?size=1024&apron=8&layers=height,biome,hills,detail', 413, '4194304 samples'],
  ['/worlds/tera/chunks/0/0.r32f', 404, 'terra'], ['/chunks/0.r32f', 404, ''], ['/chunks/0/0/0.r32f', 404, ''],
];

test('the error for a bad chunk request names the parameter', async () => {
  for (const [target, status, word] of bad) {
    const response = await request(target);
    const body = await response.text();
    assert.equal(response.status, status, `${target}: ${body}`);
    assert.equal(response.headers.get('content-type'), 'application/problem+json');
    assert.equal(response.headers.get('cache-control'), 'no-store');
    assert.ok(body.includes(word), `${target}: ${body}`);
    const { example } = JSON.parse(body);
    if (example) assert.equal((await request(example)).status, 200, example);
  }
});

const badBodies = [
  ['', 400, ''], ['[]', 400, 'object'], ['{}', 400, 'chunks'], ['{"chunks":{}}', 400, 'array'], ['{"chunks":[0]}', 400, 'chunks[0]'],
  ['{"chunks":[[0,0],[1]]}', 400, 'chunks[1]'], ['{"chunks":[[0,0,0]]}', 400, 'chunks[0]'], ['{"chunks":[[0,0.5]]}', 400, 'chunks[0]'],
  ['{"chunks":[["0","0"]]}', 400, 'chunks[0]'], ['{"chunks":[{"x":1,"y":2}]}', 400, 'chunks[0]'], ['{"chunks":[[null,0]]}', 400, 'chunks[0]'],
  ['{"chunks":[[0,99999999999999999999]]}', 400, 'chunks[0]'], ['{"chunks":[[0,0]],"size":0}', 400, 'size'],
  ['{"chunks":[[0,0]],"size":"64"}', 400, 'size'], ['{"chunks":[[0,0]],"size":null}', 400, 'size'], ['{"chunks":[[0,0]],"step":3}', 400, 'power of two'],
  ['{"chunks":[[0,0]],"apron":9}', 400, 'apron'], ['{"chunks":[[0,0]],"t":"now"}', 400, '\\"t\\"'], ['{"chunks":[[0,0]],"format":"bin"}', 400, 'r32f, r16'],
  ['{"chunks":[[0,0]],"format":7}', 400, 'format'], ['{"chunks":[[0,0]],"layers":"height"}', 400, 'array'], ['{"chunks":[[0,0]],"layers":[]}', 400, 'layers'],
  ['{"chunks":[[0,0]],"layers":[1]}', 400, 'names'], ['{"chunks":[[0,0]],"layers":["heigt"]}', 404, 'height'],
  ['{"chunks":[[0,0]],"layers":[""]}', 400, 'empty'], ['{"chunks":[[0,0]],"layers":["height","height"]}', 400, 'more than once'],
  ['{"chunks":[[0,0]],"format":"glb","layers":["height","biome"]}', 400, 'one layer'], ['{"chunks":[[0,0]],"chnks":1}', 400, 'did you mean'],
  ['{"chunks":[[0,0]],"chunks":[[0,0]]}', 400, 'chunks'], ['{"chunks":[[0,0]]} x', 400, ''], ['{"chunks":[[[[[0]]]]]}', 400, ''],
  [JSON.stringify({ chunks: Array.from({ length: 257 }, () => [0, 0]) }), 413, '256'],
  [JSON.stringify({ size: 1024, chunks: Array.from({ length: 4 }, () => [0, 0]) }), 413, '4194304'],
];

test('the error for a bad batch names the member', async () => {
  for (const [body, status, word] of badBodies) {
    const response = await request('/chunks', { method: 'POST', body });
    const answer = await response.text();
    assert.equal(response.status, status, `${body}: ${answer}`);
    assert.equal(response.headers.get('content-type'), 'application/problem+json');
    assert.ok(answer.includes(word), `${body}: ${answer}`);
  }
});
