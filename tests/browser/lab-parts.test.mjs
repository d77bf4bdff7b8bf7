/* The parts of the lab that need no browser: formulas, numbers, links, the noise page's formulas, and
 * texts of world files. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Duplex } from 'node:stream';
import { test } from 'node:test';
import { createDeflateRaw, createInflateRaw } from 'node:zlib';
import { countBins } from '../../server/viewer/lab/charts.js';
import { callAt, constantsOf, parameterOf, rangeText, tokenize } from '../../server/viewer/lab/formulas.js';
import { isFormula, keysAt } from '../../server/viewer/lab/keys.js';
import {
  START, formulaOf, layerFormula, octavesTable, putIntoWorld,
} from '../../server/viewer/lab/noise-model.js';
import { numberAt, stepNumber } from '../../server/viewer/lab/numbers.js';
import { pack, unpack } from '../../server/viewer/lab/share.js';
import { fileName, titleOf, withSeed } from '../../server/viewer/lab/store.js';
import { serverOfFile } from '../tools/server.mjs';

const server = serverOfFile();
const functions = async () => (await (await fetch(`${server.url}/formulas`)).json()).functions;
const worldFile = (name) =>
  readFileSync(new URL(`../../config/worlds/${name}.json`, import.meta.url), 'utf8');

const BUILT_IN = ['archipelago', 'canyons', 'caves', 'clouds', 'dunes', 'fire', 'fog', 'highlands', 'marble',
  'perlin', 'terra', 'wood'];

test('the tokens of a formula', () => {
  const types = (text) => tokenize(text).map((token) => `${token.type} ${token.text}`);
  assert.deepEqual(types('2.5e3 * fbm(64, basis=\\"worley\\") >= .5 && hills != x'), [
    'number 2.5e3', 'operator *', 'function fbm', 'bracket (', 'number 64', 'bracket ,',
    'argument basis', 'operator =', 'text \\"worley\\"', 'bracket )', 'operator >=', 'number .5',
    'operator &&', 'name hills', 'operator !=', 'name x',
  ]);
  assert.deepEqual(types('a == b # ü'), ['name a', 'operator ==', 'name b', 'other #', 'other ü']);
  assert.deepEqual(types('salt=\\"never closed'), ['argument salt', 'operator =',
    'text \\"never closed']);
  const [name] = tokenize('   hills');
  assert.deepEqual([name.from, name.to], [3, 8]);
});

test('the names that scatter() gives to its formula are known in it alone', () => {
  const names = (text) => constantsOf(tokenize(text)).map(({ name }) => name);
  assert.deepEqual(names('fbm(9, 2) + r'), ['x', 'y', 'z', 't', 'pi']);
  assert.deepEqual(names('9 * scatter(90, r)'), ['x', 'y', 'z', 't', 'pi', 'dx', 'dy', 'r', 'angle', 'id']);
});

test('the call around a place, and the parameter that is given there', async () => {
  const all = await functions();
  const at = (text) => {
    const call = callAt(tokenize(text.replace('|', '')), text.indexOf('|'));
    return [call?.name, parameterOf(all, call)?.name];
  };
  assert.deepEqual(at('fbm(64, |8)'), ['fbm', 'octaves']);
  assert.deepEqual(at('fbm(64, 8, damping=|2)'), ['fbm', 'damping']);
  assert.deepEqual(at('mix(a, fbm(1, 2), (3 + |4))'), ['mix', 't']);
  assert.deepEqual(at('spline(v, 1, 2, |3)'), ['spline', 'points']);
  assert.deepEqual(at('fbm(64, 8) + |1'), [undefined, undefined]);
  assert.deepEqual(at('nope(|1)'), ['nope', undefined]);
  const range = (name, parameter) => rangeText(all.find((row) => row.name === name).parameters
    .find((row) => row.name === parameter));
  assert.equal(range('fbm', 'wavelength'), 'a number, 0.01 … 10⁹');
  assert.equal(range('worley', 'feature'), '"f1", "f2", "f2-f1", "cell", "x", "y", "edge"');
});

test('the number at a place', () => {
  const at = (line) => numberAt(line.replace('|', ''), line.indexOf('|'))?.text ?? null;
  assert.equal(at('a * 0.|25 + 3'), '0.25');
  assert.equal(at('fbm(40|96)'), '4096');
  assert.equal(at('fbm(4096|)'), '4096');
  assert.equal(at('[|-400, 400]'), '-400');
  assert.equal(at('a - 4|0'), '40');
  assert.equal(at('mix(-|0.5, 2)'), '-0.5');
  assert.equal(at('layer2 |+ x'), null);
  assert.equal(at('lay|er2'), null);
  assert.equal(at('"#2f7|d32"'), null);
  assert.equal(at('1e|-3'), '1e-3');
});

/* A step is a tenth of the place of the leading digit. */
test('numbers change in steps of their size', () => {
  const cases = [
    ['0.06', 1, {}, '0.061'], ['0.5', -1, {}, '0.49'], ['2.35', 1, {}, '2.45'], ['1024', 1, {}, '1124'],
    ['8', 1, {}, '9'], ['8', -20, { minimum: 1, whole: true }, '1'], ['0', 1, {}, '1'],
    ['0.0', 1, {}, '0.1'], ['-400', 3, {}, '-370'], ['24', 5, { maximum: 24 }, '24'],
    ['4096', 1, { doubling: true }, '8192'], ['4096', -2, { doubling: true, minimum: 2048 }, '2048'],
    ['1.0', 10, {}, '2.0'], ['1.9', -40, { minimum: 0.01 }, '0.01'],
  ];
  for (const [text, steps, limits, expected] of cases) {
    assert.equal(stepNumber(text, steps, limits), expected, `${text} and ${steps} steps`);
  }
});

