/* Tiles in every format: numbers against /heights and arithmetic, pictures against GDAL's readers. Vector tiles have
 * a file of their own, and so have content codings. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { PNG } from 'pngjs';
import { serverOfFile } from '../tools/server.mjs';
import { heightsAt, makeRandom, pixelCentre, randomAddress } from './tile-addresses.mjs';
import { temporaryFolder } from '../tools/folder.mjs';

const worlds = temporaryFolder({
  'tide.json': { generator: 1, seed: 1, layers: { height: '100 * perlin(wavelength=4096)', water_level: 't' } },
  'steep.json': { generator: 1, seed: 1, layers: { height: '1000000 * white(wavelength=4)' } },
});
const server = serverOfFile({ arguments: ['--worlds', worlds.path] });
const folder = temporaryFolder().path;
const formats = ['png', 'webp', 'r32f', 'r16', 'json', 'mvt', 'txt', 'ansi', 'tif', 'npy', 'terrain'];

async function fetchBytes(path) {
  const response = await fetch(server.url + path);
  assert.equal(response.status, 200, path);
  return Buffer.from(await response.arrayBuffer());
}

const tilePath = (world, style, { z, x, y }, rest) =>
  `/worlds/${world}/tiles/${style}/${z}/${x}/${y}${rest}`;

/* The little-endian numbers of a tile. */
async function fetchFloats(...place) {
  const bytes = await fetchBytes(tilePath(...place));
  return Float32Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(4 * i));
}
async function fetchNumbers(...place) {
  const bytes = await fetchBytes(tilePath(...place));
  return Uint16Array.from({ length: bytes.length / 2 }, (_, i) => bytes.readUInt16LE(2 * i));
}

/* The numbers of a raster, by GDAL. */
function gdalFloats(file) {
  const raw = join(folder, 'raw.bin');
  assert.equal(spawnSync('gdal_translate', ['-q', '-of', 'ENVI', file, raw]).status, 0);
  const bytes = readFileSync(raw);
  return Float32Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(4 * i));
}

/* Tile addresses at every zoom, near and far, each with a world and one of its layers. */
function samplePlaces(seed, count) {
  const random = makeRandom(seed);
  const layers = [['terra', 'height'], ['archipelago', 'height'], ['perlin', 'height'],
    ['terra', 'temperature'], ['canyons', 'height'], ['dunes', 'height'], ['highlands', 'height']];
  return Array.from({ length: count }, (_, i) =>
    ({ world: layers[i % layers.length][0], layer: layers[i % layers.length][1],
      address: randomAddress(random, i), random }));
}

test('tif is r32f with its place on the map, for GDAL', async () => {
  const half = Math.PI * 6378137;
  for (const [i, { world, layer, address }] of samplePlaces(31, 4).entries()) {
    for (const size of [256 << (i & 1)]) {
      const rest = size === 512 ? '@2x' : '';
      const file = join(folder, 'tile.tif');
      writeFileSync(file, await fetchBytes(tilePath(world, layer, address, `${rest}.tif`)));
      const { status, stdout } = spawnSync('gdalinfo', ['-json', file]);
      assert.equal(status, 0);
      const info = JSON.parse(stdout);
      const tile = (2 * half) / 2 ** address.z;
      const expected = [Number(address.x) * tile - half, tile / size, 0, half - Number(address.y) * tile, 0, -tile / size];
      info.geoTransform.forEach((value, k) => assert.ok(Math.abs(value - expected[k]) <= 1e-12 * Math.abs(expected[k]) + 1e-6, `${i}: ${info.geoTransform}`));
      assert.match(info.coordinateSystem.wkt, /Pseudo-Mercator/);
      const floats = gdalFloats(file);
      assert.deepEqual(floats, await fetchFloats(world, layer, address, `${rest}.r32f`));
    }
  }
});

test('r32f is /heights at the pixels\' centres, bit for bit', async () => {
  for (const { world, layer, address, random } of samplePlaces(11, 21)) {
    for (const size of address.z < 20 ? [256, 512] : [256]) {
      const floats = await fetchFloats(world, layer, address, size === 512 ? '@2x.r32f' : '.r32f');
      assert.equal(floats.length, size * size);
      const end = BigInt(size - 1);
      const pixels = Array.from({ length: 100 }, () => [Number(random(0n, end)), Number(random(0n, end))]);
      /* A tile of twice the pixels has the level of detail of the next zoom. */
      const heights = await heightsAt(server, world, pixels.map((pixel) => pixelCentre(address, size, ...pixel)),
        { layer, zoom: address.z + (size === 512) });
      pixels.forEach(([column, row], i) => {
        assert.equal(floats[row * size + column], Math.fround(heights[i]),
          `${world} ${layer} ${address.z}/${address.x}/${address.y} at ${column}, ${row}`);
      });
    }
  }
});

