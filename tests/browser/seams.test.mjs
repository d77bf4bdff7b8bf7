/* three.js draws chunks of two steps side by side, from above and at grazing angles. The camera sees nothing but ground,
 * so each pixel with the colour of the background is a hole in a seam. Skirts and stitching close all of them; without
 * either there are many. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { startServer } from '../tools/server.mjs';
import { browserOfFile } from './browser.mjs';

const LIBRARY = new URL('../node_modules/three/', import.meta.url);
const CLIENTS = new URL('../../server/clients/javascript/', import.meta.url);
const PATIENCE_MS = 120000; /* the processor draws, beside other tests */
const SIDE = 512;
const WORLD = 'dunes';
const GRAZING = 4; /* degrees above the horizon */
const SIZE = 32; /* steps a side of a chunk */

const PAGE = `<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Seams</title><link rel="icon" href="data:,">
<script type="importmap">{"imports": {"three": "/build/three.module.js"}}</script>
<script type="module">
import * as THREE from 'three';
import { GLTFLoader } from '/examples/jsm/loaders/GLTFLoader.js';
import { stitch, triangles } from '/clients/stitch.js';
import { Terrane } from '/clients/terrane.js';
const BACKGROUND = [255, 0, 255];
const renderer = new THREE.WebGLRenderer({ antialias: false });
renderer.setSize(${SIDE}, ${SIDE});
const material = new THREE.MeshBasicMaterial({ color: '#3a6' });
const scene = new THREE.Scene();
scene.background = new THREE.Color('#f0f');

/* By the daemon's meshes: { step, cx, cy } of each chunk, and the skirt in metres. */
globalThis.loadMeshes = async (url, chunks, skirt) => {
  scene.clear();
  await Promise.all(chunks.map(async ({ step, cx, cy }) => {
    const { scene: part } = await new GLTFLoader().loadAsync(\`\${url}/chunks/\${cx}/\${cy}.glb?size=${SIZE}&step=\${step}&skirt=\${skirt}\`);
    const mesh = part.getObjectByProperty('isMesh', true);
    mesh.material = material;
    part.position.set(cx * ${SIZE} * step, 0, cy * ${SIZE} * step);
    scene.add(part);
  }));
};

/* By stitch.js. All vertices are relative to one place: with a matrix for each mesh the same vertex would be rounded
 * differently in two of them, and a pixel shine through here and there. */
globalThis.loadStitched = async (url, chunks) => {
  scene.clear();
  const loaded = await Promise.all(chunks.map(async ({ step, cx, cy }) => {
    const chunk = await new Terrane(url, { size: ${SIZE}, step }).chunk(cx, cy);
    return { ...chunk, heights: chunk.layers.height };
  }));
  for (const chunk of loaded) {
    const geometry = new THREE.BufferGeometry();
    const positions = stitch(chunk, loaded).map((metres, k) => metres + [chunk.x, 0, chunk.y][k % 3]);
    geometry.setAttribute('position', new THREE.BufferAttribute(positions, 3));
    geometry.setIndex(new THREE.BufferAttribute(triangles(chunk.columns), 1));
    scene.add(new THREE.Mesh(geometry, material));
  }
};

/* The pixels of the background, with an orthographic camera that looks at a place on the ground from a direction
 * (degrees) at a height (degrees above the horizon). */
globalThis.holes = ({ at, half, direction, height }) => {
  const camera = new THREE.OrthographicCamera(-half, half, half, -half, 1, 20000);
  const [turn, rise] = [direction, height].map((degrees) => (degrees * Math.PI) / 180);
  const towards = new THREE.Vector3(Math.cos(rise) * Math.sin(turn), Math.sin(rise), Math.cos(rise) * Math.cos(turn));
  const middle = new THREE.Vector3(...at);
  camera.position.copy(middle).addScaledVector(towards, 8000);
  if (height === 90) camera.up.set(0, 0, -1);
  camera.lookAt(middle);
  renderer.render(scene, camera);
  const context = renderer.getContext();
  const pixels = new Uint8Array(4 * ${SIDE} * ${SIDE});
  context.readPixels(0, 0, ${SIDE}, ${SIDE}, context.RGBA, context.UNSIGNED_BYTE, pixels);
  let count = 0;
  for (let k = 0; k < pixels.length; k += 4) count += BACKGROUND.every((value, n) => pixels[k + n] === value);
  return count;
};
globalThis.isReady = true;
</script></html>`;

