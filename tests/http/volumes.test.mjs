/* Volumes: samples in three dimensions and over time. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serverOfFile } from '../tools/server.mjs';
import { ask, get } from './raw.mjs';
import { digest, floats } from './samples.mjs';

const server = serverOfFile();

async function load(target) {
  const response = await fetch(server.url + target);
  const bytes = Buffer.from(await response.arrayBuffer());
  assert.equal(response.status, 200, `${target}: ${bytes.subarray(0, 300)}`);
  return { headers: response.headers, bytes };
}

test('samples are those of /at at the same level of detail, with z slowest', async () => {
  for (const [world, [cx, cy, cz], size, zoom, t] of [
    ['caves', [0, 0, 0], 2, 17, 0], ['caves', [-3, 5, 1], 3, 16, 0], ['fog', [7, -2, -1], 2, 13, 12.5], ['caves', [1, 1, 20], 1, 18, 0],
  ]) {
    const step = 2 ** (17 - zoom);
    const side = size + 1;
    const { bytes, headers } = await load(`/worlds/${world}/volumes/${cx}/${cy}/${cz}.r32f?size=${size}&step=${step}&t=${t}`);
    const samples = floats(bytes);
    assert.equal(samples.length, side ** 3);
    assert.equal(headers.get('x-terrane-grid'), `${side}x${side}x${side}`);
    assert.equal(headers.get('x-terrane-origin'), [cx, cy, cz].map((index) => index * size * step).join());
    for (let k = 0; k < samples.length; k += 1) {
      const [x, y, z] = [(cx * size + (k % side)) * step, (cy * size + (Math.floor(k / side) % side)) * step,
        (cz * size + Math.floor(k / side ** 2)) * step];
      const at = await (await fetch(`${server.url}/worlds/${world}/at?x=${x}&y=${y}&z=${z}&t=${t}&zoom=${zoom}`)).json();
      assert.equal(samples[k], Math.fround(at.layers.density), `${world} ${x} ${y} ${z}`);
    }
    assert.ok(new Set(samples).size > 3, 'it is not all the same');
  }
});

test('neighbours share their faces', async () => {
  const cube = async (x, y, z) => floats((await load(`/worlds/caves/volumes/${x}/${y}/${z}.r32f?size=6&step=4`)).bytes);
  const [here, east, south, above] = [await cube(-1, 2, 3), await cube(0, 2, 3), await cube(-1, 3, 3), await cube(-1, 2, 4)];
  const at = (samples, x, y, z) => samples[(z * 7 + y) * 7 + x];
  for (let i = 0; i < 7; i++) {
    for (let j = 0; j < 7; j++) {
      assert.equal(at(here, 6, i, j), at(east, 0, i, j));
      assert.equal(at(here, i, 6, j), at(south, i, 0, j));
      assert.equal(at(here, i, j, 6), at(above, i, j, 0));
    }
  }
});

test('r8 and json are the same samples', async () => {
  for (const [world, layer] of [['caves', 'density'], ['fog', 'density'], ['fog', 'height']]) {
    const target = `/worlds/${world}/volumes/2/-1/1`;
    const query = `?layer=${layer}&size=5&step=8&t=3`;
    const { bytes, headers } = await load(`${target}.r32f${query}`);
    const samples = floats(bytes);
    assert.equal(headers.get('x-terrane-digest'), digest(bytes));
    const { layers } = await (await fetch(`${server.url}/worlds/${world}`)).json();
    const [low, high] = layers.find(({ name }) => name === layer).range.map(Math.fround);
    const small = await load(`${target}.r8${query}`);
    assert.equal(small.headers.get('x-terrane-digest'), digest(bytes));
    const scaled = Array.from(samples, (value) => Math.max(0, Math.min(255, Math.floor(((value - low) / (high - low)) * 255 + 0.5))));
    assert.deepEqual([...small.bytes], scaled);
    assert.match(small.headers.get('x-terrane-encoding'), /^uint8; value \/ 255 \* \S+ \+ \S+$/);
    const document = JSON.parse((await load(`${target}.json${query}`)).bytes);
    assert.deepEqual(document.grid, [6, 6, 6]);
    assert.deepEqual(document.origin, [80, -40, 40]);
    assert.deepEqual(document.samples[layer].flat(2).map(Math.fround), [...samples]);
    assert.equal(document.samples[layer][0][0].length, 6);
  }
});

test('r8 of a range around 0 has 128 and more where the ground is solid', async () => {
  const samples = floats((await load('/worlds/caves/volumes/0/0/3.r32f')).bytes);
  const small = (await load('/worlds/caves/volumes/0/0/3.r8')).bytes;
  assert.equal(small.length, 33 ** 3);
  samples.forEach((value, i) => assert.equal(value >= 0, small[i] >= 128));
  assert.ok(samples.some((value) => value < 0) && samples.some((value) => value > 0), 'rock and air');
});

test('entity tags, pins and 304', async () => {
  const { fingerprint } = await (await fetch(`${server.url}/worlds/fog`)).json();
  const tag = async (target) => (await load(target)).headers.get('etag');
  const base = '/worlds/fog/volumes/0/0/0.r32f?size=1';
  const tags = [await tag(base), await tag(`${base}&t=1`), await tag(`${base}&layer=view`), await tag('/worlds/fog/volumes/0/0/1.r32f?size=1'),
    await tag('/worlds/fog/volumes/0/0/0.json?size=1'), await tag('/worlds/fog/chunks/0/0.r32f?size=1&layers=density')];
  assert.equal(new Set(tags).size, tags.length);
  const plain = await ask(server.port, get(base));
  const known = await ask(server.port, get(base, `If-None-Match: ${plain.headers.etag}\r\n`));
  assert.equal(known.status, 304);
  const pinned = await load(`/worlds/fog@${fingerprint}/volumes/0/0/0.r32f?size=1`);
  assert.equal(pinned.headers.get('cache-control'), 'public, max-age=31536000, immutable');
});

test('the error for a bad volume request names the parameter', async () => {
  for (const [target, status, word] of [
    ['/volumes/0/0/0.r32f', 404, 'unknown layer \\"density\\"'], ['/worlds/caves/volumes/0/0/0.r32f?layer=densty', 404, 'density'],
    ['/worlds/caves/volumes/0/0/0.png', 404, 'r32f, r8, json'], ['/worlds/caves/volumes/0/0/0', 404, 'format'],
    ['/worlds/caves/volumes/0/0/z.r32f', 400, 'cz'], ['/worlds/caves/volumes/a/0/0.r32f', 400, 'cx'], ['/worlds/caves/volumes/0/0.5/0.r32f', 400, 'cy'],
    ['/worlds/caves/volumes/0/0/0.r32f?size=129', 400, '128'], ['/worlds/caves/volumes/0/0/0.r32f?size=0', 400, 'size'],
    ['/worlds/caves/volumes/0/0/0.r32f?step=5', 400, 'power of two'], ['/worlds/caves/volumes/0/0/0.r32f?t=x', 400, 't: must'],
    ['/worlds/caves/volumes/0/0/0.r32f?apron=1', 400, 'apron'], ['/worlds/caves/volumes/0/0/0.r32f?layers=density', 400, 'layer'],
    ['/worlds/caves/volumes/0/0/0.r32f?layer=density,height', 404, 'unknown layer'], ['/worlds/caves/volumes/0/0/0.r32f?layer=', 400, 'empty'],
    ['/worlds/caves/volumes/0/0/34359738368.r32f', 404, '-34359738368 … 34359738367'], ['/worlds/caves/volumes/0/0.r32f', 404, ''],
  ]) {
    const response = await fetch(server.url + target);
    const body = await response.text();
    assert.equal(response.status, status, `${target}: ${body}`);
    assert.ok(body.includes(word), `${target}: ${body}`);
    const { example } = JSON.parse(body);
    if (example) assert.equal((await fetch(server.url + example)).status, 200, example);
  }
});
