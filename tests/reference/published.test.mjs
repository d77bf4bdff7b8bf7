/* perlin2002 against Ken Perlin's reference implementation of improved noise (2002), and zeros and
 * slopes against differences of the noises themselves. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, decimal, formulaOf, randomPlaces, randomWithin } from './ask.mjs';
import { makeNoise } from './noise.mjs';

const permutation = `151 160 137 91 90 15 131 13 201 95 96 53 194 233 7 225 140 36 103 30 69 142 8
  99 37 240 21 10 23 190 6 148 247 120 234 75 0 26 197 62 94 252 219 203 117 35 11 32 57 177 33 88
  237 149 56 87 174 20 125 136 171 168 68 175 74 165 71 134 139 48 27 166 77 146 158 231 83 111 229
  122 60 211 133 230 220 105 92 41 55 46 245 40 244 102 143 54 65 25 63 161 1 216 80 73 209 76 132
  187 208 89 18 169 200 196 135 130 116 188 159 86 164 100 109 198 173 186 3 64 52 217 226 250 124
  123 5 202 38 147 118 126 255 82 85 212 207 206 59 227 47 16 58 17 182 189 28 42 223 183 170 213
  119 248 152 2 44 154 163 70 221 153 101 155 167 43 172 9 129 22 39 253 19 98 108 110 79 113 224
  232 178 185 112 104 218 246 97 228 251 34 242 193 238 210 144 12 191 179 162 241 81 51 145 235
  249 14 239 107 49 192 214 31 181 199 106 157 184 84 204 176 115 121 50 45 127 4 150 254 138 236
  205 93 222 114 67 29 24 72 243 141 128 195 78 66 215 61 156 180`.trim().split(/\s+/).map(Number);
const p = [...permutation, ...permutation];

const fade = (t) => t * t * t * (t * (t * 6 - 15) + 10);
const lerp = (t, a, b) => a + t * (b - a);
function grad(hash, x, y, z) {
  const h = hash & 15;
  const u = h < 8 ? x : y;
  const v = h < 4 ? y : h === 12 || h === 14 ? x : z;
  return ((h & 1) === 0 ? u : -u) + ((h & 2) === 0 ? v : -v);
}

/* The published noise(x, y, z), in double. */
function improvedNoise(px, py, pz) {
  const X = Math.floor(px) & 255, Y = Math.floor(py) & 255, Z = Math.floor(pz) & 255;
  const [x, y, z] = [px - Math.floor(px), py - Math.floor(py), pz - Math.floor(pz)];
  const [u, v, w] = [fade(x), fade(y), fade(z)];
  const A = p[X] + Y, AA = p[A] + Z, AB = p[A + 1] + Z;
  const B = p[X + 1] + Y, BA = p[B] + Z, BB = p[B + 1] + Z;
  return lerp(w,
    lerp(v, lerp(u, grad(p[AA], x, y, z), grad(p[BA], x - 1, y, z)),
      lerp(u, grad(p[AB], x, y - 1, z), grad(p[BB], x - 1, y - 1, z))),
    lerp(v, lerp(u, grad(p[AA + 1], x, y, z - 1), grad(p[BA + 1], x - 1, y, z - 1)),
      lerp(u, grad(p[AB + 1], x, y - 1, z - 1), grad(p[BB + 1], x - 1, y - 1, z - 1))));
}

const metres = (units) => Number(units) / 65536;

test('perlin2002 is the published function at 1000 places', () => {
  const wavelengths = { a: 64, b: 1000, c: 3 };
  const layers = { height: '0' };
  for (const [name, wavelength] of Object.entries(wavelengths)) {
    layers[`${name}_xy`] = `perlin2002(${wavelength})`;
    layers[`${name}_xyz`] = `perlin2002(${wavelength}, axes='xyz', wavelength_z=50)`;
    layers[`${name}_xyt`] = `perlin2002(${wavelength}, axes='xyt', wavelength_t=7)`;
  }
  /* Within 16 km, so that a double's place in a cell is good to 1e-11. */
  const places = Array.from({ length: 1000 }, () => [
    randomWithin(1n << 30n), randomWithin(1n << 30n)]);
  let largest = 0;
  for (const [z, t] of [[0, 0], [-123.5, 77.25]]) {
    const answers = ask({ generator: 1, layers }, places, [`--z=${z}`, `--time=${t}`]);
    places.forEach((place, i) => {
      for (const [name, wavelength] of Object.entries(wavelengths)) {
        const [x, y] = place.map((v) => metres(v) / wavelength);
        const expected = {
          xy: improvedNoise(x, y, 0),
          xyz: improvedNoise(x, y, z / 50),
          xyt: improvedNoise(x, y, t / 7),
        };
        for (const [axes, value] of Object.entries(expected)) {
          const error = Math.abs(answers[i][`${name}_${axes}`] - value);
          assert.ok(error <= 1e-6, `${name}_${axes} at ${place.map(decimal)}: ${error} off`);
          largest = Math.max(largest, Math.abs(value));
        }
      }
    });
  }
  assert.ok(largest > 0.8);
  /* The value that accompanies the published program. */
  assert.ok(Math.abs(improvedNoise(3.14, 42, 7) - 0.13691995878400012) < 1e-15);
});

