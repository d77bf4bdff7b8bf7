/* Tiles over HTTP: their pixels against /heights and other decoders, addresses, entity tags, caching, pins. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { PNG } from 'pngjs';
import { serverOfFile, startServer } from '../tools/server.mjs';
import { heightsAt, indexRange, makeRandom, pixelCentre, randomAddress } from './tile-addresses.mjs';
import { makeWorlds } from './worlds.mjs';
import { ask, get } from './raw.mjs';
import { temporaryFolder } from '../tools/folder.mjs';
import { floats } from './samples.mjs';

const worlds = makeWorlds();
const server = serverOfFile({ arguments: ['--worlds', worlds.folder] });
const folder = temporaryFolder().path;

const tile = (path, options) => fetch(server.url + path, options);
const bytes = async (response) => Buffer.from(await response.arrayBuffer());
const descriptor = async (world) => (await tile(`/worlds/${world}`)).json();

async function size(path) {
  const { width, height } = PNG.sync.read(await bytes(await tile(path)));
  return [width, height];
}

test('a tile is a PNG of 256 or 512 pixels', async () => {
  const response = await tile('/tiles/3/4/2.png');
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'image/png');
  assert.deepEqual(await size('/tiles/3/4/2.png'), [256, 256]);
  assert.deepEqual(await size('/tiles/3/4/2@2x.png'), [512, 512]);
  assert.deepEqual(await size('/tiles/3/4/2.png?size=512'), [512, 512]);
  assert.deepEqual(await size('/tiles/3/4/2@2x.png?size=512'), [512, 512]);
});

test('short paths give the same tiles as long ones', async () => {
  const long = await bytes(await tile('/worlds/terra/tiles/relief/3/4/2.png'));
  for (const short of ['/tiles/3/4/2.png', '/tiles/relief/3/4/2.png', '/tiles/3/4/2.png?world=terra&style=relief']) {
    assert.ok(long.equals(await bytes(await tile(short))), short);
  }
  const seeded = await bytes(await tile('/worlds/terra~%C3%A4/tiles/height/3/4/2.png'));
  assert.ok(seeded.equals(await bytes(await tile('/tiles/3/4/2.png?world=terra~%C3%A4&style=height'))));
  assert.ok(!seeded.equals(await bytes(await tile('/tiles/height/3/4/2.png'))));
});

test('tiles exist beyond the map, and any layer is a style', async () => {
  for (const path of ['/tiles/3/-5/-7.png', '/tiles/20/-1/2000000.png', '/tiles/0/32767/-32767.png', '/worlds/clock/tiles/tide/0/0/0.png']) {
    assert.equal((await tile(path)).status, 200, path);
  }
});

test('the second response comes from memory, and the first has its duration', async () => {
  const first = await tile('/tiles/relief/7/70/61.png');
  const second = await tile('/tiles/relief/7/70/61.png');
  assert.equal(first.headers.get('x-terrane-cache'), 'render');
  assert.match(first.headers.get('server-timing'), /^render;dur=\d+\.\d{3}, encode;dur=\d+\.\d{3}, queue;dur=\d+\.\d{3}$/);
  assert.equal(second.headers.get('x-terrane-cache'), 'memory');
  assert.equal(second.headers.get('server-timing'), null);
  assert.equal(first.headers.get('etag'), second.headers.get('etag'));
  assert.ok((await bytes(first)).equals(await bytes(second)));
});

test('16-bit grey is refused where a format cannot hold it', async () => {
  for (const extension of ['webp', 'ansi']) {
    const response = await tile(`/tiles/grey16/3/4/2.${extension}`);
    assert.equal(response.status, 404);
    const problem = await response.json();
    assert.equal(problem.detail, `the style "grey16" has 16 bits a pixel, which ${extension} cannot hold; `
      + 'its tiles are png, r32f, r16, json, mvt, txt, tif, npy, terrain');
    assert.equal(problem.allowed, 'png, r32f, r16, json, mvt, txt, tif, npy, terrain');
    assert.equal(problem.example, '/tiles/grey16/3/4/2.png');
    assert.equal((await tile(`/tiles/height/3/4/2.${extension}`)).status, 200);
  }
  for (const extension of ['png', 'r32f', 'r16', 'json', 'mvt', 'txt', 'tif']) {
    assert.equal((await tile(`/tiles/grey16/3/4/2.${extension}`)).status, 200, extension);
  }
  const png = await bytes(await tile('/tiles/grey16/3/4/2.png'));
  assert.deepEqual([png[24], png[25]], [16, 0], 'IHDR: 16 bits, grey');
});

test('every response has the CORS and caching headers', async () => {
  const { headers } = await tile('/tiles/3/4/2.png');
  assert.equal(headers.get('access-control-allow-origin'), '*');
  assert.match(headers.get('access-control-expose-headers'), /\bETag\b/);
  assert.match(headers.get('access-control-expose-headers'), /\bX-Terrane-Cache\b/);
  assert.equal(headers.get('x-content-type-options'), 'nosniff');
  assert.equal(headers.get('cache-control'), 'no-cache');
  assert.match(headers.get('etag'), /^"[0-9a-f]{32}-[0-9a-f]+"$/);
  assert.equal(headers.get('last-modified'), null);
  assert.equal(headers.get('vary'), null);
});

test('entity tags differ wherever pictures can differ', async () => {
  const paths = [
    '/tiles/relief/5/17/14.png', '/tiles/relief/5/17/15.png', '/tiles/relief/5/18/14.png', '/tiles/relief/6/17/14.png',
    '/tiles/relief/5/-17/14.png', '/tiles/relief/5/17/14@2x.png', '/tiles/terrarium/5/17/14.png',
    '/worlds/terra~1/tiles/relief/5/17/14.png', '/worlds/perlin/tiles/relief/5/17/14.png',
    '/worlds/clock/tiles/tide/5/17/14.png', '/worlds/clock/tiles/tide/5/17/14.png?t=1',
  ];
  const tags = await Promise.all(paths.map(async (path) => (await tile(path)).headers.get('etag')));
  assert.equal(new Set(tags).size, paths.length);
});

test('t does not change the entity tag of a picture without it', async () => {
  const still = await tile('/worlds/clock/tiles/height/5/17/14.png');
  const later = await tile('/worlds/clock/tiles/height/5/17/14.png?t=99');
  assert.equal(later.headers.get('etag'), still.headers.get('etag'));
  assert.equal(later.headers.get('x-terrane-cache'), 'memory');
  const pixel = async (query) => PNG.sync.read(await bytes(await tile(`/worlds/clock/tiles/tide/5/17/14.png${query}`))).data[0];
  assert.equal(await pixel(''), 0);
  assert.equal(await pixel('?t=100'), 255);
});

test('a pinned world is immutable, with or without a pinned style; an outdated pin gives 410', async () => {
  const { fingerprint, styles } = await descriptor('clock');
  const { name, fingerprint: stylePin } = styles.find((style) => style.name === 'own');
  const pinned = await tile(`/worlds/clock@${fingerprint}/tiles/${name}/4/8/8.png`);
  assert.equal(pinned.status, 200);
  assert.equal(pinned.headers.get('cache-control'), 'public, max-age=31536000, immutable');
  const styled = await tile(`/worlds/clock/tiles/${name}@${stylePin}/4/8/8.png`);
  assert.equal(styled.headers.get('cache-control'), 'no-cache');
  const both = await tile(`/worlds/clock@${fingerprint}/tiles/${name}@${stylePin}/4/8/8.png`);
  assert.equal(both.headers.get('cache-control'), 'public, max-age=31536000, immutable');
  assert.equal(both.headers.get('etag'), pinned.headers.get('etag'));
  const open = await tile(`/worlds/clock/tiles/${name}/4/8/8.png`);
  assert.equal(open.headers.get('cache-control'), 'no-cache');
  assert.equal(open.headers.get('etag'), pinned.headers.get('etag'));
  assert.equal((await tile(`/worlds/clock~2@${fingerprint}/tiles/${name}/4/8/8.png`)).status, 410);
  const conditional = await ask(server.port,
    get(`/worlds/clock@${fingerprint}/tiles/own@${stylePin}/4/8/8.png`, `If-None-Match: ${open.headers.get('etag')}\r\n`));
  assert.equal(conditional.status, 304);
  assert.equal(conditional.headers['cache-control'], 'public, max-age=31536000, immutable');
});

test('a layer is pinned like a style', async () => {
  const { fingerprint, layers } = await descriptor('clock');
  const pin = layers.find(({ name }) => name === 'tide').fingerprint;
  const path = (style) => `/worlds/clock@${fingerprint}/tiles/${style}/4/8/8.png`;
  assert.equal((await tile(path(`tide@${pin}`))).headers.get('cache-control'), 'public, max-age=31536000, immutable');
  assert.equal((await tile(path('tide'))).headers.get('cache-control'), 'public, max-age=31536000, immutable');
  assert.equal((await tile(path(`height@${pin}`))).status, 410);
});

test('an edited world or style gives 410 under its old pins and has new entity tags', async () => {
  const edited = makeWorlds();
  const before_ = await descriptor('clock');
  edited.edit('clock', (world) => {
    world.styles.own.paint[0].ramp.stops[1][1] = '#ff0';
  });
  const other = await startServer({ arguments: ['--worlds', edited.folder] });
  try {
    const style = before_.styles.find(({ name }) => name === 'own');
    const world = `/worlds/clock@${before_.fingerprint}`;
    assert.equal((await fetch(`${other.url}${world}/tiles/own@${style.fingerprint}/4/8/8.png`)).status, 410);
    const recoloured = await fetch(`${other.url}${world}/tiles/own/4/8/8.png`);
    assert.equal(recoloured.status, 200);
    assert.notEqual(recoloured.headers.get('etag'), (await tile(`${world}/tiles/own/4/8/8.png`)).headers.get('etag'));
    assert.equal((await fetch(`${other.url}${world}/tiles/height/4/8/8.png`)).headers.get('etag'),
      (await tile(`${world}/tiles/height/4/8/8.png`)).headers.get('etag'));
  } finally {
    await other.stop();
    edited.remove();
  }
});

test('a server without a cache gives the same responses', async () => {
  const other = await startServer({ arguments: ['--worlds', worlds.folder, '--cache-memory', '0'] });
  try {
    for (let i = 0; i < 2; i++) {
      const response = await fetch(`${other.url}/tiles/3/4/2.png`);
      assert.equal(response.headers.get('x-terrane-cache'), 'render');
      assert.ok((await bytes(response)).equals(await bytes(await tile('/tiles/3/4/2.png'))));
    }
  } finally {
    await other.stop();
  }
});

async function fetchBytes(path) {
  const response = await fetch(server.url + path);
  assert.equal(response.status, 200, path);
  return Buffer.from(await response.arrayBuffer());
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
  const heights = await heightsAt(server, world, pixels.map((p) => pixelCentre(address, size, ...p)),
    { zoom: size === 512 ? z + 1 : z });
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
  const heights = await heightsAt(server, 'terra', pixels.map((pixel) => pixelCentre(address, 256, ...pixel)), { zoom: 7 });
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

/* While no job waits, an idle thread paints half of a picture. */
test('the bytes of tiles do not depend on the number of render threads', async () => {
  const paths = ['relief/17/-3/5.png', 'relief/17/65575/65550.webp', 'relief/6/3/2@2x.png', 'contour/12/100/-70.png',
    'hillshade/9/4/4.png', 'biome/8/128/129.png', 'terrarium/7/1/-1.png', 'height/5/0/0.png', 'relief/11/2/3.ansi'];
  const made = await Promise.all([1, 3].map(async (count) => {
    const { url, stop } = await startServer({ arguments: ['--renderers', String(count)] });
    const tiles = [];
    for (const path of paths) tiles.push(await bytes(await fetch(`${url}/worlds/terra/tiles/${path}`)));
    await stop();
    return tiles;
  }));
  for (const [i, path] of paths.entries()) {
    assert.ok(made[0][i].length > 500, path);
    assert.ok(made[0][i].equals(made[1][i]), path);
  }
});

