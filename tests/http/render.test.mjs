/* /render: pictures of rectangles, against `terrane render`, tiles and /heights. */

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { PNG } from 'pngjs';
import { succeed } from '../cli/terrane.mjs';
import { temporaryFolder } from '../tools/folder.mjs';
import { serverOfFile, startServer } from '../tools/server.mjs';
import { gdalIn } from './gdal.mjs';

const server = serverOfFile({});
const folder = temporaryFolder({});
const gdal = gdalIn(folder.path);

const ask = (target, options) => fetch(server.url + target, options);
async function bytesOf(target, url = server.url) {
  const response = await fetch(url + target);
  assert.equal(response.status, 200, `${target}: ${response.status === 200 || await response.text()}`);
  return Buffer.from(await response.arrayBuffer());
}
async function problemOf(target, status, url = server.url) {
  const response = await fetch(url + target);
  assert.equal(response.status, status, target);
  return response.json();
}

const LAND = '-5530000,-12535000,-5520000,-12529000';

test('the bytes are those of terrane render for the same frame', async () => {
  const frames = [
    ['terra', LAND, 'relief', 500], ['terra', LAND, 'terrarium', 333], ['terra~sea', LAND, 'biome', 257],
    ['archipelago', '1e12,-1e12,1000000300000,-999999900000'.replaceAll('1e12', '1000000000000'), 'relief', 301],
    ['terra', LAND, 'temperature', 1], ['perlin', '-7.5,-3.25,0.5,12', 'height', 64],
  ];
  for (const [world, bbox, style, width] of frames) {
    for (const format of ['png', 'webp', 'r32f', 'r16', 'tif', 'npy']) {
      const wanted = succeed(['render', '--world', world, '--style', style, `--bbox=${bbox}`, '--width', width, '--effort', 'fast',
        '--format', format, '-o', '-'], { bytes: true });
      const found = await bytesOf(`/worlds/${world}/render?bbox=${bbox}&width=${width}&style=${style}&format=${format}`);
      assert.ok(found.equals(wanted), `${world} ${style} ${format}`);
    }
  }
});

test('a picture of several bands is the same as one of one band', async () => {
  const [low, high] = [-5530000, -5520000];
  const whole = PNG.sync.read(await bytesOf(`/render?bbox=${low},${low},${high},${high}&step=8`));
  assert.deepEqual([whole.width, whole.height], [1250, 1250]);
  const part = PNG.sync.read(await bytesOf(`/render?bbox=${low},${low + 800 * 8},${high},${low + 900 * 8}&step=8`));
  assert.equal(part.height, 100);
  assert.ok(whole.data.subarray(800 * 1250 * 4, 900 * 1250 * 4).equals(part.data));
});

/* A tile of zoom 9 spans 65536 m and begins at a multiple of that. */
test('the pixels are those of the tile of the same ground', async () => {
  const [x, y] = [171, 65];
  const [west, north] = [x, y].map((index) => index * 65536 - 2 ** 24);
  const bbox = `${west},${north},${west + 65536},${north + 65536}`;
  for (const style of ['relief', 'biome', 'contour']) {
    const tile = PNG.sync.read(await bytesOf(`/worlds/terra/tiles/${style}/9/${x}/${y}.png`));
    const picture = PNG.sync.read(await bytesOf(`/render?bbox=${bbox}&width=256&style=${style}`));
    assert.ok(picture.data.equals(tile.data), style);
    const byStep = PNG.sync.read(await bytesOf(`/render?bbox=${bbox}&step=256&style=${style}`));
    assert.ok(byStep.data.equals(tile.data), style);
  }
  const wanted = await bytesOf(`/worlds/terra/tiles/height/9/${x}/${y}.r32f`);
  assert.ok((await bytesOf(`/render?bbox=${bbox}&width=256&style=height&format=r32f`)).equals(wanted));
});