test('r16 is r32f in steps of an eighth of a metre', async () => {
  let clamped = 0;
  const most = { world: 'terra', layer: 'sway_x', address: { z: 3, x: 1n, y: 2n } };
  for (const { world, layer, address } of [...samplePlaces(12, 14), most]) {
    const floats = await fetchFloats(world, layer, address, '.r32f');
    const numbers = await fetchNumbers(world, layer, address, '.r16');
    assert.equal(numbers.length, floats.length);
    floats.forEach((height, i) => {
      const exact = Math.min(Math.max(Math.floor(32768 + 8 * height + 0.5), 0), 65535);
      clamped += exact === 65535;
      assert.equal(numbers[i], exact);
    });
  }
  assert.ok(clamped > 0);
});

/* A tile of 2ᵏ times fewer samples is as fine as the tiles k zooms up, and is a part of one. */
test('json has the numbers of r32f', async () => {
  const random = makeRandom(13);
  for (const [index, size] of [64, 64, 32, 16, 8, 4, 2, 1, 64].entries()) {
    const up = Math.log2(256 / size);
    const address = randomAddress(random, index);
    address.z = Math.max(address.z, up);
    const half = 1n << BigInt(address.z - 1);
    address.x = half + BigInt.asIntN(8, address.x);
    address.y = half - BigInt.asIntN(8, address.y);
    const answer = JSON.parse(await fetchBytes(
      tilePath('terra', 'height', address, index ? `.json?size=${size}` : '.json')));
    const { x, y } = address;
    const shift = BigInt(up);
    const floats = await fetchFloats('terra', 'height', { z: address.z - up, x: x >> shift, y: y >> shift }, '.r32f');
    const [left, top] = [x, y].map((at) => Number(BigInt.asUintN(up, at)) * size);
    assert.deepEqual(answer.size, [size, size]);
    assert.equal(answer.layer, 'height');
    assert.equal(answer.unit, 'm');
    const [west, north] = pixelCentre(address, size, 0, 0);
    assert.deepEqual(answer.origin, [Number(west) / 65536, Number(north) / 65536]);
    assert.equal(answer.step, 2 ** (25 - address.z) / size);
    assert.equal(answer.samples.length, size);
    answer.samples.forEach((row, j) => {
      assert.equal(row.length, size);
      row.forEach((value, i) => {
        assert.equal(Math.fround(value), floats[(top + j) * 256 + left + i], `${size}: ${i}, ${j}`);
      });
    });
  }
});

/* The pixels of a picture as GDAL reads them: red, green and blue. */
function gdalPixels(bytes, name) {
  writeFileSync(join(folder, name), bytes);
  const { status, stderr } = spawnSync('gdal_translate',
    ['-q', '-of', 'ENVI', '-co', 'INTERLEAVE=BIP', name, `${name}.raw`], { cwd: folder });
  assert.equal(status, 0, `${stderr}`);
  return readFileSync(join(folder, `${name}.raw`));
}

function pngPixels(bytes) {
  const { data } = PNG.sync.read(bytes);
  return Buffer.from(data.filter((_, i) => i % 4 !== 3));
}

const FOR_GDAL = { timeout: 60_000 }; /* it starts for each of some tens of tiles */

test('a webp of areas, numbers or greys has the pixels of the png', FOR_GDAL, async () => {
  const random = makeRandom(14);
  const kinds = [['terra', 'biome'], ['terra', 'terrarium'], ['terra', 'height'], ['terra', 'mapbox'], ['terra', 'normal'],
    ['archipelago', 'biome'], ['perlin', 'terrarium'], ['clouds', 'cover'], ['terra', 'temperature']];
  for (const [index, [world, style]] of [...kinds, ...kinds].entries()) {
    const address = randomAddress(random, index);
    for (const size of index % 5 ? [''] : ['', '@2x']) {
      const path = (format) => tilePath(world, style, address, `${size}.${format}`);
      const webp = gdalPixels(await fetchBytes(path('webp')), 'lossless.webp');
      assert.ok(webp.equals(pngPixels(await fetchBytes(path('png')))), path('webp'));
    }
  }
});

