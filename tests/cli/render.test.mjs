/* terrane render. */

import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { binary, cleanEnvironment, terrane } from './terrane.mjs';
import { amount } from '../tools/amount.mjs';
import { temporaryFolder } from '../tools/folder.mjs';

const { PNG } = createRequire(import.meta.url)('pngjs');

/* In the style "grey" a pixel's grey is its x, 0 … 255; in "time" it is t. */
const ramp = (layer) => ({ paint: [{ ramp: { layer, stops: [[0, '#000'], [255, '#fff']] } }] });
const folder = temporaryFolder({
  'worlds/plane.json': {
    generator: 1,
    layers: { height: 'perlin(wavelength=64)', across: 'x', down: 'y', time: 't' },
    styles: { grey: ramp('across'), down: ramp('down'), time: ramp('time') },
  },
});

function render(words) {
  return terrane(['render', '--worlds', 'worlds', ...words], { cwd: folder.path, bytes: true });
}

/* { width, height, at(x, y) → [r, g, b] } of a picture on standard output. */
function picture(words) {
  const { status, stdout, stderr } = render([...words, '-o', '-']);
  assert.equal(stderr, '');
  assert.equal(status, 0);
  const { width, height, data } = PNG.sync.read(stdout);
  return {
    width, height, data,
    at: (x, y) => [...data.subarray(4 * (y * width + x), 4 * (y * width + x) + 3)],
  };
}

function assertGrey(pixel, value) {
  for (const channel of pixel) assert.ok(Math.abs(channel - value) <= 1, `${pixel} for ${value}`);
}

test('a bbox is sampled at the centres of its pixels', () => {
  const wide = picture(['--world', 'plane', '--style', 'grey', '--bbox', '0,-8,256,8',
    '--width', '16']);
  assert.deepEqual([wide.width, wide.height], [16, 1]);
  for (let x = 0; x < 16; x++) assertGrey(wide.at(x, 0), 16 * x + 8);
  const high = picture(['--world', 'plane', '--style', 'down', '--bbox', '-1,0,1,256',
    '--width', '1']);
  assert.deepEqual([high.width, high.height], [1, 128]);
  for (let y = 0; y < 128; y++) assertGrey(high.at(0, y), 2 * y + 1);
});

test('pixels are square: the height follows from the shape', () => {
  const { width, height } = picture(['--bbox', '-100,-100,200,100', '--width', '30']);
  assert.deepEqual([width, height], [30, 20]);
});

test('-t is the time', () => {
  const words = ['--world', 'plane', '--style', 'time', '--bbox', '0,0,4,4', '--width', '2'];
  assertGrey(picture([...words, '-t', '200']).at(0, 0), 200);
  assertGrey(picture(words).at(0, 0), 0);
  assertGrey(picture(['--world', 'plane', '--style', 'time', '--tile', '17/65536/65536',
    '-t', '99.5']).at(5, 5), 99.5);
});

test('a tile covers the area of its address', () => {
  /* At zoom 17 a tile is 256 m: tile 65536 spans x 0 … 256, a metre a pixel. */
  const tile = picture(['--world', 'plane', '--style', 'grey', '--tile', '17/65536/65535']);
  assert.deepEqual([tile.width, tile.height], [256, 256]);
  for (const x of [0, 1, 100, 254]) assertGrey(tile.at(x, 17), x + 0.5);
  const large = picture(['--world', 'plane', '--style', 'grey', '--tile', '17/65536/65535',
    '--size', '512']);
  assert.deepEqual([large.width, large.height], [512, 512]);
  for (const x of [0, 1, 200, 509]) assertGrey(large.at(x, 400), x / 2 + 0.25);
});

test('GDAL reads the same pixels', () => {
  for (const [name, words] of [['tile', ['--tile', '3/4/2']],
    ['bands', ['--bbox', '0,0,9000,6000', '--width', '300']]]) {
    const { status } = render([...words, '-o', `${name}.png`]);
    assert.equal(status, 0);
    const { width, height, at } = picture(words);
    const gdal = (program, words, input) => {
      const { stdout, stderr, status: result } = spawnSync(program, words,
        { cwd: folder.path, input, env: cleanEnvironment({ GDAL_PAM_ENABLED: 'NO' }) });
      assert.equal(result, 0, `${stderr}`);
      return stdout.toString();
    };
    const info = JSON.parse(gdal('gdalinfo', ['-json', `${name}.png`]));
    assert.deepEqual(info.size, [width, height]);
    assert.deepEqual(info.bands.map(({ type }) => type), ['Byte', 'Byte', 'Byte']);
    const places = Array.from({ length: 40 }, (_, i) => [(i * 37) % width, (i * 71) % height]);
    const values = gdal('gdallocationinfo', ['-valonly', `${name}.png`],
      places.map((place) => place.join(' ')).join('\n')).trim().split(/\s+/).map(Number);
    assert.deepEqual(values, places.flatMap(([x, y]) => at(x, y)));
  }
});