/* The header by NEP 1: magic, version 1.0, length, a dictionary; 128 bytes in all. */
test('npy is r32f behind its header, of rectangles and tiles', async () => {
  for (const [columns, rows, samples, npy] of [
    [40, 24, `/render?bbox=${LAND}&width=40&style=height&format=r32f`, `/render?bbox=${LAND}&width=40&style=height&format=npy`],
    [256, 256, '/tiles/9/171/65.r32f', '/tiles/9/171/65.npy']]) {
    const bytes = await bytesOf(npy);
    const text = `{'descr': '<f4', 'fortran_order': False, 'shape': (${rows}, ${columns}), }`;
    assert.equal(bytes.subarray(0, 128).toString('latin1'), `\x93NUMPY\x01\0\x76\0${text.padEnd(117)}\n`);
    assert.ok(bytes.subarray(128).equals(await bytesOf(samples)), npy);
  }
});

test('tif is r32f with its place in the world, for GDAL', async () => {
  const file = folder.file('ground.tif');
  writeFileSync(file, await bytesOf(`/render?bbox=-5530000,-12535000,-5526000,-12533000&step=100&style=height&format=tif`));
  const { size, geoTransform, coordinateSystem } = JSON.parse(await gdal('gdalinfo', ['-json', file]));
  assert.deepEqual([size, geoTransform], [[40, 20], [-5530000, 100, 0, 12535000, 0, -100]]);
  assert.match(coordinateSystem.wkt, /Terrane/);
  await gdal('gdal_translate', ['-q', '-of', 'ENVI', file, folder.file('raw')]);
  assert.ok(readFileSync(folder.file('raw')).equals(
    await bytesOf(`/render?bbox=-5530000,-12535000,-5526000,-12533000&step=100&style=height&format=r32f`)));
});

test('a time moves worlds that move, and no others', async () => {
  const at = (world, t) => bytesOf(`/render?world=${world}&bbox=0,0,90000,90000&width=64&t=${t}`);
  assert.ok(!(await at('clouds', 0)).equals(await at('clouds', 50000)));
  const tags = await Promise.all([0, 7].map(async (t) => (await ask(`/render?bbox=${LAND}&width=32&t=${t}`)).headers.get('etag')));
  assert.equal(tags[0], tags[1]);
});

test('entity tags, pins and HEAD are as those of tiles', async () => {
  const target = `/worlds/terra/render?bbox=${LAND}&width=64`;
  const first = await ask(target);
  const tag = first.headers.get('etag');
  assert.equal(first.headers.get('cache-control'), 'no-cache');
  assert.equal(first.headers.get('content-type'), 'image/png');
  const { byteLength } = await first.arrayBuffer();
  assert.ok(tag.endsWith(`-${byteLength.toString(16)}"`));
  assert.equal((await ask(target, { headers: { 'if-none-match': tag } })).status, 304);
  for (const other of ['&style=biome', '&format=webp', '&style=height&format=r32f', '&t=0&format=r16'])
    assert.notEqual((await ask(target + other)).headers.get('etag'), tag, other);
  const head = await ask(target, { method: 'HEAD' });
  assert.equal(head.headers.get('content-length'), String(byteLength));
  const { fingerprint } = await (await ask('/worlds/terra')).json();
  const pinned = await ask(`/worlds/terra@${fingerprint}/render?bbox=${LAND}&width=64`);
  assert.equal(pinned.headers.get('cache-control'), 'public, max-age=31536000, immutable');
  assert.equal(pinned.headers.get('etag'), tag);
  const wrong = fingerprint.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'));
  assert.equal((await ask(`/worlds/terra@${wrong}/render?bbox=${LAND}&width=64`)).status, 410);
});

test('what is wrong is said, with what is allowed', async () => {
  const { parameter, allowed } = await problemOf('/render?bbox=0,0,9,9&width=9&step=1', 400);
  assert.deepEqual([parameter, allowed], ['step', 'width or step']);
  assert.equal((await problemOf('/render?width=9', 400)).parameter, 'bbox');
  assert.equal((await problemOf('/render?bbox=9,0,0,9', 400)).parameter, 'bbox');
  assert.equal((await problemOf('/render?bbox=0,0,9,9&width=4097', 400)).parameter, 'width');
  assert.equal((await problemOf('/render?bbox=0,0,9,9&format=gif', 400)).allowed.split(', ')[0], 'png');
  assert.equal((await problemOf('/render?bbox=0,0,9,9&style=releif', 404)).parameter, 'style');
  assert.equal((await problemOf('/render?bbox=0,0,0.001,0.001&width=4000', 413)).parameter, 'width');
  const deep = await problemOf('/render?bbox=0,0,9,9&style=grey16&format=webp', 400);
  assert.deepEqual([deep.parameter, deep.allowed], ['format', 'png, r32f, r16, tif, npy']);
});

