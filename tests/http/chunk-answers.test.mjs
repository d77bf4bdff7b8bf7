/* The headers of chunks: codings, entity tags, pins, methods. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { startServer } from '../tools/server.mjs';
import { FORMATS, load, post, request, server, worlds } from './chunks.mjs';
import { ask, get } from './raw.mjs';
import { digest, records } from './samples.mjs';

test('a chunk is gzipped where Accept-Encoding allows it and it saves bytes', async () => {
  for (const format of FORMATS) {
    const target = `/chunks/4/4.${format}?size=64&step=16`;
    const plain = await ask(server.port, get(target));
    const zipped = await ask(server.port, get(target, 'Accept-Encoding: gzip\r\n'));
    const compresses = !['r16z', 'png'].includes(format);
    assert.equal(plain.headers['content-encoding'], undefined);
    assert.equal(plain.headers.vary, compresses ? 'Accept-Encoding' : undefined, format);
    assert.equal(zipped.headers['content-encoding'], compresses ? 'gzip' : undefined, format);
    assert.ok((compresses ? gunzipSync(zipped.body) : zipped.body).equals(plain.body), format);
    assert.equal(zipped.headers.etag !== plain.headers.etag, compresses, format);
    assert.ok(!compresses || zipped.body.length < 0.9 * plain.body.length, format);
  }
});

test('a conditional request is answered 304, before rendering', async () => {
  const other = await startServer({ arguments: ['--worlds', worlds.folder] });
  try {
    for (const format of FORMATS) {
      const target = `/chunks/77/-5.${format}`;
      const { headers } = await ask(server.port, get(target));
      assert.match(headers.etag, /^"[0-9a-f]{32}-[0-9a-f]+"$/);
      assert.equal(headers['cache-control'], 'no-cache');
      const answer = await ask(other.port, get(target, `If-None-Match: ${headers.etag}\r\n`));
      assert.equal(answer.status, 304, format);
      assert.equal(answer.headers.etag, headers.etag);
      assert.equal(answer.headers.vary, headers.vary);
      assert.equal(answer.headers['server-timing'], undefined);
    }
  } finally {
    await other.stop();
  }
});

test('entity tags differ wherever samples or bytes may', async () => {
  const targets = [
    ...FORMATS.map((format) => `/chunks/1/2.${format}`), '/chunks/2/1.r32f', '/chunks/-1/2.r32f', '/chunks/1/2.r32f?size=63',
    '/chunks/1/2.r32f?step=2', '/chunks/1/2.r32f?apron=1', '/chunks/1/2.r32f?layers=biome', '/chunks/1/2.r32f?layers=height,biome',
    '/chunks/1/2.r32f?layers=biome,height', '/worlds/terra~1/chunks/1/2.r32f', '/worlds/perlin/chunks/1/2.r32f',
  ];
  const tags = await Promise.all(targets.map(async (target) => (await load(target)).headers.get('etag')));
  assert.equal(new Set(tags).size, targets.length);
  assert.equal((await load('/chunks/1/2.r32f?size=64&step=1.0&apron=0&layers=height&t=5')).headers.get('etag'), tags[0]);
});

test('a pinned chunk is immutable, and an outdated pin gives 410', async () => {
  const { fingerprint } = await (await request('/worlds/clock')).json();
  const { headers, bytes } = await load(`/worlds/clock@${fingerprint}/chunks/1/1.r32f`);
  assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable');
  assert.ok((await load('/worlds/clock/chunks/1/1.r32f')).bytes.equals(bytes));
  assert.equal((await request(`/worlds/clock~2@${fingerprint}/chunks/1/1.r32f`)).status, 410);
  assert.equal((await request(`/worlds/clock~2@${fingerprint}/chunks`, { method: 'POST', body: '{"chunks":[]}' })).status, 410);
});

test('HEAD has the headers of GET and no body', async () => {
  const full = await ask(server.port, get('/chunks/0/1.r16z'));
  const answer = await ask(server.port, get('/chunks/0/1.r16z').replace('GET', 'HEAD'), 'HEAD');
  for (const name of ['etag', 'content-length', 'x-terrane-digest', 'x-terrane-grid']) {
    assert.equal(answer.headers[name], full.headers[name], name);
  }
  assert.equal(answer.rest.length, 0);
});

test('the descriptor of a world has the address and the sample limit of its chunks', async () => {
  const { urls, limits, fingerprint } = await (await request('/worlds/clock~7')).json();
  const values = { cx: -3, cy: 5, format: 'r32f' };
  const single = await load(urls.chunk.replace(/\{(\w+)\}/g, (_, key) => values[key]));
  assert.equal(single.headers.get('x-terrane-world'), fingerprint);
  assert.match(single.headers.get('cache-control'), /immutable/);
  const [{ payload }] = records((await post(urls.chunks, { chunks: [[-3, 5]] })).bytes);
  assert.ok(payload.equals(single.bytes));
  assert.equal(limits.chunks, 256);
  assert.equal(limits.chunk_samples, 4194304);
});

test('the Allow header lists the methods of the route', async () => {
  const wrong = await request('/chunks');
  assert.equal(wrong.status, 405);
  assert.equal(wrong.headers.get('allow'), 'POST, OPTIONS');
  assert.equal((await request('/chunks/0/0.r32f', { method: 'POST', body: '' })).status, 405);
  for (const target of ['/chunks', '/chunks/0/0.r32f']) assert.equal((await request(target, { method: 'OPTIONS' })).status, 204);
  assert.equal((await request('/chunks?size=3', { method: 'POST', body: '{}' })).status, 400);
});

test('a rendered chunk is in the memory cache, once for each coding', async () => {
  for (const target of ['/chunks/41/-17.r32f?size=32', '/chunks/41/-17.r16z?size=32', '/worlds/caves/volumes/0/0/3.r8?size=8']) {
    for (const coding of ['identity', 'zstd']) {
      const ask_ = () => ask(server.port, get(target, `Accept-Encoding: ${coding}\r\n`));
      const first = await ask_();
      const again = await ask_();
      const packs = !target.includes('r16z');
      assert.equal(first.headers['x-terrane-cache'], packs || coding === 'identity' ? 'render' : 'memory', target);
      assert.equal(again.headers['x-terrane-cache'], 'memory');
      assert.equal(again.headers['server-timing'], undefined);
      assert.ok(again.body.equals(first.body));
      for (const name of ['etag', 'content-encoding', 'x-terrane-digest', 'x-terrane-origin', 'x-terrane-layers', 'content-length']) {
        assert.equal(again.headers[name], first.headers[name], name);
      }
    }
  }
});

test('concurrent requests for one cold chunk render it once', async () => {
  const answers = await Promise.all(Array.from({ length: 100 }, () => load('/worlds/slow/chunks/3/4.r32f?size=64')));
  assert.equal(answers.filter(({ headers }) => headers.get('x-terrane-cache') === 'render').length, 1);
  for (const { bytes } of answers) assert.ok(bytes.equals(answers[0].bytes));
});
