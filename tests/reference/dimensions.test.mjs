/* The noises of every basis in one to four dimensions, their fractals, damping and turns, against
 * noise.mjs at random places, heights and times. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, decimal, formulaOf, limit, randomPlaces, randomWithin } from './sample.mjs';
import { fades, makeNoise } from './noise.mjs';

const seed = '1234567890123456789';
const allAxes = ['x', 'xy', 'xyz', 'xyt', 'xyzt'];

const noises = {};
for (const axes of allAxes) {
  const further = axes.includes('z') ? { wavelength_z: 170 } : {};
  if (axes.includes('t')) further.wavelength_t = 33;
  const common = { wavelength: 300, axes, ...further };
  noises[`white_${axes}`] = { call: 'white', ...common };
  noises[`simplex_${axes}`] = { call: 'simplex', ...common };
  for (const basis of ['value', 'perlin'])
    for (const interpolation of Object.keys(fades).filter((name) => name !== 'none'))
      noises[`${basis}_${interpolation}_${axes}`] = { call: basis, ...common, interpolation };
  for (const [name, feature] of [['f1', 'f1'], ['f2', 'f2'], ['edge', 'f2-f1'], ['cell', 'cell'],
    ...(axes === 'xy' ? [['px', 'x'], ['py', 'y'], ['border', 'edge']] : [])])
    noises[`worley_${name}_${axes}`] = { call: 'worley', ...common, feature };
  for (const call of ['fbm', 'billow', 'turbulence', 'ridged'])
    for (const basis of ['perlin', 'simplex', 'worley', 'value'])
      noises[`${call}_${basis}_${axes}`] = { call, ...common, wavelength: 4000, octaves: 3, basis };
}
for (const basis of ['perlin', 'simplex', 'value']) {
  noises[`turned_${basis}`] = { call: 'fbm', wavelength: 5000, octaves: 6, basis, rotate_octaves: 1 };
  for (const call of ['fbm', 'billow', 'turbulence', 'ridged'])
    noises[`damped_${call}_${basis}`] = {
      call, wavelength: 5000, octaves: 4, basis, damping: 0.6, rotate_octaves: 1,
    };
}

/* rotate() draws clockwise: it asks at the place turned back. */
const degrees = 37.5;
const radians = -degrees * Math.PI / 180;
const rotated = { call: 'perlin', wavelength: 500, interpolation: 'cubic' };
const scaled = { call: 'fbm', wavelength: 500, octaves: 3 };

const world = {
  generator: 1,
  seed,
  layers: {
    height: '0',
    ...Object.fromEntries(Object.entries(noises).map(([name, n]) => [name, formulaOf(n)])),
    rotated: `rotate(${formulaOf(rotated)}, ${degrees})`,
    quarter: `rotate(${formulaOf(rotated)}, 90)`,
    scaled: `scale(${formulaOf(scaled)}, 8)`,
  },
};

/* Floats and their sums are good to 2e-6, gradients of four dimensions to twice 1.2e-5 times their
 * scale; simplex noise multiplies sums of parts a hundredth as large, and billow doubles it. A cell's
 * value is right or wrong. Numeric gradients are good to 1e-5 or so, and damping spreads that. */
function toleranceOf(name) {
  if (/^damped/.test(name)) return 2e-4;
  if (/simplex/.test(name)) return 8e-5;
  return /^(white|worley_cell)/.test(name) ? 1e-6 : 3e-5;
}

const moments = [['0', '0'], ['-713.25', '1234.5'], ['1099511627775.5', '-1099511627776']];
const inUnits = (text) => BigInt(Number(text) * 65536);

function somePlaces(count) {
  const places = randomPlaces();
  const step = Math.floor(places.length / count);
  return places.filter((_, i) => i % step === 0);
}

for (const [z, t] of moments) {
  test(`every noise equals the reference at z ${z}, t ${t}`, () => {
    const places = somePlaces(20);
    const answers = ask(world, places, [`--z=${z}`, `--time=${t}`]);
    const moment = [inUnits(z), inUnits(t)];
    for (const [name, settings] of Object.entries(noises)) {
      const noise = makeNoise(seed, name, settings);
      let wrong = 0;
      places.forEach((place, i) => {
        const expected = noise(place, 0, [0, 0], moment);
        const error = Math.abs(answers[i][name] - expected);
        if (error > toleranceOf(name)) {
          wrong++;
          /* At a kink the numeric gradient belongs to neither side. */
          assert.ok(/^damped/.test(name) && wrong < 2, `${name} at ${place.map(decimal)}: `
            + `${answers[i][name]} is ${error} from the reference ${expected}`);
        }
      });
    }
  });
}

test('worley is exact at ten thousand places', () => {
  const names = ['worley_f1_xy', 'worley_f2_xy', 'worley_edge_xy', 'worley_cell_xy'];
  const layers = Object.fromEntries(names.map((name) => [name, world.layers[name]]));
  const places = Array.from({ length: 10000 }, () => [
    randomWithin(1n << 30n), randomWithin(limit)]);
  const answers = ask({ ...world, layers: { height: '0', ...layers } }, places);
  const exact = names.map((name) => makeNoise(seed, name, noises[name]));
  places.forEach((place, i) => names.forEach((name, k) => {
    const error = Math.abs(answers[i][name] - exact[k](place));
    assert.ok(error < 3e-6, `${name} at ${place.map(decimal)}: ${error} off`);
  }));
});

test('turned and scaled domains', () => {
  const places = somePlaces(300);
  const answers = ask(world, places);
  const turned = makeNoise(seed, 'rotated',
    { ...rotated, turned: [Math.cos(radians), Math.sin(radians)] });
  const quarter = makeNoise(seed, 'quarter', { ...rotated, turned: [0, -1] });
  places.forEach((place, i) => {
    /* The cosine's last bit is a millionth of a cell 2⁴⁰ m out. */
    const far = place.some((v) => v > 1n << 50n || v < -(1n << 50n));
    const off = Math.abs(answers[i].rotated - turned(place));
    if (!far) assert.ok(off < 3e-5, `turned at ${place}: ${off} off`);
    const quarterOff = Math.abs(answers[i].quarter - quarter(place));
    assert.ok(quarterOff < 3e-5, `a quarter turned at ${place}: ${quarterOff} off`);
  });
  /* A scaled noise is the noise of a larger wavelength; its key knows the written one. */
  const large = makeNoise(seed, 'scaled', scaled);
  const near = Array.from({ length: 50 }, () => [
    8n * randomWithin(1n << 36n), 8n * randomWithin(1n << 36n)]);
  ask(world, near).forEach((answer, i) => {
    const off = Math.abs(answer.scaled - large(near[i].map((v) => v / 8n)));
    assert.ok(off < 3e-5, `scaled at ${near[i]}: ${off} off`);
  });
});
