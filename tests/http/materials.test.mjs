/* Materials of the ground: shares in every format against shares computed here, pins, and the walkable ground of the
 * manual. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import validator from 'gltf-validator';
import { PNG } from 'pngjs';
import { command } from '../faults/reloads.mjs';
import { temporaryFolder } from '../tools/folder.mjs';
import { serverOfFile } from '../tools/server.mjs';
import { floats, records } from './samples.mjs';

/* Each weight is a layer as well, so that its samples can be had. */
const weights = {
  wet: 'fbm(wavelength=64, octaves=6) + 0.2',
  dry: '0.5 * fbm(wavelength=200, octaves=6)',
  high: '0.004 * height',
  thin: '0.03',
  steep: 'slope(height, 2) - 0.5',
};
const names = Object.keys(weights);
const colours = ['#ff0000', '#00ff00', '#0000ff', '#ffffff', '#000000'];
const material = (name, i) => ({ name: `of_${name}`, title: `Of ${name}`, color: colours[i], weight: name });
const world = {
  generator: 1,
  seed: 4,
  layers: { height: { formula: '90 * fbm(wavelength=256, octaves=8)', unit: 'm', range: [-100, 100] }, ...weights },
  materials: names.map(material),
  styles: { plain: { paint: [{ materials: {} }] } },
};
const manual = readFileSync(fileURLToPath(new URL('../../config/worlds/README.md', import.meta.url)), 'utf8');
const green = JSON.parse(/```json\n([^`]*"Green hills"[^`]*)```/.exec(manual)[1]);

const folder = temporaryFolder({ 'ground.json': world, 'green.json': green });
const admin = path.join(folder.path, 'admin.socket');
const server = serverOfFile({ arguments: ['--worlds', folder.path, '--default-world', 'ground', '--admin', admin] });

const request = (target, options) => fetch(server.url + target, options);
async function load(target, options) {
  const response = await request(target, options);
  const bytes = Buffer.from(await response.arrayBuffer());
  assert.equal(response.status, 200, `${target}: ${bytes.subarray(0, 300)}`);
  return { headers: response.headers, bytes };
}
const json = async (target) => JSON.parse((await load(target)).bytes);

/* By the method of largest remainders, in doubles: a remainder of two that are nearly equal may go to either. */
function expectedShares(values) {
  const positive = values.map((value) => Math.max(0, value));
  const sum = positive.reduce((a, b) => a + b, 0);
  if (sum === 0) return values.map((_, i) => (i === 0 ? 255 : 0));
  const exact = positive.map((value) => (255 * value) / sum);
  const shares = exact.map(Math.floor);
  const order = exact.map((value, i) => [value - Math.floor(value), i]).sort((a, b) => b[0] - a[0] || a[1] - b[1]);
  for (let k = 0; k < 255 - exact.map(Math.floor).reduce((a, b) => a + b); k++) shares[order[k][1]]++;
  return shares;
}

const base = '/chunks/3/-2';
const query = 'size=64&step=2';
const area = 65 ** 2;
const planesOf = (bytes, first = 0) => names.map((_, i) => bytes.subarray((first + i) * area, (first + i + 1) * area));

test('shares are the parts of the weights, and sum up to 255', async () => {
  const samples = floats((await load(`${base}.r32f?${query}&layers=${names}`)).bytes);
  const { bytes, headers } = await load(`${base}.r8?${query}&layers=materials`);
  const planes = planesOf(bytes);
  assert.equal(bytes.length, names.length * area);
  assert.equal(headers.get('x-terrane-layers'), names.map((name) => `materials.of_${name}`).join());
  assert.match(headers.get('x-terrane-materials'), /^m1-[0-9a-f]{16}$/);
  assert.equal(headers.get('x-terrane-encoding'), 'uint8; shares of 255');
  let wrong = 0;
  const kinds = new Set();
  for (let k = 0; k < area; k++) {
    const shares = planes.map((plane) => plane[k]);
    const expected = expectedShares(names.map((_, i) => samples[i * area + k]));
    assert.equal(shares.reduce((a, b) => a + b), 255);
    assert.ok(shares.every((share, i) => Math.abs(share - expected[i]) <= 1), `${shares} for ${expected}`);
    wrong += String(shares) !== String(expected);
    kinds.add(String(shares));
  }
  assert.ok(kinds.size > 500);
  assert.ok(wrong <= area / 1000, `${wrong} of ${area} differ by more than rounding`);
});