test('a bbox with a tile\'s bounds has the tile\'s pixels', () => {
  /* Tile 9/250/260: 65536 m wide, from (250 − 256)·65536 and (260 − 256)·65536. */
  const tile = picture(['--tile', '9/250/260']);
  const box = picture(['--bbox', '-393216,262144,-327680,327680', '--width', '256']);
  assert.deepEqual([box.width, box.height], [256, 256]);
  assert.ok(tile.data.equals(box.data));
});

test('the bands of a large picture join without a seam', () => {
  /* 600 columns are painted about 400 rows at a time; the part is painted at once. */
  const whole = picture(['--bbox', '0,0,60000,150000', '--width', '600']);
  assert.deepEqual([whole.width, whole.height], [600, 1500]);
  for (const top of [350, 800, 1200]) {
    const part = picture(['--bbox', `0,${100 * top},60000,${100 * (top + 200)}`,
      '--width', '600']);
    assert.equal(part.height, 200);
    assert.ok(part.data.equals(whole.data.subarray(4 * 600 * top, 4 * 600 * (top + 200))));
  }
});

test('a seed gives another picture', () => {
  const words = ['--tile', '9/256/256'];
  assert.ok(!picture(words).data.equals(picture([...words, '--world', 'terra~other']).data));
});

test('an output file is replaced as a whole', () => {
  writeFileSync(`${folder.path}/out.png`, 'old');
  const { status, stdout, stderr } = render(['--bbox', '0,0,9,9', '--width', '3', '-o', 'out.png']);
  assert.equal(stderr.toString(), '');
  assert.equal(stdout.length, 0);
  assert.equal(status, 0);
  assert.equal(PNG.sync.read(readFileSync(`${folder.path}/out.png`)).width, 3);
  assert.deepEqual(readdirSync(folder.path).filter((name) => name.includes('out')), ['out.png']);
});

/* The shell becomes the program and keeps its pid. The names of temporary files begin with it. */
test('links under the names of temporary files are not followed', () => {
  folder.write('planted/victim', 'kept');
  const { status, stderr } = spawnSync('sh', ['-c', 'ln -s victim out.png.$$.part && exec "$0" "$@"', binary,
    'render', '--bbox', '0,0,9,9', '--width', '3', '-o', 'out.png'], { cwd: folder.file('planted'), env: cleanEnvironment() });
  assert.equal(stderr.toString(), '');
  assert.equal(status, 0);
  assert.equal(readFileSync(folder.file('planted/victim'), 'utf8'), 'kept');
  assert.ok(lstatSync(folder.file('planted/out.png')).isFile());
  assert.equal(PNG.sync.read(readFileSync(folder.file('planted/out.png'))).width, 3);
  const left = readdirSync(folder.file('planted')).filter((name) => name.endsWith('.part'));
  assert.ok(left.length === 1 && lstatSync(folder.file(`planted/${left[0]}`)).isSymbolicLink(), `${left}`);
});

test('what is no regular file is written to and not replaced', () => {
  const small = ['--bbox', '0,0,9,9', '--width', '3', '--format', 'png'];
  const shell = (script) => {
    const { status, stdout, stderr } = spawnSync('sh', ['-c', script, binary, 'render', ...small],
      { cwd: folder.file('special'), env: cleanEnvironment() });
    assert.equal(stderr.toString(), '');
    assert.equal(status, 0);
    return stdout;
  };
  folder.write('special/target', 'old');
  symlinkSync('target', folder.file('special/link'));
  symlinkSync('/proc/self/fd/1', folder.file('special/stdout'));
  execFileSync('mkfifo', [folder.file('special/pipe')]);
  const picture = shell('"$0" "$@" -o -');
  assert.equal(PNG.sync.read(picture).width, 3);
  shell('"$0" "$@" -o link');
  assert.ok(lstatSync(folder.file('special/link')).isSymbolicLink());
  assert.ok(readFileSync(folder.file('special/target')).equals(picture));
  assert.ok(shell('"$0" "$@" -o pipe & cat pipe; wait $!').equals(picture));
  assert.ok(shell('"$0" "$@" -o stdout').equals(picture));
  shell('{ printf before; "$0" "$@" -o stdout; printf behind; } > target');
  assert.ok(readFileSync(folder.file('special/target')).equals(Buffer.concat([Buffer.from('before'), picture, Buffer.from('behind')])));
  assert.deepEqual(readdirSync(folder.file('special')).sort(), ['link', 'pipe', 'stdout', 'target']);
});

