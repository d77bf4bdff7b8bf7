/* terrane export --step: tiles of heights for game engines, against the values of `terrane query`; edges, scales and
 * digests by arithmetic and by sha256sum; kills and full disks against an export that nothing disturbed. */

import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../tools/folder.mjs';
import { binary, cleanEnvironment, fail, succeed, terrane } from './terrane.mjs';

const folder = temporaryFolder({
  'worlds/hills.json': {
    generator: 1, seed: 3,
    layers: { height: { formula: '300 * fbm(wavelength=3000, octaves=9) + x / 100', unit: 'm', range: [-500, 500] } },
    materials: [
      { name: 'rock', color: '#888888', weight: 'max(height, 0)' },
      { name: 'sand', color: '#ddcc88', weight: 'max(0 - height, 0)' },
      { name: 'grass', color: '#55aa44', weight: '20' },
    ],
  },
  'worlds/bare.json': { generator: 1, seed: 3, layers: { height: 'x / 10 + y / 7' } },
});
const options = { cwd: folder.path };
const hills = ['--worlds', 'worlds', '--world', 'hills'];
const bare = ['--worlds', 'worlds', '--world', 'bare'];
const area = ['--bbox', '-700,-300,500,400', '--step', '2', '--size', '256'];
const path = (name) => join(folder.path, name);
const bytes = (name) => readFileSync(path(name));
const manifestOf = (name) => JSON.parse(bytes(`${name}/manifest.json`));

const run = (words) => succeed(['export', ...words], options);
const refused = (words, message) => fail(['export', ...words], message, options);

const same = (a, b) => execFileSync('diff', ['-r', path(a), path(b)]);

/* The numbers of a file as rows. */
function rowsOf(name, side, read = 'readUInt16LE', size = 2) {
  const data = bytes(name);
  assert.equal(data.length, side * side * size);
  return Array.from({ length: side }, (_, j) => Array.from({ length: side }, (__, i) => data[read](size * (j * side + i))));
}

/* Heights at full precision of places, at the level of detail of samples 2 m apart: that of zoom 16. */
function heightsAt(places) {
  const input = places.map(([x, y]) => `${x} ${y}\n`).join('');
  const { stdout } = terrane(['query', '-', ...hills, '--layer', 'height', '--zoom', '16', '--json'], { ...options, input });
  return stdout.trim().split('\n').map((line) => JSON.parse(line).layers.height);
}

/* 1200 × 700 m by tiles of 512 m: 3 × 2. */
test('numbers are the heights of their places, rounded to the nearest', () => {
  run([...hills, ...area, '-o', 'unreal']);
  const files = readdirSync(path('unreal')).sort();
  const tiles = ['0_y0', '0_y1', '1_y0', '1_y1', '2_y0', '2_y1'].map((each) => `height_x${each}.r16`);
  assert.deepEqual(files, ['SHA256SUMS', ...tiles, 'manifest.json']);
  const places = [];
  const metres = [];
  for (const [x, y] of [[0, 0], [2, 1]]) {
    const rows = rowsOf(`unreal/height_x${x}_y${y}.r16`, 257);
    for (let k = 0; k < 257; k += 16) {
      const [i, j] = [k, (k * 7) % 257];
      places.push([-700 + 512 * x + 2 * i, -300 + 512 * y + 2 * j]);
      metres.push(-500 + rows[j][i] * 1000 / 65535);
    }
  }
  heightsAt(places).forEach((height, k) => assert.ok(Math.abs(height - metres[k]) <= 500 / 65535 + 1e-4, `${places[k]}: ${height} ${metres[k]}`));
});

test('neighbours share their edges', () => {
  const tile = (x, y) => rowsOf(`unreal/height_x${x}_y${y}.r16`, 257);
  const column = (rows, i) => rows.map((row) => row[i]);
  assert.deepEqual(column(tile(0, 0), 256), column(tile(1, 0), 0));
  assert.deepEqual(column(tile(1, 1), 256), column(tile(2, 1), 0));
  assert.deepEqual(tile(1, 0)[256], tile(1, 1)[0]);
});

