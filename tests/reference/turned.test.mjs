/* Places, slopes and zeros in turned, scaled and moved scopes, against arithmetic in doubles, within
 * 300 km, where that is good to 1e-10 m. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { terrane } from '../cli/terrane.mjs';
import { ask, decimal, formulaOf, randomPlaces, randomWithin } from './sample.mjs';
import { makeNoise } from './noise.mjs';
import { improvedNoise } from './published.mjs';
import { temporaryFolder } from '../tools/folder.mjs';

const seed = '42';
const degrees = 37.5;
const [cosine, sine] = [Math.cos(degrees * Math.PI / 180), Math.sin(degrees * Math.PI / 180)];
const places = Array.from({ length: 300 }, () => [randomWithin(1n << 34n), randomWithin(1n << 34n)]);
const metres = (place) => place.map((v) => Number(v) / 65536);
/* rotate() draws clockwise, y being south: it asks at the place turned back. */
const turnedBack = ([x, y]) => [cosine * x + sine * y, cosine * y - sine * x];

function compare(formulas, expected, tolerance, difference = (a, b) => Math.abs(a - b)) {
  ask({ generator: 1, seed, layers: { height: '0', ...formulas } }, places).forEach((answer, i) => {
    for (const [name, value] of Object.entries(expected(places[i]))) {
      const off = difference(answer[name], value);
      assert.ok(off <= tolerance, `${name} at ${places[i].map(decimal)}: ${answer[name]}, not ${value}`);
    }
  });
}

test('cycles in turned, scaled and moved scopes', () => {
  const [dx, dy] = [12.3, -4.6].map(Math.fround);
  const around = (a, b) => Math.min(Math.abs(a - b), 1 - Math.abs(a - b));
  const part = (v, period) => v / period - Math.floor(v / period);
  compare({
    turned_x: `rotate(cycle('x', 97), ${degrees})`,
    turned_y: `rotate(cycle('y', 97), ${degrees})`,
    quarter: "rotate(cycle('x', 1000), 90)",
    scaled: `scale(rotate(cycle('y', 97), ${degrees}), 4)`,
    moved: `rotate(warp(cycle('x', 97), ${12.3} + 0 * x, -4.6), ${degrees})`,
    moved_south: `rotate(warp(cycle('y', 97), ${12.3} + 0 * x, -4.6), ${degrees})`,
  }, (place) => {
    const [x, y] = turnedBack(metres(place));
    return {
      turned_x: part(x, 97), turned_y: part(y, 97), quarter: part(metres(place)[1], 1000),
      scaled: part(y / 4, 97), moved: part(x + dx, 97), moved_south: part(y + dy, 97),
    };
  }, 2e-7, around);
});

test('distances and coordinates in turned, scaled and moved scopes', () => {
  /* Up to 2¹⁹ m a float is a whole number of 2⁻⁵ m; the sum of two products loses as much again. */
  compare({
    turned: `rotate(distance(1000, 2000), ${degrees})`,
    scaled: 'scale(distance(1000, 2000), 8)',
    moved: `rotate(warp(distance(1000, 2000), 12.3, 45.6), ${degrees})`,
    along: `rotate(x, ${degrees})`,
    down: `scale(rotate(y, ${degrees}), 8)`,
  }, (place) => {
    const [[x, y], [east, south]] = [turnedBack(metres(place)), metres(place)];
    return {
      turned: Math.hypot(x - 1000, y - 2000),
      scaled: Math.hypot(east / 8 - 1000, south / 8 - 2000),
      moved: Math.hypot(x + 12.3 - 1000, y + 45.6 - 2000),
      along: x, down: y / 8,
    };
  }, 2 ** -4);
});

test('gradients in turned scopes run along their axes', () => {
  const noise = (layer) => makeNoise(seed, layer,
    { call: 'perlin', wavelength: 400, turned: [cosine, -sine] });
  const samplers = { east: noise('east'), south: noise('south'), slope: noise('slope') };
  const rise = (layer, place, [dx, dy]) => 100 / 20 * (
    samplers[layer](place, 0, [10 * dx, 10 * dy]) - samplers[layer](place, 0, [-10 * dx, -10 * dy]));
  compare({
    east: `rotate(gradient_x(100 * perlin(400), 20), ${degrees})`,
    south: `rotate(gradient_y(100 * perlin(400), 20), ${degrees})`,
    slope: `rotate(slope(100 * perlin(400), 20), ${degrees})`,
  }, (place) => ({
    east: rise('east', place, [cosine, sine]),
    south: rise('south', place, [-sine, cosine]),
    slope: Math.hypot(rise('slope', place, [cosine, sine]), rise('slope', place, [-sine, cosine])),
  }), 1e-4);
});

