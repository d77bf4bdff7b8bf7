/* terrane export to .glb and .stl: meshes as glTF's validator and an own reader of STL see them, against the values of
 * `terrane query` and the pixels of `terrane render`; the solid is closed and has the volume of its prisms. */

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import validator from 'gltf-validator';
import pngjs from 'pngjs';
import { temporaryFolder } from '../tools/folder.mjs';
import { binary, cleanEnvironment, fail, succeed, terrane } from './terrane.mjs';

const folder = temporaryFolder({
  'worlds/hills.json': {
    generator: 1, seed: 3,
    layers: { height: { formula: '300 * fbm(wavelength=3000, octaves=9) + x / 100', unit: 'm', range: [-500, 500] } },
  },
  /* Heights by arithmetic: a roof of 7 m a column and 3 m a row. */
  'worlds/roof.json': { generator: 1, seed: 3, layers: { height: '100 + 0.7 * x - 0.3 * y' } },
});
const options = { cwd: folder.path };
const hills = ['--worlds', 'worlds', '--world', 'hills'];
const roof = ['--worlds', 'worlds', '--world', 'roof'];
const area = ['--bbox', '-700,-300,500,410', '--step', '4'];
const path = (name) => join(folder.path, name);
const bytes = (name) => readFileSync(path(name));

const run = (words) => succeed(['export', ...words], options);
const refused = (words, message) => fail(['export', ...words], message, options);

/* Heights of places at the level of detail of samples 4 m apart: zoom 15. */
function heightsAt(places) {
  const input = places.map(([x, y]) => `${x} ${y}\n`).join('');
  const { stdout } = terrane(['query', '-', ...hills, '--layer', 'height', '--zoom', '15', '--json'], { ...options, input });
  return stdout.trim().split('\n').map((line) => JSON.parse(line).layers.height);
}

/* { json, view(i) }: a GLB's JSON chunk, and the bytes of its views. */
function openGlb(name) {
  const data = bytes(name);
  assert.deepEqual([data.toString('latin1', 0, 4), data.readUInt32LE(4), data.readUInt32LE(8)], ['glTF', 2, data.length]);
  const length = data.readUInt32LE(12);
  const json = JSON.parse(data.toString('utf8', 20, 20 + length));
  const binaryAt = 20 + length + 8;
  const view = (i) => {
    const { byteOffset = 0, byteLength } = json.bufferViews[i];
    return data.subarray(binaryAt + byteOffset, binaryAt + byteOffset + byteLength);
  };
  return { json, view };
}

/* { triangles, low, high, volume, isClosed, normalsOff }: corners are keys of 12 bytes. */
function openStl(name) {
  const data = bytes(name);
  const count = data.readUInt32LE(80);
  assert.equal(data.length, 84 + 50 * count);
  const edges = new Map();
  const [low, high] = [[1, 1, 1].map(() => Infinity), [1, 1, 1].map(() => -Infinity)];
  let [volume, normalsOff] = [0, 0];
  for (let k = 0; k < count; k += 1) {
    const at = 84 + 50 * k;
    const vector = (i) => [0, 4, 8].map((byte) => data.readFloatLE(at + 12 * i + byte));
    const key = (i) => data.toString('latin1', at + 12 * i, at + 12 * i + 12);
    const [normal, a, b, c] = [0, 1, 2, 3].map(vector);
    for (const corner of [a, b, c]) corner.forEach((each, i) => { low[i] = Math.min(low[i], each); high[i] = Math.max(high[i], each); });
    for (const [from, to] of [[1, 2], [2, 3], [3, 1]]) {
      const edge = key(from) + key(to);
      edges.set(edge, (edges.get(edge) ?? 0) + 1);
    }
    const [u, v] = [b, c].map((corner) => corner.map((each, i) => each - a[i]));
    const cross = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    const length = Math.hypot(...cross);
    if (Math.max(...cross.map((each, i) => Math.abs(each / length - normal[i]))) > 1e-3) normalsOff += 1;
    volume += (a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0])) / 6;
  }
  const isClosed = [...edges].every(([edge, times]) => times === 1 && edges.get(edge.slice(12) + edge.slice(0, 12)) === 1);
  return { count, low, high, volume, isClosed, normalsOff };
}