test('the manifest says how to import the files', () => {
  const manifest = manifestOf('unreal');
  const { stdout } = terrane(['worlds', '--worlds', 'worlds', '--json'], options);
  assert.equal(manifest.fingerprint, JSON.parse(stdout).find(({ name }) => name === 'hills').fingerprint);
  assert.deepEqual(manifest.origin, [-700, -300]);
  assert.deepEqual(manifest.bbox, [-700, -300, 500, 400]);
  assert.deepEqual(manifest.covers, [-700, -300, 836, 724]);
  assert.deepEqual([manifest.step, manifest.size, manifest.samples, manifest.tiles, manifest.rows], [2, 256, 257, [3, 2], 'north to south']);
  const close = (got, wanted) => assert.ok(Math.abs(got - wanted) < 1e-9 * Math.max(1, Math.abs(wanted)), `${got} ${wanted}`);
  close(manifest.heights.offset, -500);
  close(manifest.heights.scale, 1000 / 65535);
  /* Unreal: at a scale of 100 a landscape is 512 m high, 65536 steps of 1/128 m, and 32768 is its middle. */
  close(manifest.unreal.scale_z, 100 * 65536 * manifest.heights.scale / 512);
  close(manifest.unreal.location_z, 100 * (-500 + 32768 * manifest.heights.scale));
  assert.deepEqual([manifest.unreal.scale_x, manifest.unreal.scale_y], [200, 200]);
  assert.deepEqual([manifest.unity.terrain_width, manifest.unity.terrain_length, manifest.unity.heightmap_resolution], [512, 512, 257]);
  close(manifest.unity.terrain_height, 65536 * manifest.heights.scale);
  assert.deepEqual(manifest.godot, { vertex_spacing: 2, r16_range: [-500, 500] });
  const numbers = manifest.files.flatMap(({ file }) => rowsOf(`unreal/${file}`, 257).flat());
  const lowest = numbers.reduce((least, each) => Math.min(least, each), Infinity);
  close(manifest.lowest, -500 + lowest * manifest.heights.scale);
  for (const { file, sha256 } of manifest.files) assert.equal(createHash('sha256').update(bytes(`unreal/${file}`)).digest('hex'), sha256);
  assert.deepEqual(manifest.files[4].tile, [1, 1]);
  assert.deepEqual(manifest.files[4].origin, [-188, 212]);
  execFileSync('sha256sum', ['--strict', '--check', 'SHA256SUMS'], { cwd: path('unreal') });
});

test('Unity has rows and tiles from the south', () => {
  run([...hills, ...area, '--engine', 'unity', '-o', 'unity/']);
  const unity = rowsOf('unity/height_2_0.raw', 257);
  assert.deepEqual(unity.reverse(), rowsOf('unreal/height_x2_y1.r16', 257));
  const manifest = manifestOf('unity');
  assert.deepEqual([manifest.rows, manifest.unity.flip_vertically], ['south to north', false]);
  assert.equal(terrane(['export', '--help']).stdout.match(/unreal, unity or godot/)?.length, 1);
  refused([...hills, ...area, '--engine', 'quake', '-o', 'x'], /--engine: must be one of unreal, unity, godot, not "quake"/);
});

test('engines have tiles of their sizes, and any other has its own', () => {
  const sides = { unreal: 1009, unity: 1025, godot: 1025 };
  for (const [engine, side] of Object.entries(sides)) {
    const said = run([...hills, '--bbox', '0,0,10,10', '--step', '1', '--engine', engine, '--dry-run']);
    assert.match(said, new RegExp(`^1 x 1 tiles of ${side} x ${side} samples, 1 files, 2\\.[01] MB, about \\d+ s on \\d+ threads\n$`));
  }
  run([...hills, '--bbox', '0,0,2.5,1', '--step', '0.5', '--size', '1', '--format', 'r32f', '-o', 'small']);
  assert.equal(readdirSync(path('small')).length, 5 * 2 + 2);
  const [west, east] = [0, 1].map((x) => rowsOf(`small/height_x${x}_y1.r32f`, 2, 'readFloatLE', 4));
  assert.equal(west[1][1], east[1][0]);
});

