/* Chunks: vertices with the same bits as everywhere else. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FORMATS, batchOf, load, post, request, samplesOf, vertices } from './chunks.mjs';
import { digest, floats } from './samples.mjs';

async function heights(body, world = '') {
  return JSON.parse((await post(`${world}/heights`, body)).bytes).heights.map(Math.fround);
}

test('vertices have the bits that /heights gives at the same level of detail', async () => {
  for (const [cx, cy, size, zoom] of [
    [0, 0, 16, 17], [-1, -1, 16, 17], [3, -2, 64, 17], [-7, 5, 5, 20], [100, 1000, 31, 15], [-4, 4, 8, 9], [1, -2, 4, 1],
    [2 ** 35, -(2 ** 35), 16, 17], [-(2 ** 36), 2 ** 36 - 1, 16, 17],
  ]) {
    const step = 2 ** (17 - zoom);
    const points = vertices(cx, cy, size, step);
    const samples = await samplesOf(`/chunks/${cx}/${cy}.r32f?size=${size}&step=${step}`);
    assert.deepEqual([...samples], await heights({ points, zoom }), `${cx} ${cy} ${size} ${step}`);
    assert.ok(new Set(samples).size > size, 'the ground is not level');
  }
});

test('vertices of all layers are those of /at', async () => {
  const world = await (await request('/worlds/terra')).json();
  const names = world.layers.map(({ name }) => name).slice(-15);
  const layers = ['biome', ...names.filter((name) => name !== 'biome')].slice(0, 16);
  const samples = await samplesOf(`/chunks/5/-9.r32f?size=4&step=8&layers=${layers}`);
  assert.equal(samples.length, 25 * layers.length);
  for (const k of [0, 7, 24]) {
    const [x, y] = vertices(5, -9, 4, 8)[k];
    const at = await (await request(`/at?x=${x}&y=${y}&zoom=14`)).json();
    layers.forEach((name, i) => assert.equal(samples[25 * i + k], Math.fround(at.layers[name]), `${name} at ${x} ${y}`));
  }
  assert.equal(world.biomes.length > samples[0] && Number.isInteger(samples[0]), true);
});

test('t is the time of layers that depend on it', async () => {
  const base = '/worlds/clock/chunks/0/0.r32f?size=1&layers=tide,height';
  const still = await samplesOf(base);
  assert.deepEqual([...await samplesOf(`${base}&t=12.5`)], [12.5, 12.5, 12.5, 12.5, ...still.slice(4)]);
  assert.deepEqual([...still.slice(0, 4)], [0, 0, 0, 0]);
  const tag = async (target) => (await load(target)).headers.get('etag');
  assert.notEqual(await tag(base), await tag(`${base}&t=12.5`));
  const height = '/worlds/clock/chunks/0/0.r32f?size=1';
  assert.equal(await tag(height), await tag(`${height}&t=12.5`));
});

test('neighbouring chunks have the same samples where they overlap, at every step, near and far, with aprons', async () => {
  for (let power = -4; power <= 16; power++) {
    const step = 2 ** power;
    const size = [8, 7, 16][(power + 4) % 3];
    const apron = [0, 3, 1, 0][(power + 4) % 4];
    const side = size + 1 + 2 * apron;
    const edge = Math.floor(2 ** 40 / (size * step));
    const far = [[edge - 2, -edge], [-edge, edge - 2], [-edge, -edge]];
    for (const [cx, cy] of [[0, 0], [-1, -1], [-1, 0], [1234, -4321], [-98765, 43210 % edge], ...far]) {
      const name = `${cx} ${cy}, size ${size}, step ${step}, apron ${apron}`;
      const places = [[cx, cy], [cx + 1, cy], [cx, cy + 1], [cx + 1, cy + 1]];
      const [here, east, south, both] = await batchOf(places, { size, step, apron });
      assert.ok(new Set(here).size > size, `the ground is not level: ${name}`);
      for (let i = 0; i < side; i++) {
        for (let k = 0; k + size < side; k++) {
          assert.equal(here[i * side + size + k], east[i * side + k], `east of ${name}`);
          assert.equal(here[(size + k) * side + i], south[k * side + i], `south of ${name}`);
          assert.equal(south[i * side + size + k], both[i * side + k], `south-east of ${name}`);
        }
      }
    }
  }
});

test('a chunk of twice the size equals four chunks', async () => {
  for (const [cx, cy, step] of [[0, 0, 1], [-3, 2, 0.0625], [-(2 ** 20), 2 ** 20 - 1, 65536], [2 ** 34 - 1, -(2 ** 34), 4]]) {
    const [large] = await batchOf([[cx, cy]], { size: 16, step });
    const places = [0, 1, 2, 3].map((i) => [2 * cx + (i % 2), 2 * cy + (i >> 1)]);
    (await batchOf(places, { size: 8, step })).forEach((small, i) => small.forEach((sample, k) => {
      const [column, row] = [8 * (i % 2) + (k % 9), 8 * (i >> 1) + Math.floor(k / 9)];
      assert.equal(large[17 * row + column], sample, `${places[i]} at ${step}`);
    }));
  }
});

test("an apron has the neighbours' samples", async () => {
  const [size, apron] = [8, 3];
  const wide = size + 1 + 2 * apron;
  const { bytes, headers } = await load(`/chunks/-1/2.r32f?size=${size}&apron=${apron}&step=16`);
  const samples = floats(bytes);
  assert.equal(headers.get('x-terrane-grid'), `${wide}x${wide}`);
  assert.equal(headers.get('x-terrane-origin'), `${(-size - apron) * 16},${(2 * size - apron) * 16}`);
  for (let dy = -1; dy <= 1; dy++) {
    for (let dx = -1; dx <= 1; dx++) {
      const near = await samplesOf(`/chunks/${-1 + dx}/${2 + dy}.r32f?size=${size}&step=16`);
      for (let j = 0; j <= size; j++) {
        for (let i = 0; i <= size; i++) {
          const [column, row] = [apron + dx * size + i, apron + dy * size + j];
          if (column < 0 || row < 0 || column >= wide || row >= wide) continue;
          assert.equal(samples[row * wide + column], near[j * (size + 1) + i], `${dx} ${dy} ${i} ${j}`);
        }
      }
    }
  }
});

test('the headers describe the samples', async () => {
  const { fingerprint } = await (await request('/worlds/terra')).json();
  const { headers, bytes } = await load('/chunks/3/-2.r32f?step=0.5&layers=height,biome');
  assert.equal(headers.get('x-terrane-world'), fingerprint);
  assert.equal(headers.get('x-terrane-grid'), '65x65');
  assert.equal(headers.get('x-terrane-origin'), '96,-64');
  assert.equal(headers.get('x-terrane-step'), '0.5');
  assert.equal(headers.get('x-terrane-layers'), 'height,biome');
  assert.equal(headers.get('x-terrane-encoding'), 'float32, low byte first');
  assert.equal(headers.get('x-terrane-digest'), digest(bytes));
  assert.equal(headers.get('content-type'), 'application/octet-stream');
  assert.equal(headers.get('access-control-allow-origin'), '*');
  assert.match(headers.get('server-timing'), /^render;dur=\d+\.\d{3}, encode;dur=\d+\.\d{3}, queue;dur=\d+\.\d{3}$/);
  const exposed = headers.get('access-control-expose-headers').split(', ');
  for (const name of ['ETag', 'Server-Timing', 'X-Terrane-Digest', 'X-Terrane-World', 'X-Terrane-Grid', 'X-Terrane-Origin',
    'X-Terrane-Step', 'X-Terrane-Layers', 'X-Terrane-Encoding']) {
    assert.ok(exposed.includes(name), name);
  }
  assert.equal(bytes.length, 4 * 65 * 65 * 2);
});

test('the digest is that of the float samples, in every format and encoding', async () => {
  for (const query of ['size=20&step=32', 'size=20&step=32&apron=2']) {
    const expected = digest((await load(`/chunks/9/-31.r32f?${query}`)).bytes);
    for (const format of FORMATS) {
      for (const accept of ['identity', 'gzip']) {
        const { headers } = await load(`/chunks/9/-31.${format}?${query}`, { headers: { 'Accept-Encoding': accept } });
        assert.equal(headers.get('x-terrane-digest'), expected, `${format} ${accept} ${query}`);
      }
    }
  }
});
