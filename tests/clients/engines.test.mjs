/* Files for game engines, read the way engines read them: 16-bit height maps, floats, meshes. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Raycaster, Vector3 } from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { PNG } from 'pngjs';
import { serverOfFile } from '../tools/server.mjs';
import { temporaryFolder } from '../tools/folder.mjs';

const manual = readFileSync(fileURLToPath(new URL('../../server/http/README.md', import.meta.url)), 'utf8');
const server = serverOfFile();
const folder = temporaryFolder().path;

async function load(target) {
  const response = await fetch(server.url + target);
  assert.equal(response.status, 200, target);
  return Buffer.from(await response.arrayBuffer());
}

/* The heights at places of the world, by another route, at zoom 17 − log₂ step. */
async function heightsAt(points, step = 1) {
  const body = JSON.stringify({ points, zoom: 17 - Math.log2(step) });
  const answer = await fetch(`${server.url}/heights`, { method: 'POST', body });
  return (await answer.json()).heights;
}

/* Every 37th vertex of a height map of `columns`, as [column, row]. */
function someOf(columns) {
  const all = [];
  for (let k = 0; k < columns * columns; k += 37) all.push([k % columns, Math.floor(k / columns)]);
  return all.slice(0, 10000);
}

test('a raw height map in Unity\'s resolutions, by its formula', async () => {
  for (const n of [5, 6, 7, 8, 9, 10]) {
    const resolution = 2 ** n + 1;
    const bytes = await load(`/worlds/highlands/chunks/-1/2.r16?size=${resolution - 1}&step=8`);
    assert.equal(bytes.length, 2 * resolution ** 2);
    const vertices = someOf(resolution);
    const side = 8 * 2 ** n;
    const world = vertices.map(([column, row]) => [-side + 8 * column, 2 * side + 8 * row]);
    const body = JSON.stringify({ points: world, zoom: 14 });
    const answer = await fetch(`${server.url}/worlds/highlands/heights`, { method: 'POST', body });
    const { heights } = await answer.json();
    vertices.forEach(([column, row], i) => {
      /* Unity maps a sample to sample / 65536 of the terrain's height, above the terrain's position. */
      const height = -4096 + 8192 * (bytes.readUInt16LE(2 * (row * resolution + column)) / 65536);
      assert.ok(Math.abs(height - heights[i]) <= 1 / 16, `${height} for ${heights[i]} at ${world[i]}`);
    });
    assert.ok(new Set(heights).size > vertices.length / 2);
  }
});

test('a landscape in Unreal\'s sizes, by its formula, as raw and as PNG', async () => {
  for (const columns of [127, 253, 505, 1009]) {
    const target = `/chunks/3/-1.r16?size=${columns - 1}&step=4`;
    const bytes = await load(target);
    assert.equal(bytes.length, 2 * columns ** 2);
    const vertices = someOf(columns);
    const side = 4 * (columns - 1);
    const heights = await heightsAt(vertices.map(([column, row]) => [3 * side + 4 * column, 4 * row - side]), 4);
    vertices.forEach(([column, row], i) => {
      /* (sample − 32768) / 128 is centimetres at a scale of 1. */
      const height = (((bytes.readUInt16LE(2 * (row * columns + column)) - 32768) / 128) * 1600) / 100;
      assert.ok(Math.abs(height - heights[i]) <= 1 / 16);
    });
    const { data, width, depth } = PNG.sync.read(await load(target.replace('.r16', '.png')), { skipRescale: true });
    assert.deepEqual([width, depth], [columns, 16]);
    vertices.forEach(([column, row]) => {
      const k = row * columns + column;
      assert.equal(data[4 * k], bytes.readUInt16LE(2 * k));
    });
  }
});