test('a link gives the text again, and says when it is broken', async () => {
  /* Node 18 has these streams without deflate-raw. */
  for (const [name, create] of [['CompressionStream', createDeflateRaw], ['DecompressionStream', createInflateRaw]])
    Object.defineProperty(globalThis, name, { value: function raw() { return Duplex.toWeb(create()); } });
  for (const text of [worldFile('terra'), '', '{"title": "Ümläut 🏝"}']) {
    const packed = await pack(text);
    assert.match(packed, /^[\w-]*$/);
    assert.equal(await unpack(packed), text);
  }
  const packed = await pack(worldFile('dunes'));
  assert.ok(packed.length < worldFile('dunes').length / 2);
  for (const bad of [packed.slice(0, -40), `${packed.slice(0, 300)}x${packed.slice(300)}`, '%%', 'AAAA']) {
    await assert.rejects(unpack(bad), /This link is broken/);
  }
  await assert.rejects(unpack(await pack('x'.repeat((1 << 20) + 1))), /1 MB/);
});

test('formulas and keys are known by their place', () => {
  const path = (text) => text.split('.');
  for (const formula of ['layers.a', 'layers.a.formula', 'biomes.0.when', 'drainage.warp_x',
    'objects.oak.density', 'materials.1.weight']) assert.ok(isFormula(path(formula)), formula);
  for (const other of ['title', 'layers.a.unit', 'biomes.0.name', 'styles.a.title']) {
    assert.ok(!isFormula(path(other)), other);
  }
  assert.ok('formula' in keysAt(path('layers.a')));
  assert.ok('contrast' in keysAt(path('styles.a.paint.0.shade')));
  assert.ok('ends' in keysAt(path('names.syllables.dwarvish')));
  assert.equal(keysAt(path('layers.a.range')), null);
});

/* Every key of the built-in worlds has help. */
test('the keys of all built-in worlds are known', () => {
  const visit = (value, path) => {
    if (value === null || typeof value !== 'object') return;
    const keys = Array.isArray(value) ? null : keysAt(path);
    for (const [key, child] of Object.entries(value)) {
      if (keys) assert.ok(key in keys, [...path, key].join('.'));
      visit(child, [...path, key]);
    }
  };
  for (const name of BUILT_IN) {
    visit(JSON.parse(worldFile(name)), []);
  }
});