test('every format has the same shares and the same digest', async () => {
  const { bytes, headers } = await load(`${base}.r8?${query}&layers=materials`);
  const digest = headers.get('x-terrane-digest');
  const raw = await load(`${base}.r32f?${query}&layers=materials`);
  assert.equal(raw.headers.get('x-terrane-digest'), digest);
  assert.deepEqual([...floats(raw.bytes)], [...bytes]);
  const document = await json(`${base}.json?${query}&layers=materials`);
  assert.deepEqual(Object.values(document.samples).flat(2), [...bytes]);
  assert.deepEqual(await json(`/verify?chunk=3,-2&${query}&layers=materials&digest=${digest}`).then(({ same }) => same), true);
  for (const [group, first] of [[0, 0], [1, 4], [2, 8], [3, 12]]) {
    const picture = await load(`${base}.png?${query}&materials=${group}`);
    assert.equal(picture.headers.get('x-terrane-digest'), digest);
    const { data } = PNG.sync.read(picture.bytes);
    for (let k = 0; k < area; k++)
      for (let channel = 0; channel < 4; channel++)
        assert.equal(data[4 * k + channel], first + channel < names.length ? bytes[(first + channel) * area + k] : 0);
  }
  const body = { format: 'r8', size: 64, step: 2, layers: ['materials'], chunks: [[3, -2], [4, -2]] };
  const [mine, east] = records((await load('/chunks', { method: 'POST', body: JSON.stringify(body) })).bytes);
  assert.deepEqual(mine.payload, bytes);
  for (let k = 0; k < area; k += 65)
    for (let i = 0; i < names.length; i++) assert.equal(east.payload[i * area + k], bytes[i * area + k + 64], 'the border');
});

test('four pictures have nine materials, and zeros behind them, or sixteen', async () => {
  const side = 17 ** 2;
  const many = { generator: 1, layers: { height: 'x' }, materials: Array.from({ length: 16 }, (_, i) => (
    { name: `m${i}`, color: '#777', weight: `fbm(wavelength=64, octaves=4, salt="${i}")` })) };
  const { url } = await (await request('/preview', { method: 'POST', body: JSON.stringify(many) })).json();
  for (const [name, count] of [['/worlds/terra', 9], [url, 16]]) {
    const { materials } = await json(name);
    assert.equal(materials.length, count);
    const planes = (await load(`${name}/chunks/3/-2.r8?size=16&step=16&layers=materials`)).bytes;
    assert.equal(planes.length, count * side);
    for (let group = 0; group < 4; group++) {
      const { data } = PNG.sync.read((await load(`${name}/chunks/3/-2.png?size=16&step=16&materials=${group}`)).bytes);
      for (let k = 0; k < side; k++)
        for (let channel = 0; channel < 4; channel++) assert.equal(data[4 * k + channel], planes[(4 * group + channel) * side + k] ?? 0);
    }
    if (count === 16) for (let i = 0; i < count; i++) assert.ok(planes.subarray(i * side, (i + 1) * side).some(Boolean), `${i}`);
  }
});

test('layers stand beside materials, each scaled by its range', async () => {
  const { bytes, headers } = await load(`${base}.r8?${query}&layers=thin,materials,height`);
  const alone = (await load(`${base}.r8?${query}&layers=materials`)).bytes;
  const heights = floats((await load(`${base}.r32f?${query}`)).bytes);
  assert.deepEqual(bytes.subarray(area, (names.length + 1) * area), alone);
  assert.equal(headers.get('x-terrane-encoding'),
    'uint8; thin: value / 255 * 2 + -1; height: value / 255 * 200 + -100; shares of 255');
  const scaled = bytes.subarray((names.length + 1) * area);
  heights.forEach((height, k) => assert.equal(scaled[k], Math.min(255, Math.max(0, Math.floor((255 * (height + 100)) / 200 + 0.5)))));
});

