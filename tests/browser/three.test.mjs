/* three.js shows meshes of the ground with the colours of a style, from a page of another origin. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import png from 'pngjs';
import { startServer } from '../tools/server.mjs';
import { browserOfFile } from './browser.mjs';

const LIBRARY = new URL('../node_modules/three/', import.meta.url);
const SIDE = 512;
const PAGE = `<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Mesh</title><link rel="icon" href="data:,">
<style>body { margin: 0 }</style>
<script type="importmap">{"imports": {"three": "/build/three.module.js"}}</script>
<script type="module">
import * as THREE from 'three';
import { GLTFLoader } from '/examples/jsm/loaders/GLTFLoader.js';
const renderer = new THREE.WebGLRenderer({ preserveDrawingBuffer: true });
renderer.setSize(${SIDE}, ${SIDE});
document.body.append(renderer.domElement);
/* Loads a mesh and draws it by a function of three.js, scene, mesh and the box around it, which gives the camera. */
globalThis.draw = async (address, text) => {
  const scene = new THREE.Scene();
  scene.add((await new GLTFLoader().loadAsync(address)).scene);
  const mesh = scene.getObjectByProperty('isMesh', true);
  const camera = new Function('THREE', 'scene', 'mesh', 'box', text)(THREE, scene, mesh, new THREE.Box3().setFromObject(scene));
  renderer.render(scene, camera);
  const { metalness, roughness, side, vertexColors } = mesh.material;
  return { metalness, roughness, isFrontSide: side === THREE.FrontSide, vertexColors, hasTexture: 'uv' in mesh.geometry.attributes };
};
</script></html>`;

const { newContext } = browserOfFile('webgl');
let server;
let pages;
before(async () => {
  pages = createServer((request, response) => {
    const isFile = /^(\/[\w.]+)+\.js$/.test(request.url);
    response.writeHead(200, { 'Content-Type': isFile ? 'text/javascript' : 'text/html' });
    response.end(isFile ? readFileSync(new URL(`.${request.url}`, LIBRARY)) : PAGE);
  });
  await new Promise((resolve) => { pages.listen(0, '127.0.0.1', resolve); });
  server = await startServer();
});
after(async () => {
  pages?.close();
  await server?.stop();
});

const json = async (path) => (await fetch(server.url + path)).json();

/* { drawn, pixels }: what draw() gives, and the picture as PNG decodes it. */
async function draw(path, text, name) {
  const context = await newContext({ viewport: { width: SIDE, height: SIDE } });
  const page = await context.newPage();
  try {
    await page.goto(`http://127.0.0.1:${pages.address().port}/`);
    await page.waitForFunction(() => typeof globalThis.draw === 'function');
    const drawn = await page.evaluate(([address, how]) => globalThis.draw(address, how), [server.url + path, text]);
    const picture = await page.screenshot(process.env.TERRANE_PICTURES ? { path: `${process.env.TERRANE_PICTURES}/${name}.png` } : {});
    return { drawn, pixels: png.PNG.sync.read(picture).data };
  } finally {
    await context.close();
  }
}

/* From above and without light, so that a pixel has the colour of the vertex there. North is up. */
const FLAT = `
  mesh.material = new THREE.MeshBasicMaterial({ vertexColors: true });
  const half = (box.max.x - box.min.x) / 2;
  const camera = new THREE.OrthographicCamera(-half, half, half, -half, 1, 1e5);
  camera.position.set(half, 5e4, half);
  camera.up.set(0, 0, -1);
  camera.lookAt(half, 0, half);
  return camera;`;

test('the colours of vertices are those of the style', async () => {
  const { biomes } = await json('/worlds/terra');
  const query = 'size=16&step=4096';
  const { samples: { biome: rows } } = await json(`/worlds/terra/chunks/0/0.json?${query}&layers=biome`);
  const { pixels } = await draw(`/worlds/terra/chunks/0/0.glb?${query}&style=biome`, FLAT, 'three-flat');
  const seen = new Set();
  /* A triangle mixes the colours of its corners: only beside vertices of one colour it has theirs. */
  for (let row = 1; row < 16; row++) {
    for (let column = 1; column < 16; column++) {
      const around = [-1, 0, 1].flatMap((j) => [-1, 0, 1].map((i) => rows[row + j][column + i]));
      if (new Set(around).size > 1) continue;
      const { name, color } = biomes[rows[row][column]];
      const at = 4 * (SIDE * (row * 32) + column * 32);
      const expected = [1, 3, 5].map((k) => Number.parseInt(color.slice(k, k + 2), 16));
      expected.forEach((channel, k) => assert.ok(Math.abs(pixels[at + k] - channel) <= 1, `${name} ${color}: ${pixels.subarray(at, at + 3)}`));
      seen.add(name);
    }
  }
  assert.ok(seen.size >= 2, [...seen].join());
});

/* From the south, with the sun in the north-west. */
const LIT = `
  const sun = new THREE.DirectionalLight('#fff', 2.5);
  sun.position.set(-1, 1.2, -1);
  scene.background = new THREE.Color('#b8d4ea');
  scene.add(sun, new THREE.HemisphereLight('#dfefff', '#554', 1.2));
  const middle = box.getCenter(new THREE.Vector3());
  const width = box.max.x - box.min.x;
  const camera = new THREE.PerspectiveCamera(45, 1, 10, 1e6);
  camera.position.set(middle.x, box.max.y + 0.35 * width, middle.z + 0.95 * width);
  camera.lookAt(middle.x, middle.y, middle.z + 0.1 * width);
  return camera;`;

test('a mesh is matt, and its ground is seen in colour', async () => {
  const { drawn, pixels } = await draw('/worlds/terra/chunks/-2/1.glb?size=256&step=64&style=relief', LIT, 'three-lit');
  assert.deepEqual(drawn, { metalness: 0, roughness: 1, isFrontSide: true, vertexColors: true, hasTexture: true });
  const colours = new Set();
  let sum = 0;
  for (let at = pixels.length / 2; at < pixels.length; at += 4) {
    colours.add(pixels.readUIntBE(at, 3));
    sum += pixels[at] + pixels[at + 1] + pixels[at + 2];
  }
  const mean = sum / 3 / (pixels.length / 2 / 4);
  assert.ok(colours.size > 1000, `${colours.size} colours`);
  assert.ok(mean > 60 && mean < 230, `brightness ${mean}`);
});
