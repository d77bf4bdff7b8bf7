/* terrane render in every format. The worlds of these tests are planes, so that every sample is
 * known by arithmetic: at zoom 17 a pixel is a metre, and tile 65536 begins at 0 m. */

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { VectorTile } from '@mapbox/vector-tile';
import { PbfReader } from 'pbf';
import { binary, cleanEnvironment, terrane } from './terrane.mjs';
import { temporaryFolder } from '../tools/folder.mjs';

const { PNG } = createRequire(import.meta.url)('pngjs');

const folder = temporaryFolder({
  'worlds/plane.json': {
    generator: 1,
    layers: { height: { formula: 'x', unit: 'm' }, down: 'y / 16', time: 't' },
  },
});

const worlds = ['--worlds', 'worlds', '--world', 'plane'];
const tile = ['--tile', '17/65536/65536'];

/* The bytes of a render to standard output. */
function render(...words) {
  const { status, stdout, stderr } = terrane(['render', ...words, '-o', '-'],
    { cwd: folder.path, bytes: true });
  assert.equal(stderr, '');
  assert.equal(status, 0);
  return stdout;
}

const floats = (bytes) => Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(4 * i));
const numbers = (bytes) => Array.from({ length: bytes.length / 2 },
  (_, i) => bytes.readUInt16LE(2 * i));

test('a tile\'s r32f are the samples at its pixels\' centres, row by row', () => {
  const across = floats(render(...worlds, ...tile, '--style', 'height', '--format', 'r32f'));
  assert.equal(across.length, 256 * 256);
  across.forEach((value, i) => assert.equal(value, (i % 256) + 0.5));
  const down = floats(render(...worlds, ...tile, '--style', 'down', '--size', '512', '--format',
    'r32f'));
  assert.equal(down.length, 512 * 512);
  down.forEach((value, i) => assert.equal(value, (Math.floor(i / 512) / 2 + 0.25) / 16));
});

test('r16 are steps of an eighth of a metre', () => {
  const across = numbers(render(...worlds, ...tile, '--format', 'r16'));
  assert.equal(across.length, 256 * 256);
  across.forEach((value, i) => assert.equal(value, 32768 + 8 * (i % 256) + 4));
});

test('a rectangle\'s r32f and r16 join in bands', () => {
  /* 400 columns of 2 m, from −800 m; more than two bands of 2¹⁸ samples. */
  const words = [...worlds, '--bbox', '-800,-3200,0,800', '--width', '400'];
  const across = floats(render(...words, '--format', 'r32f'));
  assert.equal(across.length, 400 * 2000);
  across.forEach((value, i) => assert.equal(value, -799 + 2 * (i % 400)));
  const down = numbers(render(...words, '--style', 'down', '--format', 'r16'));
  assert.equal(down.length, 400 * 2000);
  down.forEach((value, i) => {
    const metres = (-3199 + 2 * Math.floor(i / 400)) / 16;
    assert.equal(value, Math.floor(32768.5 + 8 * metres));
  });
});

test('json has up to 64 samples a side', () => {
  const four = JSON.parse(render(...worlds, ...tile, '--size', '4', '--format', 'json'));
  assert.deepEqual(four, {
    layer: 'height',
    unit: 'm',
    size: [4, 4],
    step: 64,
    origin: [32, 32],
    samples: Array.from({ length: 4 }, () => [32, 96, 160, 224]),
  });
  const most = JSON.parse(render(...worlds, ...tile, '--format', 'json'));
  assert.deepEqual(most.size, [64, 64]);
});

test('-t is the time of numbers too', () => {
  const words = [...worlds, '--style', 'time', '-t', '2.5'];
  assert.ok(floats(render(...words, ...tile, '--format', 'r32f')).every((v) => v === 2.5));
  const box = ['--bbox', '0,0,8,8', '--width', '4', '--format', 'r32f'];
  assert.deepEqual(floats(render(...words, ...box)), Array(16).fill(2.5));
});

test('an mvt has the contours of --interval', () => {
  const read = (...more) => new VectorTile(new PbfReader(
    render(...worlds, ...tile, '--format', 'mvt', ...more))).layers.contour;
  const contours = read('--interval', '50');
  const heights = Array.from({ length: contours.length }, (_, i) => {
    const feature = contours.feature(i);
    const { height, index } = feature.properties;
    assert.equal(index, height % 250 === 0);
    for (const { x } of feature.loadGeometry().flat()) {
      assert.ok(Math.abs(x - 16 * height) <= 1, `${height} m at ${x}`);
    }
    return height;
  });
  assert.deepEqual(heights, [0, 50, 100, 150, 200, 250]);
  /* At zoom 17 it is 1 m; the tile's buffer is 64 of 4096 units, 4 m, on either side. */
  assert.ok(Math.abs(read().length - 265) <= 1);
});

