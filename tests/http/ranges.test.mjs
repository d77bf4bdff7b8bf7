/* Parts of tiles, chunks and volumes by Range (RFC 9110, 13.1.5, 13.2.2, 14 and 15.5.17), and the programs that read a
 * GeoTIFF in this way. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { fromUrl } from 'geotiff';
import { missing, proxyOf } from '../fleet/parts.mjs';
import { temporaryFolder } from '../tools/folder.mjs';
import { samplesOf, server } from './chunks.mjs';
import { gdalIn } from './gdal.mjs';
import { ask, get } from './raw.mjs';

const gdal = gdalIn(temporaryFolder().path);
const lacking = missing('nginx');

/* Without Accept-Encoding, unless `headers` has one. */
const request = (target, headers = {}) =>
  ask(server.port, get(target, Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join('')));

const chunk = '/chunks/3/-2.r32f?size=16'; /* 17 · 17 floats: 1156 bytes */
const targets = [chunk, '/tiles/relief/9/260/255.png', '/tiles/relief/9/260/255.mvt', '/volumes/0/0/0.r8?size=4&layer=height'];

test('a range is 206 with its bytes and its place', async () => {
  for (const target of targets) {
    const { headers, body, status } = await request(target);
    assert.equal(status, 200);
    assert.equal(headers['accept-ranges'], 'bytes');
    const end = body.length;
    for (const [range, first, last] of [
      ['0-0', 0, 0], ['0-99', 0, 99], ['7-', 7, end - 1], ['-1', end - 1, end - 1], ['-100', end - 100, end - 1],
      [`${end - 1}-`, end - 1, end - 1], [`10-${end + 5}`, 10, end - 1], [`-${end + 1}`, 0, end - 1],
      ['00012-0000000000000000000000000000000000013', 12, 13], [`5-${'9'.repeat(40)}`, 5, end - 1]]) {
      const part = await request(target, { Range: `bytes=${range}` });
      assert.equal(part.status, 206, `${target} ${range}`);
      assert.equal(part.headers['content-range'], `bytes ${first}-${last}/${end}`);
      assert.ok(part.body.equals(body.subarray(first, last + 1)), `${target} ${range}`);
      for (const name of ['etag', 'content-type', 'cache-control', 'vary', 'accept-ranges', 'x-terrane-digest'])
        assert.equal(part.headers[name], headers[name], name);
    }
    assert.equal((await request(target, { Range: 'BYTES=1-2' })).status, 206);
    assert.ok((await request(target)).body.equals(body), 'the whole after its parts');
  }
});

test('a range without any byte is 416', async () => {
  for (const range of ['1156-', '1156-1200', '99999999999999999999999-', '-0', '18446744073709551616-18446744073709551617']) {
    const { status, headers, body } = await request(chunk, { Range: `bytes=${range}` });
    assert.equal(status, 416, range);
    assert.equal(headers['content-range'], 'bytes */1156');
    assert.equal(headers['cache-control'], 'no-store');
    assert.equal(JSON.parse(body).type, 'https://terrane.dev/problems/range');
  }
});

test('several ranges, other units and what does not parse are ignored', async () => {
  for (const range of ['bytes=0-1,4-5', 'bytes=0-1,', 'bytes=5-4', 'bytes=', 'bytes=-', 'bytes=a-b', 'bytes=1', 'bytes=-5-6', 'bytes=1-2 3',
    'bytes=0x1-2', 'bytes=+1-2', 'items=0-1', 'bytes 0-1', 'bytes']) {
    const { status, headers, body } = await request(chunk, { Range: range });
    assert.equal(status, 200, range);
    assert.equal(headers['content-range'], undefined);
    assert.equal(body.length, 1156);
  }
});