/* 1200 × 710 m by 4 m: 301 × 179 vertices, as 710 / 4 = 177.5. */
test('a GLB is valid, and its vertices have the heights of their places', async () => {
  run([...hills, ...area, '--style', 'height', '-o', 'area.glb']);
  const report = await validator.validateBytes(new Uint8Array(bytes('area.glb')));
  assert.deepEqual([report.issues.numErrors, report.issues.numWarnings], [0, 0], JSON.stringify(report.issues.messages));
  const { json, view } = openGlb('area.glb');
  assert.deepEqual(json.nodes[0].extras, { origin: [-700, -300], step: 4 });
  assert.equal(json.accessors[0].count, 301 * 179);
  const positions = view(0);
  const vertices = [];
  for (let k = 0; k < 301 * 179; k += 997) vertices.push(k);
  const heights = heightsAt(vertices.map((k) => [-700 + 4 * (k % 301), -300 + 4 * Math.floor(k / 301)]));
  vertices.forEach((k, n) => {
    const [x, y, z] = [0, 4, 8].map((byte) => positions.readFloatLE(12 * k + byte));
    assert.deepEqual([x, z], [4 * (k % 301), 4 * Math.floor(k / 301)]);
    assert.ok(Math.abs(y - heights[n]) < 1e-4, `${y} ${heights[n]}`);
  });
});

test('its material is the style\'s picture, and not metal', () => {
  const { json, view } = openGlb('area.glb');
  const { metallicFactor, baseColorTexture } = json.materials[0].pbrMetallicRoughness;
  assert.equal(metallicFactor, 0);
  const image = json.images[json.textures[baseColorTexture.index].source];
  const picture = pngjs.PNG.sync.read(view(image.bufferView));
  assert.deepEqual([picture.width, picture.height], [300, 178]);
  terrane(['render', ...hills, '--style', 'height', '--bbox', '-700,-300,500,412', '--width', '300', '-o', 'area.png'], options);
  const wanted = pngjs.PNG.sync.read(bytes('area.png'));
  assert.ok(picture.data.equals(wanted.data));
  const coordinates = view(2);
  const at = (vertex) => [coordinates.readFloatLE(8 * vertex), coordinates.readFloatLE(8 * vertex + 4)];
  assert.deepEqual([at(0), at(300), at(301 * 179 - 1)], [[0, 0], [1, 0], [1, 1]]);
});

/* 9000 squares across: a pixel has two of them, and the picture 4500; its last row reaches over the mesh's 3 rows. */
test('a long mesh has a picture of fewer pixels that still fits', async () => {
  run([...roof, '--bbox', '0,0,9000,3', '--step', '1', '-o', 'long.glb']);
  const { json, view } = openGlb('long.glb');
  const report = await validator.validateBytes(new Uint8Array(bytes('long.glb')));
  assert.equal(report.issues.numErrors, 0, JSON.stringify(report.issues.messages));
  const picture = pngjs.PNG.sync.read(view(json.images[0].bufferView));
  assert.deepEqual([picture.width, picture.height], [4500, 2]);
  const coordinates = view(2);
  assert.deepEqual([coordinates.readFloatLE(8 * 9000), coordinates.readFloatLE(8 * 9000 + 4)], [1, 0]);
  assert.equal(coordinates.readFloatLE(8 * 9001 * 3 + 4), 0.75);
});

test('an STL is a closed solid of the right size', () => {
  run([...hills, ...area.slice(0, 2), '--step', '8', '--scale', '10000', '--base', '-400', '-o', 'area.stl']);
  const { count, low, high, isClosed, normalsOff, volume } = openStl('area.stl');
  assert.equal(count, 2 * 150 * 89 + 3 * 2 * (150 + 89));
  assert.ok(isClosed);
  assert.equal(normalsOff, 0);
  assert.ok(volume > 0);
  const close = (got, wanted) => assert.ok(Math.abs(got - wanted) < 1e-4, `${got} ${wanted}`);
  [0, 0, -40].forEach((each, i) => close(low[i], each));
  [120, 71.2].forEach((each, i) => close(high[i], each));
});

