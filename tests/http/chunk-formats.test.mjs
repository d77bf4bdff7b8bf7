/* The formats of chunks, as documented and as other programs read them. */

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import validator from 'gltf-validator';
import { load, request, samplesOf, vertices } from './chunks.mjs';
import { gdalIn } from './gdal.mjs';
import { floats, greyNumbers, numbers, quantised, restore } from './samples.mjs';
import { temporaryFolder } from '../tools/folder.mjs';

const folder = temporaryFolder().path;
const gdal = gdalIn(folder);

test('r16, r16z and png are the same numbers', async () => {
  const base = '/chunks/1/-3';
  const query = '?size=33&step=256';
  const samples = await samplesOf(`${base}.r32f${query}`);
  const expected = Array.from(samples, quantised);
  assert.ok(new Set(expected).size > 100);
  assert.deepEqual([...numbers((await load(`${base}.r16${query}`)).bytes)], expected);
  assert.deepEqual([...greyNumbers((await load(`${base}.png${query}`)).bytes)], expected);
  assert.deepEqual([...restore((await load(`${base}.r16z${query}`)).bytes, 34)], expected);
  const two = `${query}&layers=height,temperature`;
  const both = Array.from(await samplesOf(`${base}.r32f${two}`), quantised);
  assert.deepEqual([...restore((await load(`${base}.r16z${two}`)).bytes, 34)], both);
  assert.deepEqual([...numbers((await load(`${base}.r16${two}`)).bytes)], both);
});

test('r16z has at most a quarter of the bytes of r32f', async () => {
  const raw = (await load('/chunks/0/0.r32f?size=256&step=16')).bytes.length;
  assert.ok((await load('/chunks/0/0.r16z?size=256&step=16')).bytes.length < raw / 4);
});

test('json has the samples and their place', async () => {
  const query = 'size=3&step=0.25&layers=height,biome&apron=1';
  const { bytes, headers } = await load(`/chunks/-3/4.json?${query}`);
  const document = JSON.parse(bytes);
  const samples = await samplesOf(`/chunks/-3/4.r32f?${query}`);
  assert.equal(headers.get('content-type'), 'application/json');
  assert.equal(document.world, headers.get('x-terrane-world'));
  assert.deepEqual(document.origin, [-2.5, 2.75]);
  assert.equal(document.step, 0.25);
  assert.deepEqual(document.grid, [6, 6]);
  assert.equal(document.digest, headers.get('x-terrane-digest'));
  assert.deepEqual(Object.keys(document.samples), ['height', 'biome']);
  assert.deepEqual(Object.values(document.samples).flat(2).map(Math.fround), [...samples]);
  assert.ok(Object.values(document.samples).flat().every((row) => row.length === 6));
});

async function gdalFile(target, name) {
  const file = path.join(folder, name);
  writeFileSync(file, (await load(target)).bytes);
  return file;
}

test('GDAL reads every sample of asc and tif and its place', async () => {
  for (const [cx, cy, size, step] of [[0, 0, 12, 1], [-5, 7, 12, 0.125], [3, -2, 20, 64]]) {
    const query = `size=${size}&step=${step}`;
    const samples = await samplesOf(`/chunks/${cx}/${cy}.r32f?${query}`);
    const places = vertices(cx, cy, size, step).map(([x, y]) => `${x} ${-y}\n`).join('');
    for (const format of ['asc', 'tif']) {
      const file = await gdalFile(`/chunks/${cx}/${cy}.${format}?${query}`, `chunk.${format}`);
      const info = JSON.parse(await gdal('gdalinfo', ['-json', file]));
      assert.deepEqual(info.size, [size + 1, size + 1]);
      assert.deepEqual(info.geoTransform, [(cx * size - 0.5) * step, step, 0, (0.5 - cy * size) * step, 0, -step]);
      assert.equal(info.bands[0].type, 'Float32');
      assert.equal(info.coordinateSystem?.wkt ?? '', '');
      const values = (await gdal('gdallocationinfo', ['-valonly', '-geoloc', file], places)).trim().split('\n');
      assert.deepEqual(values.map((value) => Math.fround(Number(value))), [...samples], `${format} ${query}`);
    }
  }
});

/* Side of Web Mercator's square over that of the world's central square. */
const MAP_METRE = (2 * Math.PI * 6378137) / 2 ** 25;

