/* Chunks and volumes: samples with the same bits as everywhere else, headers, entity tags, pins. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FORMATS, batchOf, load, post, request, samplesOf, server, vertices } from './chunks.mjs';
import { ask, get } from './raw.mjs';
import { digest, floats, records } from './samples.mjs';

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
      const [here, east, south, both] = await batchOf(places, { size, step, apron, layers: ['height', 'distance'] });
      const heights = here.slice(0, side * side);
      /* In the deep sea floats are half a millimetre apart, and the smallest chunks half a metre wide; nothing is below 7200 m. */
      const least = heights[0] < -4000 && step < 1 ? 2 : heights[0] === -7200 ? 1 : size;
      assert.ok(new Set(heights).size > least, `the ground is not level: ${name}`);
      assert.ok(new Set(here).size > (heights[0] === -7200 ? least : size), `the streams are not all as far: ${name}`);
      /* The rows of both layers, one below the other. */
      for (let i = 0; i < 2 * side; i++) {
        for (let k = 0; k + size < side; k++) {
          const [column, row] = [i % side, Math.floor(i / side) * side];
          assert.equal(here[i * side + size + k], east[i * side + k], `east of ${name}`);
          assert.equal(here[(row + size + k) * side + column], south[(row + k) * side + column], `south of ${name}`);
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

test('a shifted chunk begins at any sample', async () => {
  /* (5, −9) · 4 + (3, 1) steps of 8 m: the vertices from (184, −280) m on. */
  for (const [cx, cy, dx, dy] of [[5, -9, 3, 1], [-6, 2, 0, 3]]) {
    const x = (cx * 4 + dx) * 8;
    const y = (cy * 4 + dy) * 8;
    const points = vertices(0, 0, 4, 8).map(([east, south]) => [x + east, y + south]);
    const { headers } = await load(`/chunks/${cx}/${cy}.r32f?size=4&step=8&dx=${dx}&dy=${dy}`);
    assert.equal(headers.get('x-terrane-origin'), `${x},${y}`);
    const samples = await samplesOf(`/chunks/${cx}/${cy}.r32f?size=4&step=8&dx=${dx}&dy=${dy}`);
    assert.deepEqual([...samples], await heights({ points, zoom: 14 }));
  }
  const last = 2 ** 40 / 8 - 1;
  const beyond = `indices of chunks of size 8 and step 1, shifted so far, must be ${-last - 1} … ${last - 1}`;
  for (const [target, status, detail, parameter = 'dy'] of [
    ['/chunks/0/0.r32f?size=8&dy=1024', 400, 'dy: must be a whole number from 0 to 1023, not "1024"'],
    [`/chunks/${last}/0.r32f?size=8`, 200], [`/chunks/${last - 1}/${last - 1}.r32f?size=8&dx=7&dy=7`, 200],
    [`/chunks/${last}/0.r32f?size=8&dx=1`, 404, beyond, 'cx'], [`/chunks/0/${last}.r32f?size=8&dy=1`, 404, beyond, 'cy'],
    ['/volumes/0/0/0.r32f?dx=1', 400],
  ]) {
    const response = await request(target);
    assert.equal(response.status, status, target);
    if (!detail) continue;
    const problem = await response.json();
    assert.deepEqual([problem.detail, problem.parameter], [detail, parameter]);
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

test('the Allow header of chunks lists the methods of the route', async () => {
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

test('samples of volumes are those of /at at the same level of detail, with z slowest', async () => {
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
      const at = await (await request(`/worlds/${world}/at?x=${x}&y=${y}&z=${z}&t=${t}&zoom=${zoom}`)).json();
      assert.equal(samples[k], Math.fround(at.layers.density), `${world} ${x} ${y} ${z}`);
    }
    assert.ok(new Set(samples).size > 3, 'it is not all the same');
  }
});

test('headers of a volume tell its least and its greatest sample, without a body, too', async () => {
  for (const [world, place, query] of [['caves', '0/0/3', 'size=16'], ['caves', '-3/7/0', 'size=8&step=2'], ['clouds', '1/2/3', 'layer=height&size=5&step=64&t=9']]) {
    const samples = floats((await load(`/worlds/${world}/volumes/${place}.r32f?${query}`)).bytes);
    const extremes = [Math.min(...samples), Math.max(...samples)];
    assert.ok(extremes[0] < extremes[1]);
    for (const format of ['r32f', 'r8', 'json'])
      for (const method of ['HEAD', 'GET', 'GET']) {
        const { headers } = await request(`/worlds/${world}/volumes/${place}.${format}?${query}`, { method });
        assert.deepEqual(['minimum', 'maximum'].map((name) => Math.fround(headers.get(`x-terrane-${name}`))), extremes, `${world} ${format} ${method}`);
      }
  }
  assert.equal((await request('/chunks/0/0.r32f?size=4')).headers.get('x-terrane-minimum'), null);
});

test('neighbouring volumes share their faces', async () => {
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

test('r8 and json of a volume are the same samples', async () => {
  for (const [world, layer] of [['caves', 'density'], ['fog', 'density'], ['fog', 'height']]) {
    const target = `/worlds/${world}/volumes/2/-1/1`;
    const query = `?layer=${layer}&size=5&step=8&t=3`;
    const { bytes, headers } = await load(`${target}.r32f${query}`);
    const samples = floats(bytes);
    assert.equal(headers.get('x-terrane-digest'), digest(bytes));
    const { layers } = await (await request(`/worlds/${world}`)).json();
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

test('entity tags, pins and 304 of volumes', async () => {
  const { fingerprint } = await (await request(`/worlds/fog`)).json();
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