/* Each is one value, so a second line of its name makes the whole malformed (RFC 9110, 5.3). */
test('two Range or If-Range headers are ignored', async () => {
  const { headers: { etag } } = await request(chunk);
  const one = 'Range: bytes=0-3\r\n';
  assert.equal((await ask(server.port, get(chunk, `${one}If-Range: ${etag}\r\n`))).status, 206);
  for (const lines of [one + one, `${one}range: bytes=4-7\r\n`, `Range: items=0-1\r\n${one}`, `${one}Range:\r\n`, one.repeat(3),
    `${one}If-Range: ${etag}\r\nIf-Range: ${etag}\r\n`, `${one}If-Range: "another"\r\nif-range: ${etag}\r\n`]) {
    const { status, headers, body } = await ask(server.port, get(chunk, lines));
    assert.equal(status, 200, lines);
    assert.equal(headers['content-range'], undefined);
    assert.equal(body.length, 1156);
  }
});

test('an empty answer has no ranges', async () => {
  const target = '/worlds/fire/tiles/height/0/0/0.mvt?interval=100000';
  assert.equal((await request(target, { Range: 'bytes=-5' })).status, 200);
  assert.equal((await request(target, { Range: 'bytes=0-' })).status, 416);
});

test('If-Range makes it the whole unless it is the entity tag', async () => {
  const { headers: { etag } } = await request(chunk);
  const statusFor = async (condition) => (await request(chunk, { Range: 'bytes=0-3', 'If-Range': condition })).status;
  assert.equal(await statusFor(etag), 206);
  for (const condition of [`W/${etag}`, '"another"', etag.slice(1, -1), '*', 'Sun, 22 Nov 2026 20:00:00 GMT', new Date().toUTCString()])
    assert.equal(await statusFor(condition), 200, condition);
});

test('If-None-Match goes before Range', async () => {
  const { headers: { etag } } = await request(chunk);
  for (const range of ['0-3', '9999-']) {
    assert.equal((await request(chunk, { Range: `bytes=${range}`, 'If-None-Match': etag })).status, 304);
    assert.equal((await request(chunk, { Range: `bytes=${range}`, 'If-None-Match': '"x"' })).status, range === '0-3' ? 206 : 416);
  }
});

test('Range is of GET alone, and of answers that say so', async () => {
  const head = await ask(server.port, get(chunk, 'Range: bytes=0-3\r\n').replace('GET', 'HEAD'), 'HEAD');
  assert.equal(head.status, 200);
  assert.deepEqual([head.headers['accept-ranges'], head.headers['content-length']], ['bytes', '1156']);
  for (const target of ['/at?x=0&y=0', '/tiles.json', '/version', '/']) {
    const { status, headers } = await request(target, { Range: 'bytes=0-3' });
    assert.equal(status, 200, target);
    assert.equal(headers['accept-ranges'], undefined);
  }
});

test('a range is of the bytes in their content coding', async () => {
  const target = '/chunks/3/-2.json?size=16';
  const coded = { 'Accept-Encoding': 'gzip' };
  const plain = await request(target);
  const whole = await request(target, coded);
  const size = whole.body.length;
  assert.ok(size < plain.body.length / 2);
  const [front, back] = await Promise.all([`0-${size - 8}`, `${size - 7}-`].map((range) => request(target, { ...coded, Range: `bytes=${range}` })));
  for (const part of [front, back]) {
    assert.deepEqual([part.status, part.headers['content-encoding'], part.headers.etag], [206, 'gzip', whole.headers.etag]);
    assert.equal(part.headers['content-range'].split('/')[1], String(size));
  }
  assert.ok(gunzipSync(Buffer.concat([front.body, back.body])).equals(plain.body));
  const other = await request(target, { Range: 'bytes=0-3', 'If-Range': whole.headers.etag });
  assert.equal(other.status, 200, 'the tag of another coding');
});

test('a pinned answer is immutable in parts, too', async () => {
  const { fingerprint } = JSON.parse((await request('/worlds/perlin')).body);
  const { status, headers } = await request(`/worlds/perlin@${fingerprint}/chunks/0/0.r32f`, { Range: 'bytes=4-7' });
  assert.deepEqual([status, headers['cache-control']], [206, 'public, max-age=31536000, immutable']);
});

