/* Values of pixels: they equal the heights that /heights gives, and other decoders read the same values. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { PNG } from 'pngjs';
import { serverOfFile } from '../tools/server.mjs';
import { heightsBody, indexRange, makeRandom, pixelCentre, randomAddress } from './tile_addresses.mjs';
import { temporaryFolder } from '../tools/folder.mjs';

const server = serverOfFile();
const folder = temporaryFolder().path;

async function fetchBytes(path) {
  const response = await fetch(server.url + path);
  assert.equal(response.status, 200, path);
  return Buffer.from(await response.arrayBuffer());
}

async function heightsAt(world, places, zoom) {
  const response = await fetch(`${server.url}/worlds/${world}/heights`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: heightsBody(places, { zoom }),
  });
  assert.equal(response.status, 200);
  return (await response.json()).heights;
}

/* Terrarium: red · 256 + green + blue / 256 − 32768 metres. */
function decodedHeight({ data, width }, column, row) {
  const at = 4 * (row * width + column);
  return data[at] * 256 + data[at + 1] + data[at + 2] / 256 - 32768;
}

async function assertHeights(world, address, size) {
  const { z, x, y } = address;
  const image = PNG.sync.read(await fetchBytes(
    `/worlds/${world}/tiles/terrarium/${z}/${x}/${y}${size === 512 ? '@2x' : ''}.png`));
  assert.deepEqual([image.width, image.height], [size, size]);
  const random = makeRandom(z);
  const end = BigInt(size - 1);
  const pixels = [[0, 0], [size - 1, 0], [0, size - 1], [size - 1, size - 1],
    ...Array.from({ length: 400 }, () => [Number(random(0n, end)), Number(random(0n, end))])];
  /* A tile of 512 pixels has the level of detail of the next zoom. */
  const heights = await heightsAt(world, pixels.map((p) => pixelCentre(address, size, ...p)),
    size === 512 ? z + 1 : z);
  pixels.forEach((pixel, i) => {
    /* The decimals of an answer are the shortest that read back to the same float. */
    const error = Math.abs(decodedHeight(image, ...pixel) - Math.fround(heights[i]));
    assert.ok(error <= 1 / 512, `${world} ${z}/${x}/${y} at ${pixel}: ${error} m apart`);
  });
  return heights;
}

test('a terrarium tile is /heights at the pixel centres', async () => {
  const random = makeRandom(5);
  let distinct = new Set();
  for (let i = 0; i < 60; i++) {
    const heights = await assertHeights(i % 3 ? 'terra' : 'perlin', randomAddress(random, i), 256);
    distinct = new Set([...distinct, ...heights]);
  }
  assert.ok(distinct.size > 10_000);
});

test('a terrarium tile of 512 pixels is /heights at the pixel centres', async () => {
  const random = makeRandom(6);
  for (let i = 0; i < 8; i++) {
    const address = randomAddress(random, i);
    if (address.z < 20) await assertHeights('terra', address, 512);
  }
});

/* pngjs' answer as rows of red, green, blue; and nothing transparent. */
function plainPixels(bytes) {
  const { data, width, height } = PNG.sync.read(bytes);
  const plain = Buffer.alloc(3 * width * height);
  for (let i = 0; i < width * height; i++) {
    data.copy(plain, 3 * i, 4 * i, 4 * i + 3);
    assert.equal(data[4 * i + 3], 255);
  }
  return { width, height, plain };
}

function run(program, words, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(program, words,
    { cwd: folder, maxBuffer: 1 << 26, ...options });
  assert.equal(status, 0, `${program}: ${error ?? stderr}`);
  assert.equal(stderr.toString(), '', program);
  return stdout;
}

const pictures = [
  '/tiles/3/4/2.png', '/tiles/relief/9/251/-3.png', '/tiles/biome/6/31/30.png',
  '/tiles/height/12/2048/2047.png', '/tiles/terrarium/10/500/520.png', '/tiles/3/4/2@2x.png',
];