const meanOf = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const rootMeanSquare = (values) => Math.sqrt(meanOf(values.map((value) => value ** 2)));

/* The heights of a tile near the origin, and the means of those four zooms deeper in some of its pixels. */
async function heightsAndMeans(world, z) {
  const middle = Math.floor(2 ** z / 2);
  const heights = async (zoom, column, row) => floats(await bytes(await tile(
    `/worlds/${world}/tiles/height/${zoom}/${column}/${row}.r32f`)));
  const [far, near] = await Promise.all([heights(z, middle, middle), heights(z + 4, 16 * middle + 5, 16 * middle + 3)]);
  const pixels = Array.from({ length: 256 }, (_, i) => [i % 16, i >> 4]);
  const means = pixels.map(([i, j]) => meanOf(pixels.map(([a, b]) => near[(16 * j + b) * 256 + 16 * i + a])));
  return { near, means, far: pixels.map(([i, j]) => far[(3 * 16 + j) * 256 + 5 * 16 + i]) };
}

test('stripes that are too narrow for a pixel give way to their mean', async () => {
  for (const world of ['marble', 'wood', 'fire'])
    for (const z of [0, 1, 2, 3, 4, 5]) {
      const { near, means, far } = await heightsAndMeans(world, z);
      const mean = meanOf(near);
      const error = rootMeanSquare(far.map((height, i) => height - means[i]));
      /* Where pixels show single samples of the stripes, both are the same. */
      const spread = rootMeanSquare(near.map((height) => height - mean));
      assert.ok(error < 0.5 * spread, `${world} at zoom ${z}: ${error} m from the means, of ${spread} m`);
    }
});