test('shares of materials sum up to 255, and are those of chunks', () => {
  run([...hills, ...area, '--materials', '-o', 'shares']);
  same('unreal/height_x1_y0.r16', 'shares/height_x1_y0.r16');
  const names = ['rock', 'sand', 'grass'];
  assert.deepEqual(manifestOf('shares').materials.names, names);
  const planes = names.map((name) => bytes(`shares/${name}_x1_y0.r8`));
  const heights = rowsOf('shares/height_x1_y0.r16', 257).flat().map((number) => -500 + number * 1000 / 65535);
  heights.forEach((height, k) => {
    const shares = planes.map((plane) => plane[k]);
    assert.equal(shares[0] + shares[1] + shares[2], 255);
    /* Of weights max(height, 0), max(−height, 0) and 20. */
    assert.ok(Math.abs(shares[2] - 255 * 20 / (20 + Math.abs(height))) <= 1.1, `${height} ${shares}`);
  });
  refused([...bare, ...area, '--materials', '-o', 'x'], /the world "bare" has no materials/);
});

test('the bytes do not depend on the threads', () => {
  run([...hills, ...area, '--materials', '--threads', '3', '-o', 'threads']);
  same('threads', 'shares');
  run([...hills, ...area, '--materials', '--threads', '1', '-o', 'threads']);
  same('threads', 'shares');
});

test('what is there is not made again, but what is damaged is', () => {
  cpSync(path('shares'), path('mended'), { recursive: true });
  const inode = (name) => statSync(path(`mended/${name}`)).ino;
  const kept = inode('height_x0_y0.r16');
  const damaged = bytes('mended/rock_x1_y1.r8');
  damaged[777] ^= 1;
  writeFileSync(path('mended/rock_x1_y1.r8'), damaged);
  rmSync(path('mended/height_x2_y0.r16'));
  rmSync(path('mended/manifest.json'));
  run([...hills, ...area, '--materials', '-o', 'mended', '--resume']);
  same('mended', 'shares');
  assert.equal(inode('height_x0_y0.r16'), kept);
});

/* A world whose tiles take some milliseconds each: kills fall anywhere. */
test('an export that was killed goes on, to the same bytes', async () => {
  const words = ['export', ...hills, '--bbox', '0,0,4000,4000', '--step', '4', '--size', '50', '--materials', '--threads', '2'];
  assert.equal(terrane([...words, '-o', 'whole'], options).status, 0);
  let kills = 0;
  for (let wait = 30; kills < 20; wait += 7) {
    const started = spawn(binary, [...words, '-o', 'killed', '--resume'], { cwd: folder.path, env: cleanEnvironment(), stdio: 'ignore' });
    const timer = setTimeout(() => started.kill('SIGKILL'), wait);
    const code = await new Promise((resolve) => started.on('exit', resolve));
    clearTimeout(timer);
    if (code === 0) break;
    assert.equal(code, null);
    kills += 1;
  }
  run([...words.slice(1), '-o', 'killed', '--resume']);
  assert.ok(kills > 0);
  same('killed', 'whole');
});