/* Peak signal-to-noise ratio of two lists of 0 … 255, in decibels. */
function decibels(one, other) {
  assert.equal(one.length, other.length);
  const sum = one.reduce((total, value, i) => total + (value - other[i]) ** 2, 0);
  return 10 * Math.log10(255 ** 2 / (sum / one.length));
}

const brightness = (pixels) => Float64Array.from({ length: pixels.length / 3 },
  (_, i) => 0.299 * pixels[3 * i] + 0.587 * pixels[3 * i + 1] + 0.114 * pixels[3 * i + 2]);

test('a webp of a picture is near its png', FOR_GDAL, async () => {
  const random = makeRandom(15);
  for (let index = 0; index < 40; index++) {
    const world = ['terra', 'archipelago', 'highlands', 'canyons', 'dunes'][index % 5];
    const { z } = randomAddress(random, index);
    const middle = 1n << BigInt(z) >> 1n;
    const address = { z, x: middle + random(-9n, 9n), y: middle + random(-9n, 9n) };
    const path = (format) => tilePath(world, 'relief', address, `.${format}`);
    const webp = gdalPixels(await fetchBytes(path('webp')), 'lossy.webp');
    const png = pngPixels(await fetchBytes(path('png')));
    const bright = decibels(brightness(png), brightness(webp));
    assert.ok(bright > 35, `${path('webp')}: brightness ${bright} dB`);
    /* Colours have half the resolution. */
    const all = decibels(png, webp);
    assert.ok(all > (z > 10 ? 33 : 25), `${path('webp')}: ${all} dB`);
  }
});

test('txt is ASCII in lines of one width', async () => {
  for (const [query, columns] of [['', 80], ['?cols=8', 8], ['?cols=79', 79], ['?cols=200', 200]]) {
    for (const address of ['9/256/256', '0/0/0', '17/-5/70000']) {
      const text = (await fetchBytes(`/tiles/${address}.txt${query}`)).toString('latin1');
      const lines = text.split('\n');
      assert.equal(lines.pop(), '');
      /* A character is twice as high as wide. */
      assert.ok(Math.abs(lines.length - columns / 2) <= 0.5, `${lines.length} lines`);
      for (const line of lines) {
        assert.equal(line.length, columns);
        assert.match(line, /^[\x20-\x7e]*$/);
      }
    }
  }
});