test('413 says which width would fit, and that one does', async () => {
  const tall = '/render?world=perlin&style=height&bbox=0,0,1000,3000';
  const { fits } = await problemOf(`${tall}&width=1400`, 413);
  assert.equal(fits, 1365, '4096 / 3');
  const picture = PNG.sync.read(await bytesOf(`${tall}&width=${fits}`));
  assert.deepEqual([picture.width, picture.height], [1365, 4095]);
  const byStep = await problemOf(`${tall}&step=0.5`, 413);
  assert.deepEqual([byStep.fits, byStep.parameter], [fits, 'step']);
  const narrow = await problemOf('/render?bbox=0,0,100,1000000&width=100', 413);
  assert.equal(narrow.fits, undefined, 'a pixel across would be 10000 pixels high');
  assert.match(narrow.detail, /no picture of so narrow a rectangle/);
  const least = await problemOf('/render?bbox=0,0,1,1e12'.replace('1e12', '1000000000000'), 413);
  assert.equal(least.allowed, '4096 x 4096 pixels');
});

const withServer = async (options, work) => {
  const own = await startServer({ arguments: options });
  try {
    await work(own.url);
  } finally {
    assert.equal(await own.stop(), 0, own.complaints());
  }
};

/* WebP is encoded at once. */
test('a part that costs more than a request may is refused, with the width that may be had', async () => {
  await withServer(['--request-cost', '120'], async (url) => {
    const wide = '/render?world=perlin&style=height&format=webp&bbox=0,0,1000,1000';
    const { fits, allowed } = await problemOf(`${wide}&width=4096`, 413, url);
    assert.equal(allowed, '60 ms of computing');
    assert.ok(fits > 256 && fits < 4096, fits);
    await bytesOf(`${wide}&width=${fits}`, url);
    const wider = await problemOf(`${wide}&step=0.1`, 413, url);
    assert.match(wider.detail, /10000 x 10000 pixels/);
    assert.ok(Math.abs(wider.fits - fits) < fits / 15, `${wider.fits} by the sides, ${fits} by the price`);
    await bytesOf(`${wide}&width=${wider.fits}`, url);
  });
});

/* 10 MB hold a picture of 1024 pixels a side, and not one of 2048. */
test('a picture beyond the memory for answers is refused before it is made', async () => {
  await withServer(['--answers-memory', '10M'], async (url) => {
    const square = '/render?world=perlin&style=height&bbox=0,0,1000,1000';
    assert.match((await problemOf(`${square}&width=2048`, 503, url)).detail, /large answers/);
    await bytesOf(`${square}&width=1024`, url);
  });
});

/* A client that may use 100 ms of computing in a second waits between the bands of a picture that takes more. */
test('each piece is paid by the client', async () => {
  await withServer(['--client-cost', '100', '--client-burst', '1', '--client-loopback', '1'], async (url) => {
    const started = performance.now();
    await bytesOf(`/render?bbox=${LAND}&width=2800`, url);
    assert.ok(performance.now() - started > 1000);
  });
});

/* 1 ms a second: a band takes more than the two seconds' worth that a client may wait. */
test('a picture whose next piece cannot be paid in time is given up with 429, after its wait', async () => {
  await withServer(['--client-cost', '2', '--client-burst', '1', '--client-loopback', '1', '--deadline', '2'], async (url) => {
    const started = performance.now();
    const response = await fetch(`${url}/render?bbox=${LAND}&width=2000`);
    assert.equal(response.status, 429);
    assert.ok(performance.now() - started > 1900);
    assert.ok(Number(response.headers.get('retry-after')) >= 1);
    assert.match((await response.json()).detail, /asked for more rendering than one client may/);
  });
});