test('GDAL opens a raw height map as the manual says', async () => {
  const columns = 129;
  writeFileSync(path.join(folder, 'ground.r16'), await load('/chunks/5/5.r16?size=128&step=2'));
  writeFileSync(path.join(folder, 'ground.vrt'), `<VRTDataset rasterXSize="${columns}" rasterYSize="${columns}">
    <VRTRasterBand dataType="UInt16" band="1" subClass="VRTRawRasterBand"><SourceFilename relativetoVRT="1">ground.r16</SourceFilename>
    <ByteOrder>LSB</ByteOrder><Offset>-4096</Offset><Scale>0.125</Scale></VRTRasterBand></VRTDataset>`);
  const file = path.join(folder, 'ground.tif');
  execFileSync('gdal_translate', ['-q', '-unscale', '-ot', 'Float32', path.join(folder, 'ground.vrt'), file]);
  const vertices = someOf(columns);
  const input = vertices.map((vertex) => vertex.join(' ')).join('\n');
  const found = execFileSync('gdallocationinfo', ['-valonly', file], { input, encoding: 'utf8' }).trim().split(/\s+/).map(Number);
  const heights = await heightsAt(vertices.map(([column, row]) => [1280 + 2 * column, 1280 + 2 * row]), 2);
  assert.equal(found.length, heights.length);
  found.forEach((height, i) => assert.ok(Math.abs(height - heights[i]) <= 1 / 16));
});

test('three.js loads a mesh: Y up, X east, Z south, heights as in the world', async () => {
  const bytes = await load('/chunks/-3/7.glb?size=32&step=2');
  const loaded = await new GLTFLoader().parseAsync(new Uint8Array(bytes).buffer, '');
  const { scene } = loaded;
  scene.updateMatrixWorld(true);
  const meshes = [];
  scene.traverse((node) => node.isMesh && meshes.push(node));
  assert.equal(meshes.length, 1);
  const { position, normal } = meshes[0].geometry.attributes;
  assert.equal(position.count, 33 * 33);
  assert.deepEqual(meshes[0].userData.origin, [-192, 448]);
  const side = 33;
  const places = Array.from({ length: side * side }, (_, k) => [2 * (k % side), 2 * Math.floor(k / side)]);
  const heights = await heightsAt(places.map(([x, y]) => [-192 + x, 448 + y]), 2);
  places.forEach(([x, z], k) => {
    assert.deepEqual(new Vector3().fromBufferAttribute(position, k).toArray(), [x, Math.fround(heights[k]), z]);
    assert.ok(normal.getY(k) > 0);
  });
  /* Faces are seen from above only: a ray from there meets the ground between the heights of its cell. */
  const down = new Vector3(0, -1, 0);
  for (let k = 0; k < side * (side - 1); k += 7) {
    if (k % side === side - 1) continue;
    const corners = [k, k + 1, k + side, k + side + 1].map((corner) => heights[corner]);
    const [x, z] = places[k];
    const hits = new Raycaster(new Vector3(x + 0.5, 9000, z + 0.7), down).intersectObject(scene, true);
    assert.equal(hits.length, 1);
    assert.ok(hits[0].point.y >= Math.min(...corners) - 0.01 && hits[0].point.y <= Math.max(...corners) + 0.01);
  }
});

test('three.js reads the shares of materials as attributes of a mesh', async () => {
  const query = 'size=32&step=2&layers=';
  const bytes = await load(`/chunks/-3/7.glb?${query}height,materials`);
  const { scene } = await new GLTFLoader().parseAsync(new Uint8Array(bytes).buffer, '');
  const meshes = [];
  scene.traverse((node) => node.isMesh && meshes.push(node));
  const [{ geometry: { attributes }, userData }] = meshes;
  const shares = await load(`/chunks/-3/7.r8?${query}materials`);
  const count = 33 * 33, kinds = shares.length / count;
  assert.equal(userData.materials.length, kinds);
  assert.ok(kinds > 4);
  for (let k = 0; k < count; k++) {
    let sum = 0;
    for (let i = 0; i < 4 * Math.ceil(kinds / 4); i++) {
      const share = attributes[`_materials_${Math.floor(i / 4)}`].getComponent(k, i % 4);
      assert.equal(Math.round(share * 255), i < kinds ? shares[i * count + k] : 0);
      sum += share;
    }
    assert.ok(Math.abs(sum - 1) < 1e-6);
  }
});

test('the addresses for engines in the manual work', async () => {
  const [, section] = /\n## For engines\n([\s\S]*?)\n## /.exec(manual) ?? [];
  assert.ok(section, 'a section for engines');
  const addresses = [...section.matchAll(/http:\/\/127\.0\.0\.1:8080(\/[^\s'"`)]*)/g)].map(([, target]) => target);
  assert.ok(addresses.length >= 5);
  const values = { z: 9, x: 256, y: 255, cx: 3, cy: -2, step: 1024 };
  for (const target of addresses) {
    const real = target.replace(/\$?\{(\w+)\}/g, (_, name) => values[name]);
    assert.doesNotMatch(real, /[{}]/, target);
    await load(real);
  }
});