/* Over 0 ≤ x ≤ 100 and 0 ≤ y ≤ 60 the roof has the mean height 100 + 35 − 9 = 126 m, and is lowest, 82 m, at x = 0,
 * y = 60: the base lies 2 m, a fiftieth of 100 m, below. So the volume is 100 · 60 · (126 − 80) m³, at 1 : 1000 mm³. */
test('its volume is that of the ground above the base', () => {
  run([...roof, '--bbox', '0,0,100,60', '--step', '10', '-o', 'roof.stl']);
  const { low, high, volume, isClosed } = openStl('roof.stl');
  assert.ok(isClosed);
  assert.ok(Math.abs(volume / (100 * 60 * 46) - 1) < 1e-5, `${volume}`);
  assert.ok(Math.abs(low[2] - 80) < 1e-4 && Math.abs(high[2] - 170) < 1e-4, `${low} ${high}`);
});

/* North is +Y: the roof falls to the south, so its highest corner is the north-eastern one. */
test('an STL is not mirrored', () => {
  const data = bytes('roof.stl');
  const corners = Array.from({ length: data.readUInt32LE(80) * 3 }, (_, k) => [0, 4, 8].map((byte) => data.readFloatLE(84 + 50 * Math.floor(k / 3) + 12 + 12 * (k % 3) + byte)));
  const highest = corners.reduce((best, each) => (each[2] > best[2] ? each : best));
  assert.deepEqual(highest.map(Math.round), [100, 60, 170]);
});

test('the smallest mesh is one square', async () => {
  run([...roof, '--bbox', '0,0,0.5,0.5', '--step', '1', '-o', 'square.stl']);
  assert.deepEqual([openStl('square.stl').count, openStl('square.stl').isClosed], [2 + 12, true]);
  run([...roof, '--bbox', '0,0,1,1', '--step', '1', '-o', 'square.glb']);
  const report = await validator.validateBytes(new Uint8Array(bytes('square.glb')));
  assert.equal(report.issues.numErrors, 0, JSON.stringify(report.issues.messages));
});

test('the bytes do not depend on the threads', () => {
  for (const kind of ['glb', 'stl']) {
    const made = [1, 3].map((threads) => {
      run([...hills, '--bbox', '0,0,6000,6000', '--step', '10', '--threads', `${threads}`, '-o', `${threads}.${kind}`]);
      return bytes(`${threads}.${kind}`);
    });
    assert.ok(made[0].equals(made[1]), kind);
  }
});

test('a file that cannot be written is left as it was', () => {
  for (const kind of ['glb', 'stl']) {
    writeFileSync(path(`old.${kind}`), 'old');
    const words = [...hills, ...area, '-o', `old.${kind}`].join(' ');
    const limited = spawnSync('sh', ['-c', `trap '' XFSZ; ulimit -f 100; exec ${binary} export ${words}`], { cwd: folder.path, env: cleanEnvironment() });
    assert.equal(limited.status, 1);
    assert.match(limited.stderr.toString(), new RegExp(`old\\.${kind}: cannot be written: File too large`));
    assert.equal(bytes(`old.${kind}`).toString(), 'old');
  }
  assert.deepEqual(readdirSync(folder.path).filter((name) => name.endsWith('.part')), []);
  symlinkSync('/dev/stdout', path('pipe.stl'));
  refused([...hills, ...area, '-o', 'pipe.stl'], /-o: must be a file: meshes cannot be written to a pipe/);
});