test('perlin2002 repeats after 256 cells and on', () => {
  const world = { generator: 1, layers: { height: 'perlin2002(64)' } };
  const period = 64n * 256n * 65536n;
  const places = Array.from({ length: 100 }, () => [
    randomWithin(1n << 28n), randomWithin(1n << 28n)]);
  const far = places.map(([x, y]) => [x + 40000n * period, y - 66666n * period]);
  assert.deepEqual(ask(world, far), ask(world, places));
});

const seed = '77';
const noises = {
  linear: { call: 'value', wavelength: 400, interpolation: 'linear', axes: 'x' },
  perlin: { call: 'perlin', wavelength: 400 },
  cosine: { call: 'value', wavelength: 400, interpolation: 'cosine' },
  deep: { call: 'perlin', wavelength: 400, axes: 'xyz' },
  simplex: { call: 'simplex', wavelength: 400 },
  sums: { call: 'fbm', wavelength: 3000, octaves: 4 },
  turned: { call: 'fbm', wavelength: 3000, octaves: 4, rotate_octaves: 1, basis: 'value' },
  billow: { call: 'billow', wavelength: 3000, octaves: 3 },
};

test('zero_distance is |n| over the gradient of n', () => {
  const layers = { height: '0' };
  for (const [name, settings] of Object.entries(noises)) {
    layers[name] = `zero_distance(${formulaOf(settings)})`;
    layers[`${name}_there`] = `zero_distance(rotate(${formulaOf(settings)}, 30))`;
  }
  const places = randomPlaces().slice(0, 400);
  const answers = ask({ generator: 1, seed, layers }, places);
  for (const [name, settings] of Object.entries(noises)) {
    const noise = makeNoise(seed, name, settings);
    let compared = 0;
    places.forEach((place, i) => {
      const n = noise(place), h = 0.02;
      const [east, south] = [[h, 0], [0, h]].map(([dx, dy]) => (
        (noise(place, 0, [dx, dy]) - noise(place, 0, [-dx, -dy])) / (2 * h)));
      const expected = Math.min(Math.abs(n) / Math.hypot(east, south), settings.wavelength);
      const error = Math.abs(answers[i][name] - expected);
      /* A cell's border or a fold in between makes a difference no derivative. */
      if (error < 0.01 * expected + 0.05) compared++;
    });
    assert.ok(compared >= 396, `${name}: ${compared} of 400`);
  }
  const distances = answers.map((answer) => answer.perlin);
  assert.ok(Math.min(...distances) < 3 && Math.max(...distances) > 100);
});

test('linear value noise has its zero where zero_distance says', () => {
  const noise = makeNoise(seed, 'linear', noises.linear);
  const layers = { height: '0', linear: `zero_distance(${formulaOf(noises.linear)})` };
  const places = randomPlaces().slice(0, 300);
  const answers = ask({ generator: 1, seed, layers }, places);
  let found = 0;
  places.forEach((place, i) => {
    const metresAway = answers[i].linear;
    const ends = [-1, 1].map((way) => Math.abs(noise(place, 0, [way * metresAway, 0])));
    if (Math.min(...ends) < 1e-4) found++;
  });
  /* Others' cells have their ends on one side of 0, so their zero is no one's. */
  assert.ok(found > 60, `${found}`);
});

test('slope and gradients are differences over their spacing', () => {
  const noise = { call: 'fbm', wavelength: 3000, octaves: 5 };
  const layers = {
    height: '0',
    slope: `slope(100 * ${formulaOf(noise)}, 32)`,
    gradient_x: `gradient_x(100 * ${formulaOf(noise)}, 10.3)`,
    gradient_y: `gradient_y(100 * ${formulaOf(noise)}, 64)`,
  };
  const places = randomPlaces().slice(0, 200);
  const answers = ask({ generator: 1, seed, layers }, places);
  const samplers = Object.fromEntries(['slope', 'gradient_x', 'gradient_y'].map((layer) => (
    [layer, makeNoise(seed, layer, noise)])));
  const rise = (layer, place, dx, dy) => (
    100 * (samplers[layer](place, 0, [dx, dy]) - samplers[layer](place, 0, [-dx, -dy]))
      / (2 * (dx + dy)));
  places.forEach((place, i) => {
    const steep = Math.hypot(rise('slope', place, 16, 0), rise('slope', place, 0, 16));
    assert.ok(Math.abs(answers[i].slope - steep) < 1e-4, `${steep} ${answers[i].slope}`);
    assert.ok(Math.abs(answers[i].gradient_x - rise('gradient_x', place, 5.15, 0)) < 3e-4);
    assert.ok(Math.abs(answers[i].gradient_y - rise('gradient_y', place, 0, 32)) < 1e-4);
  });
});