test('a mapbox tile is /heights in steps of 0.1 m', async () => {
  const address = { z: 7, x: 74n, y: 51n };
  const image = PNG.sync.read(await fetchBytes('/tiles/mapbox/7/74/51.png'));
  const pixels = Array.from({ length: 256 }, (_, i) => [i, (i * 37) % 256]);
  const heights = await heightsAt('terra', pixels.map((pixel) => pixelCentre(address, 256, ...pixel)), 7);
  pixels.forEach(([column, row], i) => {
    const at = 4 * (row * 256 + column);
    const [red, green, blue] = image.data.subarray(at);
    /* https://docs.mapbox.com/data/tilesets/reference/mapbox-terrain-rgb-v1/ */
    const height = -10000 + (red * 256 * 256 + green * 256 + blue) * 0.1;
    assert.ok(Math.abs(height - heights[i]) <= 0.05 + 1e-6, `${height} for ${heights[i]}`);
  });
  assert.ok(new Set(heights).size > 200);
});

test('GDAL reads the same pixels', async () => {
  for (const path of pictures) {
    const bytes = await fetchBytes(path);
    const { width, height, plain } = plainPixels(bytes);
    writeFileSync(join(folder, 'tile.png'), bytes);
    const info = JSON.parse(run('gdalinfo', ['-json', 'tile.png']));
    assert.equal(info.driverShortName, 'PNG');
    assert.deepEqual(info.size, [width, height]);
    assert.ok(info.bands.every(({ type }) => type === 'Byte'));
    /* A palette becomes colours, grey three times itself. */
    const bands = info.bands.length === 3 ? []
      : info.bands[0].colorInterpretation === 'Palette' ? ['-expand', 'rgb']
        : ['-b', '1', '-b', '1', '-b', '1'];
    run('gdal_translate', ['-q', '-of', 'ENVI', '-co', 'INTERLEAVE=BIP', ...bands, 'tile.png', 'tile.raw']);
    assert.ok(readFileSync(join(folder, 'tile.raw')).equals(plain), path);
  }
});

test('libpng reads the same pixels, without a warning', async () => {
  const source = fileURLToPath(new URL('libpng.c', import.meta.url));
  run('cc', ['-std=gnu17', source, '-lpng16', '-o', 'libpng']);
  for (const path of pictures) {
    const bytes = await fetchBytes(path);
    const { width, height, plain } = plainPixels(bytes);
    const answer = run(join(folder, 'libpng'), [], { input: bytes });
    const head = `${width} ${height}\n`;
    assert.equal(answer.subarray(0, head.length).toString(), head);
    assert.ok(answer.subarray(head.length).equals(plain), path);
  }
});

test('tile 0/0/0 has 256 pixels, or 512 at @2x', async () => {
  assert.deepEqual(
    (({ width, height }) => [width, height])(plainPixels(await fetchBytes('/tiles/3/4/2.png'))),
    [256, 256]);
  assert.deepEqual(
    (({ width, height }) => [width, height])(plainPixels(await fetchBytes('/tiles/3/4/2@2x.png'))),
    [512, 512]);
});

test('the world ends with whole tiles', async () => {
  for (const zoom of [0, 1, 9, 17, 20]) {
    const [low, high] = indexRange(zoom);
    for (const [index, status] of [[low, 200], [high, 200], [low - 1n, 404], [high + 1n, 404]]) {
      for (const address of [`${zoom}/${index}/0`, `${zoom}/0/${index}`]) {
        const response = await fetch(`${server.url}/tiles/height/${address}.png`);
        assert.equal(response.status, status, address);
        if (status === 200) continue;
        assert.equal(response.headers.get('content-type'), 'application/problem+json');
        const { detail } = await response.json();
        assert.ok(detail.includes(String(low)) && detail.includes(String(high)), detail);
      }
    }
  }
  assert.equal((await fetch(`${server.url}/tiles/21/0/0.png`)).status, 404);
});