test('a tif with a coordinate system lies where the map has it', async () => {
  const [cx, cy, size, step] = [-20, 30, 256, 256];
  const target = (crs) => `/chunks/${cx}/${cy}.tif?size=${size}&step=${step}${crs}`;
  const samples = await samplesOf(target('').replace('.tif', '.r32f'));
  const [local, map] = [await gdalFile(target('&crs=local'), 'local.tif'), await gdalFile(target('&crs=3857'), 'map.tif')];
  const corner = [(cx * size - 0.5) * step, (0.5 - cy * size) * step];
  for (const [file, metre] of [[local, 1], [map, MAP_METRE]]) {
    const { geoTransform, coordinateSystem } = JSON.parse(await gdal('gdalinfo', ['-json', file]));
    [corner[0], step, 0, corner[1], 0, -step].forEach((value, i) => assert.ok(Math.abs(geoTransform[i] - value * metre) < 1e-6));
    assert.match(coordinateSystem.wkt, metre === 1 ? /^PROJCRS\["Terrane"/ : /^PROJCRS\["WGS 84 \/ Pseudo-Mercator"/);
  }
  /* By degrees, each gives the sample that /at has there. */
  const places = [[-13.9, -20.8], [-13.7, -21], [-13.4, -21.2]];
  const input = places.map((place) => `${place.join(' ')}\n`).join('');
  const found = await Promise.all([local, map].map((file) => gdal('gdallocationinfo', ['-valonly', '-wgs84', file], input)));
  assert.equal(found[0], found[1]);
  const values = found[0].trim().split('\n').map((value) => Math.fround(Number(value)));
  for (const [i, [lon, lat]] of places.entries()) {
    const { x, y } = await (await request(`/at?lon=${lon}&lat=${lat}`)).json();
    const [column, row] = [Math.round(x / step) - cx * size, Math.round(y / step) - cy * size];
    assert.equal(values[i], samples[row * (size + 1) + column], `${lon} ${lat}`);
  }
  /* GDAL moves the local one to exactly the place of the other. */
  const moved = path.join(folder, 'moved.tif');
  await gdal('gdalwarp', ['-q', '-t_srs', 'EPSG:3857', local, moved]);
  const [one, other] = await Promise.all([moved, map].map(async (file) => JSON.parse(await gdal('gdalinfo', ['-json', file])).geoTransform));
  one.forEach((value, i) => assert.ok(Math.abs(value - other[i]) < 1e-3, `${value} for ${other[i]}`));
});

test('only a tif has a coordinate system', async () => {
  for (const [target, status] of [['/chunks/0/0.tif?crs=4326', 400], ['/chunks/0/0.asc?crs=local', 400], ['/chunks/0/0.r32f?crs=3857', 400]])
    assert.equal((await request(target)).status, status, target);
  const tags = await Promise.all(['', '?crs=local', '?crs=3857'].map(async (query) => (await load(`/chunks/0/0.tif${query}`)).headers.get('etag')));
  assert.equal(new Set(tags).size, 3);
});

test('GDAL reads the layers of a tif as bands', async () => {
  const query = 'size=4&step=1024&layers=height,biome,temperature';
  const samples = await samplesOf(`/chunks/2/2.r32f?${query}`);
  const file = await gdalFile(`/chunks/2/2.tif?${query}`, 'layers.tif');
  const values = (await gdal('gdallocationinfo', ['-valonly', file], '0 0\n4 3\n')).trim().split(/\s+/).map(Number);
  const expected = [0, 3 * 5 + 4].flatMap((k) => [0, 1, 2].map((layer) => samples[25 * layer + k]));
  assert.deepEqual(values.map(Math.fround), expected);
});

test('GDAL reads png as 16-bit grey', async () => {
  const file = await gdalFile('/chunks/2/2.png?size=4&step=1024', 'chunk.png');
  const info = JSON.parse(await gdal('gdalinfo', ['-json', file]));
  assert.equal(info.bands.length, 1);
  assert.equal(info.bands[0].type, 'UInt16');
  const samples = await samplesOf('/chunks/2/2.r32f?size=4&step=1024');
  assert.equal(Number(await gdal('gdallocationinfo', ['-valonly', file, '3', '4'])), quantised(samples[4 * 5 + 3]));
});

/* The parts of a GLB: its JSON, and a reader of accessors. */
function openMesh(bytes) {
  const length = bytes.readUInt32LE(12);
  const json = JSON.parse(bytes.toString('utf8', 20, 20 + length));
  const binary = bytes.subarray(28 + length);
  const read = (index) => {
    const { bufferView, count, type, componentType } = json.accessors[index];
    const { byteOffset = 0, byteLength } = json.bufferViews[bufferView];
    const part = binary.subarray(byteOffset, byteOffset + byteLength);
    const values = componentType === 5126 ? floats(part) : componentType === 5123 ? numbers(part)
      : Array.from({ length: count }, (_, i) => part.readUInt32LE(4 * i));
    assert.equal(values.length, count * { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4 }[type]);
    return values;
  };
  const [{ attributes, indices }] = json.meshes[0].primitives;
  const colours = 'COLOR_0' in attributes ? read(attributes.COLOR_0) : null;
  return { json, positions: read(attributes.POSITION), normals: read(attributes.NORMAL), texture: read(attributes.TEXCOORD_0),
    colours, indices: read(indices) };
}

test('glb is a valid mesh of the samples', async () => {
  for (const query of ['size=64&step=4', 'size=1', 'size=256&step=0.0625', 'size=5&apron=2&step=65536']) {
    const { bytes, headers } = await load(`/chunks/-2/3.glb?${query}`);
    assert.equal(headers.get('content-type'), 'model/gltf-binary');
    const report = await validator.validateBytes(new Uint8Array(bytes));
    assert.deepEqual(report.issues.messages.filter(({ severity }) => severity < 2), [], query);
    const { json, positions, texture, colours, indices } = openMesh(bytes);
    const samples = await samplesOf(`/chunks/-2/3.r32f?${query}`);
    const side = Math.sqrt(samples.length);
    const { origin, step } = json.nodes[0].extras;
    assert.deepEqual(json.materials, [{ pbrMetallicRoughness: { metallicFactor: 0, roughnessFactor: 1 }, doubleSided: false }]);
    assert.equal(json.meshes[0].primitives[0].material, 0);
    assert.equal(colours, null);
    assert.equal(headers.get('x-terrane-origin'), String(origin));
    for (let k = 0; k < samples.length; k++) {
      assert.deepEqual([...positions.slice(3 * k, 3 * k + 3)], [(k % side) * step, samples[k], Math.floor(k / side) * step]);
      assert.deepEqual([...texture.slice(2 * k, 2 * k + 2)], [k % side, Math.floor(k / side)].map((at) => Math.fround(at / (side - 1))));
    }
    assert.equal(indices.length, 6 * (side - 1) ** 2);
    const corner = (k) => positions.slice(3 * indices[k], 3 * indices[k] + 3);
    for (let k = 0; k < indices.length; k += 3 * 97) {
      const [a, b, c] = [corner(k), corner(k + 1), corner(k + 2)];
      assert.ok((b[2] - a[2]) * (c[0] - a[0]) - (b[0] - a[0]) * (c[2] - a[2]) > 0, 'seen from above');
    }
  }
});

/* IEC 61966-2-1. */
const linear = (channel) => (channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4);

test('style= colours the vertices of a glb', async () => {
  /* A layer as grey is scaled by its range. */
  const world = await (await request('/worlds/terra')).json();
  const { range: [low, high] } = world.layers.find(({ name }) => name === 'temperature');
  const place = '/worlds/terra/chunks/-2/3';
  const query = 'size=16&step=4096';
  const { bytes } = await load(`${place}.glb?${query}&style=temperature`);
  const report = await validator.validateBytes(new Uint8Array(bytes));
  assert.deepEqual(report.issues.messages.filter(({ severity }) => severity < 2), []);
  const { colours } = openMesh(bytes);
  const samples = await samplesOf(`${place}.r32f?${query}&layers=temperature`);
  assert.ok(new Set(samples).size > 100);
  samples.forEach((sample, k) => {
    const grey = Math.min(1, Math.max(0, (sample - low) / (high - low)));
    const [red, green, blue, alpha] = colours.slice(4 * k, 4 * k + 4);
    assert.deepEqual([green, blue, alpha], [red, red, 65535]);
    const near = (value) => Math.round(65535 * linear(Math.min(1, Math.max(0, Math.round(255 * grey + value) / 255))));
    assert.ok(red >= near(-1) && red <= near(1), `${red} for ${sample}`);
  });
});

test('each style of a glb has an entity tag of its own, and its pin', async () => {
  const { styles } = await (await request('/worlds/terra')).json();
  const tagOf = async (query) => (await load(`/chunks/3/-2.glb?size=4${query}`)).headers.get('etag');
  const { fingerprint } = styles.find(({ name }) => name === 'relief');
  const relief = await tagOf('&style=relief');
  assert.equal(await tagOf(`&style=relief%40${fingerprint}`), relief);
  assert.equal(new Set([relief, await tagOf(''), await tagOf('&style=biome'), await tagOf('&style=terrarium')]).size, 4);
  const lazy = openMesh((await load('/worlds/terra~lazy/chunks/3/-2.glb?size=4&style=relief')).bytes);
  assert.equal(lazy.colours.length, 4 * 25);
  for (const [target, status] of [['/chunks/0/0.glb?style=releif', 404], ['/chunks/0/0.glb?style=relief%40s1-0000000000000000', 410],
    ['/chunks/0/0.tif?style=relief', 400], ['/volumes/0/0/0.r8?layer=height&style=relief', 400]]) {
    assert.equal((await request(target)).status, status, target);
  }
});

/* The upper edge of the skirt is the border of the ground, so the mesh has no edge that is open but the lower ones. */
test('skirt= adds a wall below the border of a glb', async () => {
  for (const [size, skirt] of [[1, 0.5], [8, 20], [255, 8]]) {
    const place = `/chunks/-2/3.glb?size=${size}&step=4&style=relief`;
    const [{ bytes }, plain] = [await load(`${place}&skirt=${skirt}`), openMesh((await load(place)).bytes)];
    const report = await validator.validateBytes(new Uint8Array(bytes));
    assert.deepEqual(report.issues.messages.filter(({ severity }) => severity < 2), []);
    const { positions, normals, texture, colours, indices } = openMesh(bytes);
    const [side, ground] = [size + 1, (size + 1) ** 2];
    assert.equal(positions.length, 3 * (ground + 4 * size));
    assert.deepEqual([...indices.slice(0, plain.indices.length)], [...plain.indices]);
    for (const [all, of, each] of [[positions, plain.positions, 3], [normals, plain.normals, 3], [texture, plain.texture, 2],
      [colours, plain.colours, 4]]) assert.deepEqual([...all.slice(0, each * ground)], [...of]);
    const border = Array.from({ length: ground }, (_, k) => k).filter((k) => k % side % size === 0 || Math.floor(k / side) % size === 0);
    const low = new Map(Array.from({ length: 4 * size }, (_, i) => ground + i).map((k) => [`${positions[3 * k]} ${positions[3 * k + 2]}`, k]));
    assert.equal(low.size, border.length);
    for (const k of border) {
      const below = low.get(`${positions[3 * k]} ${positions[3 * k + 2]}`);
      assert.equal(positions[3 * below + 1], Math.fround(positions[3 * k + 1] - skirt));
      assert.deepEqual([...normals.slice(3 * below, 3 * below + 3)], [...normals.slice(3 * k, 3 * k + 3)]);
      assert.deepEqual([...colours.slice(4 * below, 4 * below + 4)], [...colours.slice(4 * k, 4 * k + 4)]);
    }
    const edges = new Map();
    for (let k = 0; k < indices.length; k++) {
      const [a, b] = [indices[k], indices[k % 3 === 2 ? k - 2 : k + 1]];
      edges.set(`${a} ${b}`, (edges.get(`${a} ${b}`) ?? 0) + 1);
    }
    const open = [...edges.keys()].filter((edge) => !edges.has(edge.split(' ').reverse().join(' ')));
    assert.ok([...edges.values()].every((count) => count === 1), 'no edge has two triangles on one side');
    assert.equal(open.length, 4 * size);
    assert.ok(open.every((edge) => edge.split(' ').every((k) => Number(k) >= ground)), 'only the lower edges are open');
  }
  /* Shares of materials go down the wall as colours do: 32 vertices below the border of 8 × 8 squares. */
  const { bytes } = await load('/worlds/terra/chunks/-6/1.glb?size=8&step=64&skirt=20&layers=height,materials');
  const { json } = openMesh(bytes);
  const { bufferView, count } = json.accessors[json.meshes[0].primitives[0].attributes._MATERIALS_0];
  const shares = bytes.subarray(28 + bytes.readUInt32LE(12) + json.bufferViews[bufferView].byteOffset);
  const walk = Array.from({ length: 32 }, (_, k) => k < 8 ? 9 * k : k < 16 ? 72 + k - 8 : k < 24 ? 80 - 9 * (k - 16) : 8 - (k - 24));
  assert.equal(count, 81 + 32);
  assert.ok(new Set(walk.map((above) => shares.readUInt32LE(4 * above))).size > 4);
  walk.forEach((above, k) => assert.ok(shares.subarray(4 * (81 + k), 4 * (82 + k)).equals(shares.subarray(4 * above, 4 * above + 4)), `${k}`));
  const tagOf = async (query) => (await load(`/chunks/3/-2.glb?size=4${query}`)).headers.get('etag');
  assert.equal(await tagOf('&skirt=0'), await tagOf(''));
  assert.equal(new Set(await Promise.all(['', '&skirt=1', '&skirt=2', '&skirt=1&style=relief'].map(tagOf))).size, 4);
  const batch = await request('/chunks', { method: 'POST', body: JSON.stringify({ format: 'glb', size: 4, skirt: 2, chunks: [[3, -2]] }) });
  const single = (await load('/chunks/3/-2.glb?size=4&skirt=2')).bytes;
  assert.deepEqual(Buffer.from(await batch.arrayBuffer()).subarray(32), single);
});

test('normals of neighbouring meshes agree on their edge', async () => {
  const load_ = async (x) => openMesh((await load(`/chunks/${x}/0.glb?size=8&step=64`)).bytes);
  const [west, east] = [await load_(10), await load_(11)];
  for (let j = 0; j < 9; j++) {
    assert.deepEqual(west.normals.slice(3 * (9 * j + 8), 3 * (9 * j + 9)), east.normals.slice(27 * j, 27 * j + 3));
  }
  assert.ok(new Set(east.normals).size > 50);
});
