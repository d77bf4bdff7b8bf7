/* The noises once more, written for clearness and in another language: BigInt for the whole
 * numbers, doubles for the rest, textbook formulas for angles and fades. What the program answers
 * in float32 must be this, rounded. */

const mask64 = (1n << 64n) - 1n;

/* SplitMix64's finaliser. */
export function mix(value) {
  let v = value & mask64;
  v = ((v ^ (v >> 30n)) * 0xBF58476D1CE4E5B9n) & mask64;
  v = ((v ^ (v >> 27n)) * 0x94D049BB133111EBn) & mask64;
  return v ^ (v >> 31n);
}

const rotate = (v, bits) => ((v << bits) | (v >> (64n - bits))) & mask64;

function finish(value) {
  let v = ((value ^ (value >> 33n)) * 0xFF51AFD7ED558CCDn) & mask64;
  v = ((v ^ (v >> 33n)) * 0xC4CEB9FE1A85EC53n) & mask64;
  return v ^ (v >> 33n);
}

/* MurmurHash3 x64 128 of bytes: [first half, second half]. */
export function murmur3(bytes, seed) {
  const c1 = 0x87C37B91114253D5n, c2 = 0x4CF5AD432745937Fn;
  const word = (at) => {
    let value = 0n;
    for (let i = Math.min(at + 8, bytes.length) - 1; i >= at; i--)
      value = (value << 8n) | BigInt(bytes[i]);
    return value;
  };
  const scramble1 = (k) => (rotate((k * c1) & mask64, 31n) * c2) & mask64;
  const scramble2 = (k) => (rotate((k * c2) & mask64, 33n) * c1) & mask64;
  let [h1, h2] = [seed, seed];
  let at = 0;
  for (; at + 16 <= bytes.length; at += 16) {
    h1 ^= scramble1(word(at));
    h1 = ((rotate(h1, 27n) + h2) * 5n + 0x52DCE729n) & mask64;
    h2 ^= scramble2(word(at + 8));
    h2 = ((rotate(h2, 31n) + h1) * 5n + 0x38495AB5n) & mask64;
  }
  h2 ^= scramble2(word(at + 8));
  h1 ^= scramble1(word(at));
  h1 ^= BigInt(bytes.length);
  h2 ^= BigInt(bytes.length);
  h1 = (h1 + h2) & mask64;
  h2 = (h2 + h1) & mask64;
  h1 = finish(h1);
  h2 = finish(h2);
  h1 = (h1 + h2) & mask64;
  return [h1, (h2 + h1) & mask64];
}

const utf8 = (text) => new TextEncoder().encode(text);

/* A seed is the number it writes, or the second half of its hash. */
export function seedNumber(seed) {
  return /^(0|[1-9][0-9]*)$/.test(seed) ? BigInt(seed) : murmur3(utf8(seed), 0n)[1];
}

/* The key of the noise that `call` names, in a layer of a world with this seed. */
function noiseKey(seed, layer, call, salt, wavelength) {
  let key = mix(seedNumber(seed));
  for (const part of [layer, call, salt]) key = murmur3(utf8(part), key)[1];
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, wavelength);
  return mix(key + mix(bits.getBigUint64(0)));
}

/* { wavelength, frequency in 2⁻⁵⁶, offset and key of both axes } of octave i. */
function octave(key, i, wavelength) {
  const random = (purpose) => mix(mix(key + BigInt(i)) + BigInt(purpose));
  const offset = (purpose) => (1n << 63n) + (random(purpose) >> 8n);
  return {
    wavelength,
    frequency: BigInt(Math.floor(2 ** 56 / wavelength + 0.5)),
    offsets: [offset(1), offset(2)],
    keys: [random(3), random(4)],
  };
}

const line = {
  /* A column's and a row's hash of the low half of its cell. */
  x(low, key) {
    const h = Math.imul(low ^ key, 0x9E3779B1);
    return h ^ (h >>> 16);
  },
  y(low, key) {
    const h = Math.imul(low ^ key, 0x85EBCA77);
    return h ^ (h >>> 15);
  },
};

function axisHash(axis, key, cell) {
  const high = mix(key + (cell >> 32n) * 0x9E3779B97F4A7C15n) >> 32n;
  return line[axis](Number(BigInt.asIntN(32, cell)), Number(BigInt.asIntN(32, high)));
}

function cornerHash(o, cellX, cellY) {
  let h = Math.imul(axisHash('x', o.keys[0], cellX) ^ axisHash('y', o.keys[1], cellY), 0x7FEB352D);
  h = Math.imul(h ^ (h >>> 15), 0x846CA68B);
  return (h ^ (h >>> 16)) >>> 0;
}