test('the formula of the noise page leaves out what is usual', () => {
  assert.equal(formulaOf(START), 'fbm(wavelength=4096, octaves=5)');
  assert.equal(formulaOf({ ...START, kind: 'ridged', basis: 'value', interpolation: 'linear', feedback: 2 }),
    'ridged(wavelength=4096, octaves=5, basis="value", interpolation="linear", feedback=2)');
  assert.equal(formulaOf({ ...START, kind: 'single', basis: 'worley', feature: 'cell' }),
    'worley(wavelength=4096, feature="cell")');
  assert.equal(formulaOf({ ...START, basis: 'simplex', interpolation: 'linear' }),
    'fbm(wavelength=4096, octaves=5, basis="simplex")');
  assert.deepEqual(octavesTable({ ...START, octaves: 2, lacunarity: 4 }),
    [{ wavelength: 4096, weight: 1 / 1.5 }, { wavelength: 1024, weight: 0.5 / 1.5 }]);
});

/* Octaves of 256 places in one layer: their sum is the noise, and none is larger than its weight. */
test('the octaves of the noise page add up to the noise', async () => {
  const settings = { ...START, octaves: 4, persistence: 0.6 };
  const world = { generator: 1, seed: 'noise', layers: { height: '0', noise: layerFormula(settings) } };
  const posted = await fetch(`${server.url}/preview`, { method: 'POST', body: JSON.stringify(world) });
  const { name } = await posted.json();
  const samples = async (t) => new Float32Array(await (await fetch(
    `${server.url}/worlds/${name}/chunks/0/0.r32f?layers=noise&size=16&step=512&t=${t}`)).arrayBuffer());
  const [sum, ...octaves] = await Promise.all([0, 1, 2, 3, 4].map(samples));
  sum.forEach((value, at) => {
    const added = octaves.reduce((total, octave) => total + octave[at], 0);
    assert.ok(Math.abs(value - added) < 1e-6, `${value} and ${added}`);
  });
  octavesTable(settings).forEach(({ weight }, at) => {
    const most = Math.max(...octaves[at].map(Math.abs));
    assert.ok(most <= weight + 1e-6, `octave ${at + 1}: ${most} of ${weight}`);
  });
  assert.ok(sum.some((value) => Math.abs(value) > 0.1));
});

test('a formula goes into a world as a layer with a name of its own', () => {
  const { text, name } = putIntoWorld(worldFile('perlin'), 'simplex(8, salt="a")');
  assert.equal(name, 'noise');
  assert.equal(JSON.parse(text).layers.noise, 'simplex(8, salt="a")');
  assert.equal(putIntoWorld(text, 'x').name, 'noise_2');
  assert.deepEqual(JSON.parse(putIntoWorld('{"layers": {}}', 'x').text), { layers: { noise: 'x' } });
  assert.equal(putIntoWorld('{}', 'x'), null);
});

test('titles, names of files and seeds', () => {
  assert.equal(titleOf('{"title": "A \\"B\\"",', 'none'), 'A "B"');
  assert.equal(titleOf('{', 'none'), 'none');
  assert.equal(fileName('Îles & Récifs!'), 'iles_recifs.json');
  assert.equal(fileName('???'), 'world.json');
  assert.equal(JSON.parse(withSeed(worldFile('dunes'), '4"2')).seed, '4"2');
  assert.equal(JSON.parse(withSeed('{"generator": 1}', '7')).seed, '7');
});

test('values are counted in bins, the largest in the last one', () => {
  assert.deepEqual(countBins([0, 0.4, 1, 2, 4], 0, 4, 4), [2, 1, 1, 1]);
  assert.deepEqual(countBins([5, 5], 5, 5, 2), [2, 0]);
});