test('a mesh has them as attributes, and is valid', async () => {
  const { bytes } = await load(`${base}.glb?size=16&layers=height,materials&skirt=5`);
  const report = await validator.validateBytes(new Uint8Array(bytes));
  assert.deepEqual(report.issues.messages.filter(({ severity }) => severity < 2), []);
  const length = bytes.readUInt32LE(12);
  const document = JSON.parse(bytes.subarray(20, 20 + length));
  const { attributes } = document.meshes[0].primitives[0];
  assert.deepEqual(document.meshes[0].extras.materials, names.map((name) => `of_${name}`));
  const shares = (await load(`${base}.r8?size=16&layers=materials`)).bytes;
  for (const [group, name] of ['_MATERIALS_0', '_MATERIALS_1'].entries()) {
    const accessor = document.accessors[attributes[name]];
    assert.deepEqual([accessor.componentType, accessor.normalized, accessor.type], [5121, true, 'VEC4']);
    const at = 20 + length + 8 + document.bufferViews[accessor.bufferView].byteOffset;
    for (let k = 0; k < 17 ** 2; k++)
      for (let channel = 0; channel < 4; channel++)
        assert.equal(bytes[at + 4 * k + channel], shares[(4 * group + channel) * 17 ** 2 + k] ?? 0);
    /* The skirt begins in the north-west, and goes south: it has the shares of the border. */
    assert.equal(accessor.count, 17 ** 2 + 64);
    for (let k = 0; k < 17; k++)
      assert.deepEqual(bytes.subarray(at + 4 * (17 ** 2 + k), at + 4 * (17 ** 2 + k + 1)), bytes.subarray(at + 4 * 17 * k, at + 4 * (17 * k + 1)));
  }
  assert.equal('_MATERIALS_2' in attributes, false);
});

test('worlds list materials, /at has their shares, a style paints the mean of their colours', async () => {
  const { materials, materials_fingerprint: fingerprint, styles } = await json('/worlds/ground');
  assert.deepEqual(materials, world.materials);
  assert.match(fingerprint, /^m1-[0-9a-f]{16}$/);
  assert.ok(styles.some(({ name }) => name === 'materials'), 'the built-in style fits');
  const { worlds } = await json('/worlds');
  assert.deepEqual(worlds.find(({ name }) => name === 'ground').materials, materials.map(({ name }) => name));
  const at = await json('/at?x=77&y=-31');
  assert.deepEqual(Object.values(at.materials), expectedShares(names.map((name) => at.layers[name])));
  assert.equal((await load('/at?x=77&y=-31&format=text')).bytes.toString().includes(`materials.of_wet\t${at.materials.of_wet}\t\n`), true);
  const picture = PNG.sync.read((await load('/worlds/ground/tiles/plain/17/65536/65536.png')).bytes).data;
  const samples = floats((await load('/worlds/ground/tiles/wet/17/65536/65536.r32f')).bytes);
  const others = await Promise.all(names.slice(1).map(async (name) => floats((await load(`/worlds/ground/tiles/${name}/17/65536/65536.r32f`)).bytes)));
  for (let k = 0; k < 256 * 256; k += 41) {
    const values = [samples, ...others].map((each) => Math.max(0, each[k]));
    const sum = values.reduce((a, b) => a + b);
    for (let channel = 0; channel < 3; channel++) {
      const mean = values.reduce((all, value, i) => all + value * Number.parseInt(colours[i].slice(1 + 2 * channel, 3 + 2 * channel), 16), 0) / sum;
      assert.ok(Math.abs(picture[4 * k + channel] - mean) < 0.51, `${picture[4 * k + channel]} for ${mean}`);
    }
  }
});

