/* terrane query. The world's layers are chosen so that every answer follows by hand. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { terrane } from './terrane.mjs';
import { temporaryFolder } from '../tools/folder.mjs';

const folder = temporaryFolder({
  'worlds/plane.json': {
    title: 'Plane', generator: 1, seed: 7,
    layers: {
      height: { formula: 'x - 10', unit: 'm' },
      twice: '2 * y',
      later: 't + 100 * z',
      noise: 'perlin(wavelength=64)',
    },
    biomes: [
      { name: 'sea', color: '#00f', when: 'height < 0' },
      { name: 'land', color: '#0f0' },
    ],
  },
});

function query(words, options = {}) {
  return terrane(['query', '--worlds', 'worlds', '--world', 'plane', ...words],
    { cwd: folder.path, ...options });
}

function answer(words, options) {
  const { status, stdout, stderr } = query(words, options);
  assert.equal(stderr, '');
  assert.equal(status, 0);
  return stdout;
}

/* The lake's reach is 10 km: it shows from zoom 10 on. */
test('--named has the names around', () => {
  const named = { generator: 1, layers: { height: '10' }, names: { tongues: [], places: [{ kind: 'lake', at: [300, -400], name: 'Own Lake' }] } };
  const own = temporaryFolder({ 'own.json': named });
  const ask = (...words) => terrane(['query', '--world', 'own.json', ...words, '0', '0'], { cwd: own.path });
  assert.match(ask('--named').stdout, /\nnamed\t500 m from Own Lake \(lake\)\t\n$/);
  assert.doesNotMatch(ask().stdout, /named/);
  const { named: told } = JSON.parse(ask('--named', '--json').stdout);
  const [{ id, bearing, ...lake }] = told.near;
  assert.match(id, /^\d+$/);
  assert.ok(Math.abs(bearing - 36.8698976458) < 1e-6); /* atan(300 / 400) */
  assert.deepEqual({ ...told, near: [lake] }, { in: [], on: null, near: [{ name: 'Own Lake', kind: 'lake', x: 300, y: -400, distance: 500, rank: 10, zoom: 12 }] });
  const { status, stderr } = ask('--named', '--layer', 'height');
  assert.deepEqual([status, stderr.split('\n')[0]], [2, 'terrane: --named goes with all layers, not with --layer']);
});

test('one layer is a bare number', () => {
  assert.equal(answer(['--layer', 'twice', '100', '20.5']), '41\n');
  assert.equal(answer(['--layer', 'height', '10.25', '0']), '0.25\n');
});

test('negative coordinates are no options', () => {
  assert.equal(answer(['--layer', 'height', '-100', '20']), '-110\n');
});

test('the layer biome is the name', () => {
  assert.equal(answer(['--layer', 'biome', '0', '0']), 'sea\n');
  assert.equal(answer(['--layer', 'biome', '10', '0']), 'land\n');
});

test('several layers are lines in the order asked for', () => {
  assert.equal(answer(['--layer', 'twice', '--layer', 'height', '1', '2']),
    'twice\t4\t\nheight\t-9\tm\n');
});

test('without --layer the output has all values', () => {
  const noise = answer(['--layer', 'noise', '4', '3']).trim();
  assert.equal(answer(['4', '3']), [
    'x\t4\tm', 'y\t3\tm', 'slope\t45\tdegrees', 'aspect\t270\tdegrees', 'water\t6\tm',
    'height\t-6\tm', 'twice\t6\t', 'later\t0\t', `noise\t${noise}\t`, 'biome\tsea\t', '',
  ].join('\n'));
});

test('--json is one object', () => {
  const object = JSON.parse(answer(['--json', '-3.5', '16777215.25']));
  assert.match(object.fingerprint, /^g1-[0-9a-f]{32}$/);
  assert.equal(typeof object.layers.noise, 'number');
  delete object.fingerprint;
  delete object.layers.noise;
  assert.deepEqual(object, {
    world: 'plane', seed: '7', x: -3.5, y: 16777215.25, height: -13.5, slope: 45, aspect: 270,
    biome: 'sea', water: { depth: 13.5, level: 0 },
    layers: { height: -13.5, twice: 33554430, later: 0, biome: 0 },
    /* At zoom 17 a tile is 256 m; the origin is the corner of (65536, 65536). */
    tile: { z: 17, x: 65535, y: 131071 },
  });
});

test('the layer water_level is where water stands', () => {
  const lake = temporaryFolder({
    'lake.json': { generator: 1, layers: { height: 'x + 20', water_level: 'y < 0 ? 30 : 0' } } });
  const ask = (...place) => JSON.parse(terrane(
    ['query', '--world', './lake.json', '--json', ...place], { cwd: lake.path }).stdout).water;
  assert.deepEqual(ask('3', '-1'), { depth: 7, level: 30 });
  assert.equal(ask('11', '-1'), null);
  assert.equal(ask('3', '1'), null);
  assert.deepEqual(ask('-25', '1'), { depth: 5, level: 0 });
  lake.remove();
});

test('--zoom sets the tile and the level of detail', () => {
  const object = JSON.parse(answer(['--json', '--zoom', '3', '5', '-5']));
  /* 2²² m a tile */
  assert.deepEqual(object.tile, { z: 3, x: 4, y: 3 });
  /* 16 km a sample: an octave of 64 m is gone. */
  assert.equal(object.layers.noise, 0);
});

test('-t and --z are the formulas\' t and z', () => {
  assert.equal(answer(['--layer', 'later', '-t', '2.5', '0', '0']), '2.5\n');
  assert.equal(answer(['--layer', 'later', '--time', '-1', '--z', '-3', '0', '0']), '-301\n');
});