/* As when the terminal and the program that has started this one send it. */
test('two signals at once leave no part of a file', async () => {
  const parts = () => readdirSync(folder.path).filter((name) => name.startsWith('twice.stl'));
  const words = ['export', ...hills, '--bbox', '0,0,40000,40000', '--step', '10', '--threads', '4', '-o', 'twice.stl'];
  for (let i = 0; i < 8; i += 1) {
    const run = spawn(binary, words, { cwd: folder.path, env: cleanEnvironment(), stdio: 'ignore' });
    const ended = new Promise((resolve) => run.on('exit', (...how) => resolve(how)));
    const timer = setInterval(() => parts().length > 0 && run.kill('SIGINT') && run.kill('SIGINT'), 2);
    const [, signal] = await ended;
    clearInterval(timer);
    assert.equal(signal, 'SIGINT');
    assert.deepEqual(parts(), []);
  }
});

test('mistakes are refused with what is allowed', () => {
  const cases = [
    [['-o', 'x.glb'], /a mesh needs --bbox X0,Y0,X1,Y1 and --step METRES/],
    [['-o', 'X.GLB'], /a mesh needs --bbox/],
    [[...area, '--base', '5', '-o', 'x.glb'], /--base is for other meshes than \.glb/],
    [[...area, '--style', 'relief', '-o', 'x.stl'], /--style is for other meshes than \.stl/],
    [[...area, '--style', 'nothing', '-o', 'x.glb'], /--style: unknown style "nothing"/],
    [[...area, '--base', '5', '-o', 'x.stl'], /--base: must be below the ground, which goes down to -?\d/],
    [[...area, '--scale', '0', '-o', 'x.stl'], /--scale: must be from 1 to 1000000000, not 0/],
    [[...area, '--zoom', '3', '-o', 'x.stl'], /--zoom is for map tiles/],
    [[...area, '--materials', '-o', 'x.stl'], /--materials is for tiles for engines, with --step/],
    [[...area, '--resume', '-o', 'x.stl'], /--resume is for map tiles; tiles for engines/],
    [['--bbox', '0,0,20000,20000', '--step', '1', '-o', 'x.glb'], /--bbox: 20001 x 20001 vertices are more than the 4 GiB of a GLB file hold/],
    [['--bbox', '0,0,90000,90000', '--step', '1', '-o', 'x.stl'], /--bbox: 90001 x 90001 vertices are more than the 4294967295 triangles/],
    [['--bbox', '-1e6,-1e6,1e6,1e6', '--step', '0.0001', '-o', 'x.stl'], /--step: must be a whole number of 2\^-16 m/],
    [['--bbox', `${2 ** 40 - 5},0,${2 ** 40},5`, '--step', '4', '-o', 'x.stl'], /--bbox: the last square would go beyond the world's edge/],
  ];
  for (const [words, message] of cases) refused([...hills, ...words], message);
});

test('render makes the same meshes', () => {
  const render = (...words) => terrane(['render', ...roof, '--bbox', '0,0,100,60', ...words], options);
  const { status, stderr } = render('--step', '10', '-o', 'rendered.stl');
  assert.equal(status, 0, stderr);
  assert.ok(bytes('rendered.stl').equals(bytes('roof.stl')));
  assert.match(render('--width', '10', '-o', 'x.glb').stderr, /--width does not go with the mesh "x\.glb"/);
  assert.match(render('--width', '10', '--base', '0', '-o', 'x.png').stderr, /--base is for meshes, \.glb and \.stl, not for "x\.png"/);
});

test('a dry run says how large the file would be', () => {
  assert.match(run([...roof, '--bbox', '0,0,100,60', '--step', '10', '--dry-run', '-o', 'x.stl']), /^11 x 7 vertices, 216 triangles, 11 KB, about \d+ s on \d+ threads\n$/);
  /* 53,879 vertices of 32 bytes, 106,800 triangles of 6 bytes and 53,400 pixels of 3. */
  assert.match(run([...hills, ...area, '--dry-run', '-o', 'x.glb']), /^301 x 179 vertices, 106800 triangles, at most 2\.6 MB, about \d+ s on \d+ threads\n$/);
});