test('a page of another origin may ask for ranges', async () => {
  const { headers } = await ask(server.port, get(chunk).replace('GET', 'OPTIONS'));
  const allowed = headers['access-control-allow-headers'].split(', ');
  assert.ok(['Range', 'If-Range', 'If-None-Match', 'Content-Type'].every((name) => allowed.includes(name)));
  const exposed = (await request(chunk, { Range: 'bytes=0-3' })).headers['access-control-expose-headers'].split(', ');
  assert.ok(['Accept-Ranges', 'Content-Range', 'ETag'].every((name) => exposed.includes(name)));
});

test('what is too large for the caches is made once for all of its parts', async () => {
  const target = '/worlds/perlin/chunks/5/5.tif?size=1024';
  const tier = async (headers) => (await request(target, headers)).headers['x-terrane-cache'];
  assert.equal(await tier(), 'render');
  assert.equal(await tier(), 'render', 'the whole is in no cache');
  assert.equal(await tier({ Range: 'bytes=0-16383' }), 'render');
  assert.equal(await tier({ Range: 'bytes=16384-32767' }), 'memory');
});

for (const cache of ['off', 'tiles']) {
  test(`nginx with proxy_cache ${cache} gives parts and then the whole`, { skip: lacking.length > 0 && 'nginx is not installed' }, async () => {
    const proxy = await proxyOf([server.port, server.port, server.port], [['proxy_cache off;', `proxy_cache ${cache};`]]);
    const { fingerprint } = JSON.parse((await request('/worlds/perlin')).body);
    const target = `/worlds/perlin@${fingerprint}/chunks/7/${cache.length}.r32f?size=64`; /* nginx keeps what is pinned */
    const { body } = await request(target);
    try {
      await proxy.nginx.start();
      const through = async (headers) => {
        const response = await fetch(proxy.url + target, { headers: { 'accept-encoding': 'identity', ...headers } });
        return [response.status, response.headers.get('content-range'), Buffer.from(await response.arrayBuffer())];
      };
      const part = [206, `bytes 100-199/${body.length}`, body.subarray(100, 200)];
      assert.deepEqual(await through({ Range: 'bytes=100-199' }), part);
      assert.deepEqual(await through(), [200, null, body]);
      assert.deepEqual(await through({ Range: 'bytes=100-199' }), part);
      assert.deepEqual((await through({ Range: `bytes=${body.length}-` })).slice(0, 2), [416, `bytes */${body.length}`]);
    } finally {
      await proxy.stop();
    }
  });
}

/* Places of every part of a chunk of 1025 · 1025 samples: column and row. */
const places = Array.from({ length: 64 }, (_, i) => [(i * 397) % 1025, (i * 641 + 5) % 1025]);
const tif = '/worlds/highlands/chunks/-1/2.tif?size=1024&step=2';

test('GDAL reads a chunk by its address', async () => {
  const samples = await samplesOf(tif.replace('.tif', '.r32f'));
  const source = `/vsicurl/${server.url}${tif}`;
  const info = JSON.parse(await gdal('gdalinfo', ['-json', source]));
  assert.deepEqual(info.size, [1025, 1025]);
  const values = await gdal('gdallocationinfo', ['-valonly', source], places.map((place) => `${place.join(' ')}\n`).join(''));
  assert.deepEqual(values.trim().split('\n').map((value) => Math.fround(Number(value))),
    places.map(([column, row]) => samples[1025 * row + column]));
});

test('geotiff.js reads a chunk by its address', async () => {
  const samples = await samplesOf(tif.replace('.tif', '.r32f'));
  const image = await (await fromUrl(server.url + tif)).getImage();
  assert.deepEqual([image.getWidth(), image.getHeight()], [1025, 1025]);
  const [, column0, row0, size, step] = tif.match(/chunks\/(-?\d+)\/(-?\d+)\.tif\?size=(\d+)&step=(\d+)/).map(Number);
  const corner = [column0, row0].map((index) => index * size * step - step / 2);
  assert.deepEqual(image.getOrigin(), [corner[0], -corner[1], 0], 'half a step to the north-west of the first sample');
  for (const [column, row] of places.slice(0, 16)) {
    const [[value]] = await image.readRasters({ window: [column, row, column + 1, row + 1] });
    assert.equal(value, samples[1025 * row + column]);
  }
});