test('a seed changes only noise layers', () => {
  const seeded = (seed) => terrane(['query', '--worlds', 'worlds', '--world', `plane~${seed}`,
    '--layer', 'noise', '--layer', 'height', '20', '20'], { cwd: folder.path }).stdout.split('\n');
  const [own, other, same] = [answer(['--layer', 'noise', '--layer', 'height', '20', '20'])
    .split('\n'), seeded('another'), seeded('7')];
  assert.deepEqual(same, own);
  assert.notEqual(other[0], own[0]);
  assert.equal(other[1], own[1]);
});

test('--world takes a file, with a seed too', () => {
  const ask = (world) => terrane(['query', '--world', world, '--json', '0', '0'],
    { cwd: folder.path });
  const file = JSON.parse(ask('worlds/plane.json').stdout);
  assert.equal(file.world, 'plane');
  assert.equal(file.seed, '7');
  assert.equal(JSON.parse(ask('worlds/plane.json~a/b').stdout).seed, 'a/b');
  assert.equal(JSON.parse(ask('./worlds/../worlds/plane.json~~').stdout).seed, '~');
  assert.equal(ask('worlds/none.json').stderr,
    'terrane: worlds/none.json: cannot be opened: No such file or directory\n');
});

test('points come from standard input, and blank lines are skipped', () => {
  assert.equal(answer(['--layer', 'height', '-'], { input: '11 0\n\n 12.5,1 \r\n13\t-5\n14 0' }),
    '1\n2.5\n3\n4\n');
});

test('points from standard input as JSON are a line each', () => {
  const lines = answer(['--json', '-'], { input: '1 2\n3 4\n' }).trim().split('\n');
  assert.deepEqual(lines.map((line) => JSON.parse(line).x), [1, 3]);
});

test('empty lines separate the full outputs of several points', () => {
  const parts = answer(['-'], { input: '1 2\n3 4\n' }).split('\n\n');
  assert.deepEqual(parts.map((part) => part.split('\n')[0]), ['x\t1\tm', 'x\t3\tm']);
});

test('no points give no output', () => {
  assert.equal(answer(['-'], { input: '' }), '');
});

/* standard input, how many answers come first, the error */
const badLines = [
  ['1 2\n3\n', 1, 'standard input: line 2: expected "x y" or "x,y" in metres'],
  ['1 2 3\n', 0, 'standard input: line 1: expected "x y" or "x,y" in metres'],
  ['1;2\n', 0, 'standard input: line 1: expected "x y" or "x,y" in metres'],
  ['\n\n1,,2\n', 0, null],
  [`${'1'.repeat(600)}\n`, 0, 'standard input: line 1: the line is longer than 510 bytes'],
];

for (const [input, answers, message] of badLines) {
  test(`a bad line is refused: ${JSON.stringify(input).slice(0, 30)}`, () => {
    const { status, stdout, stderr } = query(['--layer', 'height', '-'], { input });
    assert.equal(status, 1);
    assert.equal(stdout.split('\n').length - 1, answers);
    if (message === null) assert.match(stderr, /^terrane: standard input: line 3: /);
    else assert.equal(stderr, `terrane: ${message}\n`);
  });
}

/* words, the error */
const refusals = [
  [['--layer', 'hight', '1', '2'], 'unknown layer "hight" (did you mean "height"?)'],
  [['--layer', 'height', '--layer', 'height', '1', '2'], '--layer height is given twice'],
  [['--world', 'plain', '1', '2'], 'unknown world "plain" (did you mean "plane"?)'],
];
for (const [words, message] of refusals) {
  test(`refused: ${words.join(' ')}`, () => {
    const { status, stdout, stderr } = query(words);
    assert.equal(stderr, `terrane: ${message}\n`);
    assert.equal(stdout, '');
    assert.equal(status, 1);
  });
}

for (const [x, y] of [['a', '1'], ['1', '0x10'], ['1', '1.5.5'], ['1e13', '0'], ['0', '-2e12']]) {
  test(`refused as a place: ${x} ${y}`, () => {
    const { status, stderr } = query([x, y]);
    assert.equal(status, 1);
    assert.match(stderr, x.match(/^(a|1e13)$/) ? /^terrane: X: / : /^terrane: Y: /);
  });
}

test('the edge of the world is a place', () => {
  const text = answer(['--layer', 'twice', '-1099511627776', '1099511627776']);
  assert.equal(Math.fround(Number(text)), 2 ** 41);
});

/* The last tile ends at 2⁴⁰ m, and tiles do not hold their eastern and southern edges. */
test('no place beyond the last tile is accepted', () => {
  const { stdout } = query(['--json', '1099511627776', '0']);
  assert.equal(JSON.parse(stdout).tile, null);
  const west = JSON.parse(query(['--json', '-1099511627776', '0']).stdout);
  assert.deepEqual(west.tile, { z: 17, x: (2 ** 24 - 2 ** 40) / 256, y: 65536 });
});

test('negative zero is written without a sign', () => {
  const zeros = ['x * 0 / -5', '-x * 0', 'floor(x * 0 / -5)', 'sin(x * 0 * -1)', '0 / (0 - abs(x))'];
  for (const formula of zeros) {
    const world = temporaryFolder({ 'w.json': { generator: 1, layers: { height: formula } } });
    const { stdout } = terrane(['query', '--world', `${world.path}/w.json`, '--layer', 'height', '3', '0']);
    world.remove();
    assert.equal(stdout.trim(), '0', formula);
  }
});