/* Plays a terminal: the colours of the upper and lower half of each character, line by line. */
function playAnsi(text) {
  const lines = [];
  let [front, back] = [null, null];
  for (const line of text.split('\n').slice(0, -1)) {
    const cells = [];
    for (const [, sequence, character] of line.matchAll(/\x1b\[([\d;]*)m|([^\x1b])/gu)) {
      if (character !== undefined) {
        assert.equal(character, '▀');
        cells.push([front, back]);
        continue;
      }
      const numbers = sequence.split(';').map(Number);
      while (numbers.length > 0) {
        const kind = numbers.shift();
        if (kind === 0) {
          [front, back] = [null, null];
          continue;
        }
        assert.ok(kind === 38 || kind === 48, sequence);
        assert.equal(numbers.shift(), 2);
        const colour = numbers.splice(0, 3);
        assert.ok(colour.length === 3 && colour.every((c) => c >= 0 && c <= 255), sequence);
        if (kind === 38) front = colour;
        else back = colour;
      }
    }
    assert.deepEqual([front, back], [null, null], 'a line leaves its colours behind');
    assert.ok(cells.every(([upper]) => upper !== null));
    lines.push(cells);
  }
  return lines;
}

test('ansi is a picture of half blocks and resets the colour at every end of line', async () => {
  for (const [query, columns] of [['', 80], ['?cols=8', 8], ['?cols=200', 200]]) {
    const text = (await fetchBytes(`/worlds/terra/tiles/relief/9/250/260.ansi${query}`)).toString();
    assert.ok(text.endsWith('\n'));
    const lines = playAnsi(text);
    assert.equal(lines.length, columns / 2);
    for (const cells of lines) assert.equal(cells.length, columns);
  }
});

test('ansi has the colours of the png', async () => {
  /* 64 columns: a half block is 4 × 4 pixels, whose squares' mean it is. */
  const { data } = PNG.sync.read(await fetchBytes('/tiles/relief/7/64/63.png'));
  const lines = playAnsi((await fetchBytes('/tiles/relief/7/64/63.ansi?cols=64')).toString());
  lines.flat().forEach((cell, i) => cell.forEach((colour, half) => {
    const [left, top] = [4 * (i % 64), 8 * Math.floor(i / 64) + 4 * half];
    colour.forEach((value, channel) => {
      let sum = 0;
      for (let j = 0; j < 16; j++) sum += data[4 * (256 * (top + (j >> 2)) + left + j % 4) + channel] ** 2;
      assert.ok(Math.abs(value - Math.sqrt(sum / 16)) <= 1, `${i}: ${value} for ${Math.sqrt(sum / 16)}`);
    });
  }));
});

test('entity tags differ by size, width and interval only where these change the bytes', async () => {
  const tag = async (path) => {
    const response = await fetch(server.url + path, { method: 'HEAD' });
    assert.equal(response.status, 200, path);
    return response.headers.get('etag');
  };
  const differ = [
    ['/tiles/3/4/2.webp', '/tiles/3/4/2@2x.webp'], ['/tiles/3/4/2.r32f', '/tiles/3/4/2.r32f?size=512'],
    ['/tiles/3/4/2.json', '/tiles/3/4/2.json?size=32', '/tiles/3/4/2.json?size=1'],
    ['/tiles/3/4/2.txt', '/tiles/3/4/2.txt?cols=81', '/tiles/3/4/2.txt?cols=200'],
    ['/tiles/3/4/2.ansi', '/tiles/3/4/2.ansi?cols=40'],
    ['/tiles/3/4/2.mvt', '/tiles/3/4/2.mvt?interval=500', '/tiles/3/4/2.mvt?interval=500.5'],
  ];
  for (const paths of differ) {
    assert.equal(new Set(await Promise.all(paths.map(tag))).size, paths.length, paths[0]);
  }
  const equal = [
    ['/tiles/3/4/2.json', '/tiles/3/4/2.json?size=64'], ['/tiles/3/4/2.txt', '/tiles/3/4/2.txt?cols=80'],
    ['/tiles/3/4/2.mvt', '/tiles/3/4/2.mvt?interval=1000'],
  ];
  for (const [one, other] of equal) assert.equal(await tag(one), await tag(other), one);
});

test('t changes the tiles of layers that depend on it, in every format', async () => {
  const answer = async (path) => {
    const response = await fetch(server.url + path);
    assert.equal(response.status, 200, path);
    return { tag: response.headers.get('etag'), bytes: Buffer.from(await response.arrayBuffer()) };
  };
  for (const format of formats) {
    const still = await answer(`/worlds/terra/tiles/relief/9/256/250.${format}`);
    const later = await answer(`/worlds/terra/tiles/relief/9/256/250.${format}?t=600`);
    assert.equal(later.tag, still.tag, format);
    const path = `/worlds/clouds/tiles/clouds/9/256/256.${format}`;
    const cloud = await answer(path);
    const moved = await answer(`${path}?t=600`);
    assert.notEqual(moved.tag, cloud.tag, format);
    assert.ok(!moved.bytes.equals(cloud.bytes), format);
    assert.equal((await answer(`${path}?t=0`)).tag, cloud.tag, format);
  }
});

test('t changes a vector tile whose water rises while the ground stays', async () => {
  const ask = async (rest) => fetch(`${server.url}/worlds/tide/tiles/height/11/1024/1024.${rest}`);
  const answers = await Promise.all(['mvt', 'mvt?t=50', 'r32f', 'r32f?t=50'].map(ask));
  const [ebb, flood, ground, later] = answers.map(({ headers }) => headers.get('etag'));
  assert.notEqual(ebb, flood);
  assert.equal(ground, later);
  const [low, high] = await Promise.all(answers.slice(0, 2).map(async (answer) =>
    Buffer.from(await answer.arrayBuffer())));
  assert.ok(!low.equals(high));
});

test('without an interval the steepest ground has a tile', async () => {
  for (const zoom of [0, 9, 15, 16, 17, 18, 20]) {
    const path = `${server.url}/worlds/steep/tiles/relief/${zoom}/0/0.mvt`;
    assert.equal((await fetch(path)).status, 200, `zoom ${zoom}`);
    if (zoom < 18) continue;
    const refused = await fetch(`${path}?interval=1`);
    assert.equal(refused.status, 400, `zoom ${zoom}`);
    assert.equal((await refused.json()).parameter, 'interval');
  }
});