test('an interrupted export says how to go on, and leaves no half of a file', async () => {
  const words = ['export', ...hills, '--bbox', '-15000,-15000,15000,15000', '--step', '1', '--threads', '2', '-o', 'broken'];
  const started = spawn(binary, words, { cwd: folder.path, env: cleanEnvironment(), stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise((resolve) => started.on('exit', resolve));
  let said = '';
  started.stderr.on('data', (data) => { said += data; });
  while (started.exitCode === null && !existsSync(path('broken/height_x0_y0.r16'))) await new Promise((resolve) => setTimeout(resolve, 20));
  started.kill('SIGINT');
  assert.equal(await ended, 128 + 2);
  assert.match(said, /interrupted; the same command with --resume goes on/);
  const files = readdirSync(path('broken'));
  assert.ok(!files.some((name) => name.endsWith('.part')) && !files.includes('manifest.json'), `${files}`);
  rmSync(path('broken'), { recursive: true });
});

test('what cannot be written is said, and can be gone on with', () => {
  const words = [...hills, ...area, '--format', 'r32f', '-o', 'full'];
  const limited = spawnSync('sh', ['-c', `trap '' XFSZ; ulimit -f 300; exec ${binary} export ${words.join(' ')}`], { cwd: folder.path, env: cleanEnvironment() });
  assert.equal(limited.status, 1);
  assert.match(limited.stderr.toString(), /full: height_x0_y0\.r32f cannot be written: File too large/);
  assert.deepEqual(readdirSync(path('full')), ['SHA256SUMS']);
  run([...words, '--resume']);
  run([...words.slice(0, -1), 'fine']);
  same('full', 'fine');
});

test('another export is neither gone on with nor written over', () => {
  const before = bytes('unreal/SHA256SUMS');
  for (const words of [['--resume'], []])
    refused([...hills, ...area.slice(0, 2), '--step', '4', '-o', 'unreal', ...words], /unreal: holds another export/);
  refused([...hills, ...area, '--range', '-1000,1000', '-o', 'unreal'], /holds another export/);
  assert.ok(bytes('unreal/SHA256SUMS').equals(before));
  writeFileSync(path('file'), '');
  refused([...hills, ...area, '-o', 'file'], /file: cannot be opened: Not a directory/);
  folder.write('extension/manifest.json', '{}');
  refused([...hills, ...area, '-o', 'extension'], /extension: has a manifest\.json, but is no export's/);
  assert.deepEqual(readdirSync(path('extension')), ['manifest.json']);
  for (const sums of [`${'0'.repeat(64)}  mine`, `${'0'.repeat(64)}  mine\n`]) {
    folder.write('sums/SHA256SUMS', sums);
    for (const words of [['--resume'], []]) refused([...hills, ...area, '-o', 'sums', ...words], /sums: has a SHA256SUMS, but is no export's/);
    assert.equal(bytes('sums/SHA256SUMS').toString(), sums);
  }
  folder.write('extension/SHA256SUMS', '');
  refused([...hills, ...area, '-o', 'extension'], /extension: has a manifest\.json, but is no export's/);
  refused([...hills, ...area, '-o', 'none/x'], /none\/x: cannot be created: No such file or directory/);
});

/* x / 10 + y / 7 from −70 − 42.9 to 83.6 + 103.4 over the area and its last tiles. */
test('heights beyond the range are refused, and any range can be given', () => {
  refused([...bare, ...area, '--range', '-50,200', '-o', 'x'], /tile 0, 0: the height -1\d\d\.\d+ m lies outside of the range from -50 to 200 m: give a wider one with --range LOW,HIGH/);
  run([...bare, ...area, '--range', '-200,200', '-o', 'ranged']);
  const rows = rowsOf('ranged/height_x0_y0.r16', 257);
  assert.equal(rows[10][20], Math.floor((-66 - 280 / 7 + 200) / 400 * 65535 + 0.5));
  run([...bare, ...area, '-o', 'default']);
  assert.equal(rowsOf('default/height_x0_y0.r16', 257)[10][20], Math.floor((-66 - 280 / 7 + 4096) * 8 + 0.5));
  assert.equal(manifestOf('default').unreal.location_z, 0);
});

test('the world\'s edge is the last place of a tile', () => {
  const edge = 2 ** 40;
  run([...bare, '--bbox', `${edge - 32},${-edge},${edge},${-edge + 16}`, '--step', '2', '--size', '8', '--format', 'r32f', '-o', 'edge']);
  assert.deepEqual(manifestOf('edge').covers, [edge - 32, -edge, edge, -edge + 16]);
  refused([...bare, '--bbox', `${edge - 30},0,${edge},16`, '--step', '2', '--size', '8', '-o', 'x'], /--bbox: the last tile would go beyond the world's edge/);
});

test('mistakes are refused with what is allowed', () => {
  const cases = [
    [['--step', '2', '-o', 'x'], /--step needs --bbox/],
    [[...area], /-o FOLDER is needed/],
    [['--bbox', '0,0,9,9', '--step', '0.1', '-o', 'x'], /--step: must be a whole number of 2\^-16 m, so that samples fit: 0\.1 is not, but 0\.100006103515625 is/],
    [['--bbox', '0,0,9,9', '--step', '-1', '-o', 'x'], /--step: must be above 0, not -1/],
    [['--bbox', '0,0,9,9', '--step', '1099511627776', '-o', 'x'], /--bbox: a tile would be wider than the world/],
    [[...area, '--format', 'png', '-o', 'x'], /--format: with --step must be one of r16, raw, r32f, not "png"/],
    [[...area, '--range', '5,5', '-o', 'x'], /--range: must be LOW,HIGH such as/],
    [[...area, '--format', 'r32f', '--range', '0,5', '-o', 'x'], /--range: is for other formats than r32f/],
    [[...area, '--zoom', '3', '-o', 'x'], /--zoom is for map tiles, not for "x"\n/],
    [[...area, '-o', 'x.mbtiles'], /--step makes a folder, a mesh or a raster, not "x\.mbtiles"\n/],
    [[...area, '-o', '-'], /--step makes a folder, a mesh or a raster, not "-"\n/],
    [[...area, '-o', 'x.obj'], /-o: must end in \.glb, \.stl for a mesh, in \.tif, \.asc, \.png, \.webp for a raster, or in \/ for a folder, if its name has such an ending, not "x\.obj"\n/],
    [[...area, '-o', 'there/x.Gltf'], /not "there\/x\.Gltf"\n/],
    [['--zoom', '3', '--materials', '-o', 'x/'], /--materials is for tiles for engines, with --step, not for "x\/"\n/],
    [[...area, '--size', '16385', '-o', 'x'], /--size: must be a whole number from 1 to 16384/],
    [['--bbox', '0,0,9000,9000', '--step', '1', '--size', '1', '-o', 'x'], /--bbox: 9000 x 9000 tiles of 1 files each: at most 1048576 files/],
    [['--bbox', '-5e8,-5e8,5e8,5e8', '--step', '4', '--size', '16384', '-o', 'x'], /--bbox: 15259 x 15259 tiles/],
    [['--bbox', '-2e7,-2e7,2e7,2e7', '--step', '4', '--size', '16384', '-o', 'x'], /-o: needs about .* but the disk has/],
  ];
  for (const [words, message] of cases) refused([...hills, ...words], message);
  for (const name of ['x', 'x.mbtiles', 'x.obj', '-']) assert.ok(!existsSync(path(name)));
});

test('a folder may have a point in its name', () => {
  for (const name of ['x.1', 'x.obj/', './.hidden', 'a.b/tiles']) {
    mkdirSync(path('a.b'), { recursive: true });
    run([...bare, '--bbox', '0,0,4,4', '--step', '1', '--size', '4', '-o', name]);
    assert.ok(existsSync(path(`${name}/height_x0_y0.r16`)), name);
  }
});

/* Names of files that are written before they get their own, those themselves, and the two of the whole. */
test('links in the folder are not written through', () => {
  run([...bare, ...area, '-o', 'unlinked']);
  const files = readdirSync(path('unlinked'));
  assert.ok(files.includes('height_x0_y0.r16') && files.includes('SHA256SUMS') && files.includes('manifest.json'));
  for (const name of [...files, ...files.map((each) => `${each}.part`)]) {
    rmSync(path('linked'), { recursive: true, force: true });
    mkdirSync(path('linked'));
    writeFileSync(path('victim'), 'mine');
    symlinkSync('../victim', path(`linked/${name}`));
    const { status } = terrane(['export', ...bare, ...area, '-o', 'linked'], options);
    assert.equal(readFileSync(path('victim'), 'utf8'), 'mine', name);
    if (status === 0) for (const each of files) assert.ok(bytes(`linked/${each}`).equals(bytes(`unlinked/${each}`)), `${name}: ${each}`);
  }
});
