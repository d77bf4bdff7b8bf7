/* Cases that noise.test.mjs and dimensions.test.mjs do not cover: noises of every basis and depth moved by
 * warps, faded by detail, and at places where a lattice key changes within a neighbourhood. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, decimal, formulaOf, randomPlaces, randomWithin } from './sample.mjs';
import { makeNoise } from './noise.mjs';

const seed = '42';
const allAxes = ['x', 'xy', 'xyz', 'xyt', 'xyzt'];
const bases = ['white', 'value', 'perlin', 'simplex', 'worley'];
const calls = ['fbm', 'billow', 'turbulence', 'ridged'];
const [z, t] = [-713.25, 1234.5];
const moment = [z, t].map((v) => BigInt(v * 65536));
const words = [`--z=${z}`, `--time=${t}`];

/* As in dimensions.test.mjs. */
function toleranceOf(settings) {
  if (settings.damping) return 2e-4;
  return [settings.call, settings.basis].includes('simplex') ? 8e-5 : 3e-5;
}

const noises = {};
for (const axes of allAxes)
  for (const basis of bases) {
    noises[`${basis}_${axes}`] = { call: basis, wavelength: 3000, axes };
    for (const call of calls)
      noises[`${call}_${basis}_${axes}`] = { call, wavelength: 3000, octaves: 3, basis, axes };
  }
for (const feature of ['f2', 'f2-f1', 'cell', 'x', 'y', 'edge'])
  noises[`worley_${feature.replace('-', '_')}`] = { call: 'worley', wavelength: 3000, feature };
for (const basis of ['worley', 'perlin', 'simplex', 'value'])
  for (const axes of ['x', 'xyz', 'xyzt'])
    noises[`damped_${basis}_${axes}`] = {
      call: 'fbm', wavelength: 3000, octaves: 3, basis, axes, damping: 0.6 };

/* Where a noise jumps or folds, a float may be on the other side: such places are at most a few. */
function compare(places, answers, names, sample, allowed = 0) {
  for (const name of names) {
    let wrong = 0;
    places.forEach((place, i) => {
      const expected = sample(name)(place);
      const error = Math.abs(answers[i][name] - expected);
      if (error > toleranceOf(noises[name]))
        assert.ok(++wrong <= allowed, `${name} at ${place.map(decimal)}: ${answers[i][name]} is `
          + `${error} from the reference ${expected}`);
    });
  }
}

const layersOf = (write) => ({
  height: '0', ...Object.fromEntries(Object.entries(noises).map(([name, n]) => [name, write(n)])),
});
const samplers = Object.fromEntries(
  Object.entries(noises).map(([name, n]) => [name, makeNoise(seed, name, n)]));
const somePlaces = (count) => randomPlaces().filter((_, i) => i % Math.ceil(1600 / count) === 0);

/* The program and the reference, in JavaScript, sample every noise several times. */
const ALL_NOISES = { timeout: 60_000 };
test('every noise can be moved', ALL_NOISES, () => {
  const moves = [[64.5, -0.25], [3.3, -1.7], [-917.3, 4411.1]];
  for (const [dx, dy] of moves) {
    const places = somePlaces(40);
    const world = { generator: 1, seed,
      layers: layersOf((n) => `warp(${formulaOf(n)}, ${dx} + 0 * x, ${dy})`) };
    compare(places, ask(world, places, words), Object.keys(noises),
      (name) => (place) => samplers[name](place, 0, [dx, dy].map(Math.fround), moment), 1);
  }
});

test('every noise fades with detail', ALL_NOISES, () => {
  for (const zoom of [9, 7, 6, 5, 3]) {
    const places = somePlaces(20);
    const spacing = 2 ** (17 - zoom);
    compare(places, ask({ generator: 1, seed, layers: layersOf(formulaOf) }, places,
      [...words, '--zoom', String(zoom)]),
    Object.keys(noises).filter((name) => !name.startsWith('damped_worley')),
    (name) => (place) => samplers[name](place, spacing, [0, 0], moment), 1);
  }
});

test('neighbourhoods in which a lattice key changes', () => {
  /* A wavelength of 0.01 m; places whose cell on one axis is within two of a multiple of 2³². */
  const narrow = {};
  for (const axes of ['x', 'xy', 'xyz', 'xyt'])
    for (const basis of bases)
      narrow[`narrow_${basis}_${axes}`] = { call: basis, wavelength: 0.01, axes, wavelength_z: 0.01,
        wavelength_t: 0.01 };
  let crossed = 0;
  for (const [name, settings] of Object.entries(narrow)) {
    const given = { ...settings };
    if (!given.axes.includes('z')) delete given.wavelength_z;
    if (!given.axes.includes('t')) delete given.wavelength_t;
    const noise = makeNoise(seed, name, given);
    const [o] = noise.octaves;
    const world = { generator: 1, seed, layers: { height: '0', [name]: formulaOf(given) } };
    o.whole.forEach((form, axis) => {
      /* The variable that moves this axis most: the others stay near 0. */
      const which = form.reduce((best, f, c) => (f > form[best] ? c : best), 0);
      const at = [randomWithin(1n << 24n), randomWithin(1n << 24n), 0n, 0n];
      at[which] = 0n;
      const rest = form.reduce((sum, f, c) => sum + f * at[c], o.offsets[axis] << 32n);
      const turn = 1n << 96n;
      for (const k of [0n, 1n]) {
        const change = (k * turn - rest) / form[which];
        const places = [];
        const many = which < 2 ? 40 : 1;
        for (let i = 0; i < many; i++) {
          const place = [...at];
          place[which] = change + randomWithin(2n * 656n);
          places.push(place);
        }
        if (which >= 2) {
          const near = change + randomWithin(656n);
          for (let i = 0; i < 40; i++)
            places.push([randomWithin(1n << 24n), randomWithin(1n << 24n),
              ...at.slice(2).map((own, k) => (k === which - 2 ? near : own))]);
          places.shift();
        }
        const [, , pz, pt] = places[0];
        const answers = ask(world, places.map((p) => p.slice(0, 2)),
          [`--z=${decimal(pz)}`, `--time=${decimal(pt)}`]);
        places.forEach((place, i) => {
          const expected = noise(place.slice(0, 2), 0, [0, 0], place.slice(2));
          const error = Math.abs(answers[i][name] - expected);
          assert.ok(error <= 8e-5, `${name}, axis ${axis}, at ${place.map(decimal)}: `
            + `${answers[i][name]} is ${error} from the reference ${expected}`);
          crossed++;
        });
      }
    });
  }
  assert.ok(crossed > 1000);
});