test('what cannot be had is refused, with what can', async () => {
  for (const [target, status, text] of [
    [`${base}.r8?layers=materials@m1-0123456789abcdef`, 410, 'is now m1-'],
    [`${base}.r8?layers=materials@m1-0123`, 400, 'm1- and 16 digits'],
    [`${base}.r8?layers=materials,materials`, 400, 'more than once'],
    [`${base}.asc?layers=materials`, 400, 'asc has no materials'],
    [`${base}.glb?layers=materials`, 400, 'behind one layer'],
    [`${base}.glb?layers=height,wet,materials`, 400, 'glb has one layer, not 2'],
    [`${base}.png?layers=height,materials`, 400, 'not both'],
    [`${base}.png?layers=height&materials=0`, 400, 'the layer must be materials'],
    [`${base}.r32f?layers=materials&materials=0`, 400, 'png'],
    [`${base}.png?materials=4`, 400, '0 to 3'],
    ['/worlds/perlin/chunks/0/0.r8?layers=materials', 404, 'the world has no materials'],
    ['/worlds/perlin/tiles/materials/3/4/2.png', 404, 'materials'],
  ]) {
    const response = await request(target);
    const problem = await response.json();
    assert.equal(response.status, status, target);
    assert.ok(problem.detail.includes(text), `${target}: ${problem.detail}`);
  }
});

test('walkable ground is what the heights say: less steep than 0.7, at most half a metre under water', async () => {
  const size = 128, side = size + 3;
  const ground = '/worlds/green/chunks/-3/5';
  const heights = floats((await load(`${ground}.r32f?size=${size}&apron=1`)).bytes);
  const bytes = (await load(`${ground}.r8?size=${size}&layers=walkable`)).bytes;
  const seen = new Set();
  for (let row = 0; row <= size; row++)
    for (let column = 0; column <= size; column++) {
      const at = (row + 1) * side + column + 1;
      const rise = Math.hypot((heights[at + 1] - heights[at - 1]) / 2, (heights[at + side] - heights[at - side]) / 2);
      if (Math.abs(rise - 0.7) < 1e-4) continue; /* either, as floats round */
      const walkable = rise < 0.7 && heights[at] > -0.5;
      assert.equal(bytes[row * (size + 1) + column], walkable ? 255 : 0);
      seen.add(walkable);
    }
  assert.equal(seen.size, 2);
});

/* The last test, as it changes the world. */
test('other materials change their own pin and tag, and nothing of the heights', async () => {
  const { fingerprint, materials_fingerprint: before } = await json('/worlds/ground');
  const pinned = `/worlds/ground@${fingerprint}${base}`;
  const heights = [`${pinned}.r32f`, `${pinned}.r16z?layers=wet`, `/worlds/ground@${fingerprint}/tiles/relief/12/2048/2048.png`];
  const shares = `${pinned}.r8?layers=materials`;
  const tagsOf = (targets) => Promise.all(targets.map(async (target) => (await load(target)).headers.get('etag')));
  const [tags, [tag]] = [await tagsOf(heights), await tagsOf([shares])];
  assert.equal((await request(`${pinned}.r8?layers=materials@${before}`)).status, 200);
  folder.write('ground.json', { ...world, materials: [...world.materials].reverse() });
  assert.equal((await command(admin, 'POST', 'reload')).status, 200);
  const { materials_fingerprint: after, fingerprint: still } = await json('/worlds/ground');
  assert.equal(still, fingerprint);
  assert.notEqual(after, before);
  for (const [i, target] of heights.entries())
    assert.equal((await request(target, { headers: { 'If-None-Match': tags[i] } })).status, 304, target);
  const gone = await request(`${pinned}.r8?layers=materials@${before}`);
  assert.deepEqual([gone.status, (await gone.json()).current], [410, after]);
  assert.equal((await request(shares, { headers: { 'If-None-Match': tag } })).status, 200);
  assert.notEqual((await tagsOf([shares]))[0], tag);
});