test('a picture that cannot be written leaves no file', () => {
  /* Files may grow to 512 or 1024 bytes here; a build that measures coverage is told to write none
   * of its own. */
  const { status, stderr } = spawnSync('sh', ['-c', 'ulimit -f 1; exec "$0" "$@"', binary,
    'render', '--tile', '9/256/256', '-o', 'failed.png'],
  { cwd: folder.path, env: cleanEnvironment({ GCOV_PREFIX: '/dev/null' }) });
  assert.equal(stderr.toString().split('\n')[0],
    'terrane: failed.png: cannot be written: File too large');
  assert.equal(status, 1);
  assert.deepEqual(readdirSync(folder.path).filter((name) => name.includes('failed')), []);
});

test('the bytes of a picture do not depend on the number of threads', () => {
  /* Bands of 262,144 pixels: four, and the rest. */
  const words = ['--bbox', '0,0,60000,150000', '--width', '700'];
  for (const [format, style] of [['png', 'relief'], ['webp', 'slope'], ['r32f', 'height'], ['r16', 'height']]) {
    const outputs = amount(['1', '2', '9'], ['1', '2', '3', '9']).map((threads) =>
      render([...words, '--style', style, '--format', format, '--threads', threads, '-o', '-']));
    assert.deepEqual(outputs.map(({ status }) => status), outputs.map(() => 0));
    assert.ok(outputs[0].stdout.length > 10000);
    for (const { stdout } of outputs) assert.ok(stdout.equals(outputs[0].stdout), format);
  }
});

test('threads end when the output cannot be written', () => {
  const { status, stderr } = render(['--bbox', '0,0,60000,600000', '--width', '700', '--threads', '4', '-o', '-', '--format',
    'r32f', ...['--style', 'height']].map((word) => (word === '-' ? '/dev/full' : word)));
  assert.equal(status, 1);
  assert.match(stderr.toString(), /^terrane: \/dev\/full: cannot be written: No space left on device\n$/);
});

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  test(`${signal} leaves no unfinished picture and the old one as it was`, async () => {
    const name = `${signal}.png`, path = folder.file(name);
    writeFileSync(path, 'old');
    const files = () => readdirSync(folder.path).filter((file) => file.includes(name));
    const child = spawn(binary, ['render', '--bbox', '0,0,60000,60000', '--width', '60000', '-o', name],
      { cwd: folder.path, env: cleanEnvironment() });
    const ended = once(child, 'close');
    /* Until it writes. */
    while (!files().some((file) => file !== name && statSync(folder.file(file)).size > 0)) await setImmediate();
    child.kill(signal);
    assert.deepEqual(await ended, [null, signal]);
    assert.deepEqual(files(), [name]);
    assert.equal(readFileSync(path, 'utf8'), 'old');
  });

mkdirSync(folder.file('a-folder.png'));

/* words, the error */
const refusals = [
  [['--style', 'releif', '--tile', '0/0/0', '-o', '-'],
    'unknown style "releif" (did you mean "relief"?)'],
  [['--world', 'planet', '--tile', '0/0/0', '-o', '-'],
    'unknown world "planet" (did you mean "plane"?)'],
  [['--style', 'grey16', '--bbox', '0,0,99,99', '--width', '9', '-o', 'deep.webp'],
    'the style "grey16" has 16 bits a pixel, which webp cannot hold: use one of png, r32f, r16, tif, npy'],
  [['--style', 'grey16', '--tile', '0/0/0', '-o', 'deep.webp'],
    'the style "grey16" has 16 bits a pixel, which webp cannot hold: use one of png, r32f, r16, json, '
    + 'mvt, txt, tif, npy, terrain'],
  [['--tile', '0/0/0', '-o', 'a-folder.png'], 'a-folder.png: cannot be written: Is a directory'],
  [['--tile', '0/0/0', '-o', 'no/such/folder.png'],
    'no/such/folder.png: cannot be written: No such file or directory'],
];
for (const [words, message] of refusals) {
  test(`refused: ${words.join(' ')}`, () => {
    const { status, stdout, stderr } = render(words);
    assert.equal(stderr.toString(), `terrane: ${message}\n`);
    assert.equal(stdout.length, 0);
    assert.equal(status, 1);
  });
}

test('a shared style with a misspelt layer is reported when it is used', () => {
  const styles = temporaryFolder({ 'mine.json': ramp('heigt') });
  const { status, stderr } = render(['--styles', styles.path, '--world', 'plane', '--style', 'mine', '--tile', '0/0/0', '-o', '-']);
  assert.equal(status, 1);
  assert.equal(stderr.toString(), 'terrane: the world "plane" has no style "mine": paint[0].ramp: '
    + 'the world has no layer "heigt" (did you mean "height"?)\n');
  styles.remove();
});