test('txt and ansi are as wide as --cols', () => {
  for (const [more, columns] of [[[], 80], [['--cols', '8'], 8], [['--cols', '200'], 200]]) {
    const lines = render(...worlds, ...tile, '--format', 'txt', ...more).toString().split('\n');
    assert.equal(lines.pop(), '');
    assert.deepEqual(lines.map(({ length }) => length), Array(columns / 2).fill(columns));
    const picture = render(...worlds, ...tile, '--format', 'ansi', ...more).toString();
    assert.equal(picture.match(/▀/g).length, columns * (columns / 2));
  }
});

/* A file's pixels as GDAL reads them, in red, green and blue. */
function gdalPixels(name) {
  const { status, stderr } = spawnSync('gdal_translate', ['-q', '-of', 'ENVI', '-co',
    'INTERLEAVE=BIP', name, `${name}.raw`],
  { cwd: folder.path, env: cleanEnvironment({ GDAL_PAM_ENABLED: 'NO' }) });
  assert.equal(status, 0, `${stderr}`);
  return readFileSync(`${folder.path}/${name}.raw`);
}

function pngPixels(bytes) {
  const { data } = PNG.sync.read(bytes);
  return Buffer.from(data.filter((_, i) => i % 4 !== 3));
}

test('a webp of areas or numbers has the pixels of the png', () => {
  /* The last is painted in several bands. */
  for (const words of [[...tile, '--style', 'terrarium'], ['--tile', '5/16/15', '--style', 'biome'],
    ['--bbox', '0,0,600000,1500000', '--width', '600', '--style', 'biome']]) {
    const { status } = terrane(['render', ...words, '-o', 'pixels.webp'], { cwd: folder.path });
    assert.equal(status, 0);
    assert.ok(gdalPixels('pixels.webp').equals(pngPixels(render(...words))), words.join(' '));
  }
});

test('a lossy webp is near the png', () => {
  const words = ['--bbox', '0,0,90000,60000', '--width', '900'];
  const { status } = terrane(['render', ...words, '-o', 'lossy.WebP'], { cwd: folder.path });
  assert.equal(status, 0);
  const picture = gdalPixels('lossy.WebP');
  const exact = pngPixels(render(...words));
  assert.equal(picture.length, exact.length);
  const sum = exact.reduce((total, value, i) => total + (value - picture[i]) ** 2, 0);
  const decibel = 10 * Math.log10(255 ** 2 / (sum / exact.length));
  assert.ok(decibel > 33, `${decibel} dB`);
});

test('--format decides where the extension says nothing', () => {
  const exact = render(...worlds, ...tile, '--format', 'r32f');
  for (const name of ['samples', 'samples.bin', 'some.r32f']) {
    const { status, stderr } = terrane(['render', ...worlds, ...tile, '--format', 'R32F', '-o', name],
      { cwd: folder.path });
    assert.equal(stderr, '');
    assert.equal(status, 0);
    assert.ok(readFileSync(`${folder.path}/${name}`).equals(exact), name);
  }
  assert.equal(PNG.sync.read(render(...worlds, ...tile)).width, 256);
});

test('an interval with too many contours is refused and leaves no file', () => {
  const { status, stderr } = terrane(['render', ...worlds, '--tile', '8/128/128', '--interval',
    '0.01', '-o', 'many.mvt'], { cwd: folder.path });
  assert.match(stderr, /^terrane: a contour interval of 0\.01 is too small for heights from /);
  assert.equal(status, 1);
  assert.deepEqual(readdirSync(folder.path).filter((name) => name.startsWith('many')), []);
});

/* The most memory, in bytes, that the program had while it wrote `rows` rows of 64 samples. */
async function peakMemory(rows) {
  const child = spawn(binary, ['render', ...worlds, '--bbox', `0,0,64,${rows}`, '--width', '64',
    '--format', 'r32f', '-o', '-'],
  { cwd: folder.path, env: cleanEnvironment(), stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  let bytes = 0;
  let peak = 0;
  for await (const chunk of child.stdout) {
    bytes += chunk.length;
    try {
      const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [0, 0];
      peak = Math.max(peak, 1024 * kilobytes);
    } catch {
      /* It has ended. */
    }
  }
  assert.equal((await ended)[0], 0);
  assert.equal(bytes, 4 * 64 * rows);
  return peak;
}

test('a rectangle of many rows takes no more memory than one of few rows',
  { skip: !existsSync('/proc/self/status') && 'no /proc here' }, async () => {
    const low = await peakMemory(8192);
    const high = await peakMemory(262144); /* 64 MiB of samples */
    assert.ok(low > 1e6);
    assert.ok(high < low + 16e6, `${high} and ${low} bytes`);
  });