/* The reference, in JavaScript, looks at every depth. */
test('zero_distance of every basis and depth', { timeout: 60_000 }, () => {
  const noises = {};
  for (const axes of ['x', 'xy', 'xyz', 'xyzt'])
    for (const basis of ['value', 'perlin', 'simplex', 'worley'])
      noises[`${basis}_${axes}`] = { call: basis, wavelength: 400, axes };
  for (const feature of ['f2', 'f2-f1', 'x', 'edge'])
    noises[`worley_${feature.replace('-', '_')}`] = { call: 'worley', wavelength: 400, feature };
  for (const call of ['fbm', 'billow', 'turbulence'])
    for (const rotate_octaves of [0, 1])
      noises[`${call}_${rotate_octaves}`] = { call, wavelength: 3000, octaves: 4, rotate_octaves };
  const somewhere = randomPlaces().slice(0, 400);
  const layers = { height: '0' };
  for (const [name, settings] of Object.entries(noises))
    layers[name] = `zero_distance(${formulaOf(settings)})`;
  const answers = ask({ generator: 1, seed, layers }, somewhere);
  for (const [name, settings] of Object.entries(noises)) {
    const noise = makeNoise(seed, name, settings);
    const h = settings.wavelength * 2e-5;
    const right = somewhere.filter((place, i) => {
      const [east, south] = [[h, 0], [0, h]].map(([dx, dy]) => (
        (noise(place, 0, [dx, dy]) - noise(place, 0, [-dx, -dy])) / (2 * h)));
      const expected = Math.min(
        Math.abs(noise(place)) / Math.hypot(east, south), settings.wavelength);
      return Math.abs(answers[i][name] - expected) < 2e-3 * (expected + 1e-3 * settings.wavelength);
    });
    /* Nearly flat, or with a fold within h, a difference is no derivative. */
    assert.ok(right.length >= 380, `${name}: ${right.length} of 400`);
  }
});

test('perlin2002 with fractional wavelengths', () => {
  /* Cells in 2⁻⁴⁸ of a metre's, 2⁻³² m of rounding at 2¹⁴ m: 2⁻³⁰ of a cell of 0.37 m. */
  const near = Array.from({ length: 1000 }, () => [
    randomWithin(1n << 30n), randomWithin(1n << 30n)]);
  for (const wavelength of [0.37, 12.75, 333.3]) {
    const layers = { height: `perlin2002(${wavelength}, axes='xyz', wavelength_z=2.5)` };
    ask({ generator: 1, layers }, near, ['--z=-7.3125']).forEach(({ height }, i) => {
      const [x, y] = metres(near[i]);
      const expected = improvedNoise(x / wavelength, y / wavelength, -7.3125 / 2.5);
      assert.ok(Math.abs(height - expected) <= 1e-6, `${wavelength} at ${near[i].map(decimal)}: `
        + `${height}, not ${expected}`);
    });
  }
});

test('a negative wavelength is refused', () => {
  const folder = temporaryFolder({
    'negative.json': { generator: 1, layers: { height: 'perlin2002(-64)' } } });
  const { status, stderr } = terrane(['query', '--world', 'negative.json', '0', '0'],
    { cwd: folder.path });
  folder.remove();
  assert.notEqual(status, 0);
  assert.match(stderr, /wavelength/);
});

test('quarter turns of a cycle are exact, also 2⁴⁰ m from the origin', () => {
  const layers = { height: '0' };
  for (const degrees of [0, 90, 180, 270])
    layers[`turned_${degrees}`] = `rotate(cycle('x', 1000), ${degrees})`;
  layers.odd = "rotate(cycle('x', 1000), 33)";
  const edge = (1n << 40n) << 16n, period = 1000n << 16n;
  const places = [[edge, edge], [-edge, edge], [edge - 12345n, 6789n], [5n, -edge]];
  const answers = ask({ generator: 1, layers }, places);
  const part = (v) => Number(((v % period) + period) % period) / Number(period);
  places.forEach(([x, y], i) => {
    /* Drawn clockwise by a quarter, what was east is south. */
    const along = { 0: x, 90: y, 180: -x, 270: -y };
    for (const [degrees, v] of Object.entries(along))
      assert.ok(Math.abs(answers[i][`turned_${degrees}`] - part(v)) < 1e-7, `${degrees}: ${x}, ${y}`);
    const [cosine, sine] = [Math.cos(-33 * Math.PI / 180), Math.sin(-33 * Math.PI / 180)];
    const turned = (Number(x) * cosine - Number(y) * sine) / Number(period);
    const off = Math.abs(answers[i].odd - (turned - Math.floor(turned)));
    assert.ok(Math.min(off, 1 - off) < 1e-5, `${off}`);
  });
});

test('a damped sum of worley approaches its damped mean', () => {
  const noise = { call: 'fbm', wavelength: 400, octaves: 1, basis: 'worley', damping: 10 };
  const layers = { height: '0', n: formulaOf(noise) };
  const places = [[333n << 16n, -999n << 16n], [12345n << 16n, 777n << 16n]];
  const spacing = 2 ** (17 - 10);
  const sample = makeNoise('42', 'n', noise);
  ask({ generator: 1, seed: '42', layers }, places, ['--zoom', '10']).forEach(({ n }, i) => {
    assert.ok(Math.abs(n - sample(places[i], spacing)) < 2e-4, `${n}`);
  });
});