/* Two bits of the hash choose the quarter, 24 of the others an angle in ±45°. */
function gradient(hash) {
  const angle = ((hash << 2) >> 8) * 2 ** -24 * (Math.PI / 2);
  const sign = hash & 0x80000000 ? -1 : 1;
  const [x, y] = hash & 0x40000000
    ? [Math.sin(angle), Math.cos(angle)] : [Math.cos(angle), Math.sin(angle)];
  return [sign * x, sign * y];
}

const corner = {
  value: (hash) => ((hash | 0) >> 8) * 2 ** -23,
  perlin(hash, x, y) {
    const [gx, gy] = gradient(hash);
    return Math.SQRT2 * (gx * x + gy * y);
  },
};

/* The interpolation none is white noise's: the whole cell has its corner's value. */
export const fades = {
  none: () => 0,
  linear: (t) => t,
  cosine: (t) => (1 - Math.cos(Math.PI * t)) / 2,
  cubic: (t) => 3 * t ** 2 - 2 * t ** 3,
  quintic: (t) => 6 * t ** 5 - 15 * t ** 4 + 10 * t ** 3,
};

/* A position in 2⁻¹⁶ m, moved by some metres: [cell, place in the cell]. */
function locate(o, axis, position, metres) {
  const coordinate = (position * o.frequency + (o.offsets[axis] << 40n)) >> 40n;
  const place = Number((coordinate & 0xFFFFFFFFn) >> 8n) * 2 ** -24 + metres / o.wavelength;
  return [(coordinate >> 32n) + BigInt(Math.floor(place)), place - Math.floor(place)];
}

/* One octave at [x, y] in 2⁻¹⁶ m, moved by [dx, dy] metres. */
function octaveAt(o, basis, interpolation, place, moved) {
  const [cellX, tx] = locate(o, 0, place[0], moved[0]);
  const [cellY, ty] = locate(o, 1, place[1], moved[1]);
  const at = (i, k) => corner[basis](
    cornerHash(o, cellX + BigInt(i), cellY + BigInt(k)), tx - i, ty - k);
  const mixed = (a, b, s) => a + (b - a) * s;
  const [sx, sy] = [fades[interpolation](tx), fades[interpolation](ty)];
  return mixed(mixed(at(0, 0), at(1, 0), sx), mixed(at(0, 1), at(1, 1), sx), sy);
}

/* What remains of a wavelength at samples `spacing` metres apart. */
export function detail(wavelength, spacing) {
  return spacing === 0 ? 1 : Math.min(1, Math.max(0, wavelength / (2 * spacing) - 1));
}

/* What an octave without detail leaves: its mean, of |n| and of (1 − |n|)². */
const means = {
  white: { size: 1 / 2, ridge: 1 / 3 },
  value: { size: 0.379, ridge: 0.447 },
  perlin: { size: 0.249, ridge: 0.595 },
};

/* How the fractals fold an octave's noise. */
const folds = {
  billow: { of: (n) => 2 * Math.abs(n) - 1, mean: ({ size }) => 2 * size - 1 },
  turbulence: { of: Math.abs, mean: ({ size }) => size },
  ridged: { of: (n) => (1 - Math.abs(n)) ** 2, mean: ({ ridge }) => ridge },
};

/* A noise as a formula names it: { call: 'white' | 'value' | 'perlin' | 'fbm' | 'billow' |
 * 'turbulence' | 'ridged', wavelength,
 * octaves, persistence, lacunarity, basis, interpolation, feedback, salt }, in a layer of a world.
 * The answer samples it: (place, spacing, moved) → number. */
export function makeNoise(seed, layer, settings) {
  const { call, wavelength, octaves: count = 1, persistence = 0.5, lacunarity = 2,
    basis = call in means ? call : 'perlin', interpolation = 'quintic', feedback = 1.5,
    salt = '' } = settings;
  const key = noiseKey(seed, layer, call, salt, wavelength);
  const octaves = [];
  for (let i = 0, length = wavelength; i < count; i++, length /= lacunarity)
    octaves.push(octave(key, i, length));
  const sum = octaves.reduce((total, _, i) => total + persistence ** i, 0);

  return (place, spacing = 0, moved = [0, 0]) => {
    let [total, weight] = [0, 1];
    octaves.forEach((o, i) => {
      const remains = detail(o.wavelength, spacing);
      const noise = basis === 'white' ? octaveAt(o, 'value', 'none', place, moved)
        : octaveAt(o, basis, interpolation, place, moved);
      let signal = remains * noise;
      if (call in folds) {
        const mean = folds[call].mean(means[basis]);
        signal = mean + remains * (folds[call].of(noise) - mean);
      }
      if (call === 'ridged') {
        signal *= weight;
        weight = Math.min(1, Math.max(0, signal * feedback));
      }
      total += signal * persistence ** i / sum;
    });
    return total;
  };
}