const { newContext } = browserOfFile('webgl');
let server;
let pages;
let page;
before(async () => {
  pages = createServer((request, response) => {
    const isClient = request.url.startsWith('/clients/');
    const isFile = /^(\/[\w.]+)+\.js$/.test(request.url);
    const file = isClient ? new URL(request.url.slice('/clients/'.length), CLIENTS) : new URL(`.${request.url}`, LIBRARY);
    response.writeHead(200, { 'Content-Type': isFile ? 'text/javascript' : 'text/html' });
    response.end(isFile ? readFileSync(file) : PAGE);
  });
  await new Promise((resolve) => { pages.listen(0, '127.0.0.1', resolve); });
  server = await startServer({ env: { TERRANE_DEFAULT_WORLD: WORLD } });
  page = await (await newContext()).newPage();
  await page.goto(`http://127.0.0.1:${pages.address().port}/`);
  await page.waitForFunction(() => globalThis.isReady);
});
after(async () => {
  pages?.close();
  await server?.stop();
});

/* 4 × 4 chunks of 2 m within chunks of 4 m, 1280 m a side, around a place: the seam is a square of 256 m. */
const FINE = Array.from({ length: 16 }, (_, k) => ({ step: 2, cx: k % 4, cy: Math.floor(k / 4) }));
const COARSE = Array.from({ length: 100 }, (_, k) => ({ step: 4, cx: k % 10 - 4, cy: Math.floor(k / 10) - 4 }))
  .filter(({ cx, cy }) => cx < 0 || cx > 1 || cy < 0 || cy > 1);
const CHUNKS = [...FINE, ...COARSE];

/* The corners and the middles of the sides of the seam, each from all around. */
async function holes() {
  const { heights } = await (await fetch(`${server.url}/heights`, { method: 'POST', body: JSON.stringify({
    points: [[0, 0], [128, 0], [256, 0], [256, 128], [256, 256], [128, 256], [0, 256], [0, 128]] }) })).json();
  const views = [[128, 0, 128, 200, 0, 90]];
  for (const [n, [x, y]] of [[0, 0], [128, 0], [256, 0], [256, 128], [256, 256], [128, 256], [0, 256], [0, 128]].entries())
    for (const height of [GRAZING, 25, 60]) views.push([x, heights[n], y, height === GRAZING ? 12 : 40, n * 45 + height, height], [x, heights[n], y, 12, n * 45 + 180, height]);
  return page.evaluate((all) => all.map(([x, y, z, half, direction, height]) => globalThis.holes({ at: [x, y, z], half, direction, height })), views);
}
const load = (name, ...words) => page.evaluate(([call, url, chunks, more]) => globalThis[call](url, chunks, ...more), [name, server.url, CHUNKS, words]);

test('between meshes without skirts the background shows', { timeout: PATIENCE_MS }, async () => {
  await load('loadMeshes', 0);
  const seen = await holes();
  assert.equal(seen.length, 49);
  assert.ok(seen.filter((count) => count > 0).length > 15, seen.join(' '));
});

test('skirts hide the seams from above and at grazing angles', { timeout: PATIENCE_MS }, async () => {
  await load('loadMeshes', 16);
  assert.deepEqual((await holes()).filter((count) => count > 0), []);
});

test('stitched chunks have no holes from above and at grazing angles', { timeout: PATIENCE_MS }, async () => {
  await load('loadStitched');
  assert.deepEqual((await holes()).filter((count) => count > 0), []);
});
