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

/* The axes that each name stands for, as indices into (x, y, z, t). */
const axesOf = { x: [0], xy: [0, 1], xyz: [0, 1, 2], xyt: [0, 1, 3], xyzt: [0, 1, 2, 3] };
/* The four-dimensional simplex lattice, from the square one and back. */
const skew = (Math.sqrt(5) - 1) / 4, unskew = (1 - 1 / Math.sqrt(5)) / 4;
/* Wavelengths from a point of a simplex lattice to the next, by axis, in one to three dimensions
 * (in three, y and z are turned by the angle of the triangle 5, 12, 13); rows whose numbers add up
 * to an odd one are moved by half a step along x. */
const simplexSteps = [null, [1], [Math.sqrt(2 / 3), Math.SQRT1_2], [1, Math.SQRT1_2, Math.SQRT1_2]];

/* Octave i: cells a metre along x, y, z, t for each of its axes, as whole numbers of 2⁻⁴⁸ and as
 * they are; offsets and keys by axis. `finer` is lacunarityⁱ. */
function octave(key, i, settings, finer, turn) {
  const { wavelength, wavelength_z: wavelengthZ = wavelength, wavelength_t: wavelengthT = 60,
    axes = 'xy', basis, turned = [1, 0] } = settings;
  const random = (purpose) => mix(mix(key + BigInt(i)) + BigInt(purpose));
  const [cosine, sine] = [turned[0] * turn[0] - turned[1] * turn[1],
    turned[1] * turn[0] + turned[0] * turn[1]];
  const own = wavelength / finer;
  const rows = [[cosine / own, -sine / own, 0, 0], [sine / own, cosine / own, 0, 0]];
  const forms = axesOf[axes].map((coordinate) => (
    coordinate < 2 ? [...rows[coordinate]]
      : [0, 0, 0, 0].map((zero, i) => (i === coordinate ? finer / (i === 2 ? wavelengthZ : wavelengthT) : zero))));
  if (basis === 'simplex') {
    const sum = [0, 1, 2, 3].map((c) => forms.reduce((total, form) => total + form[c], 0));
    if (forms.length === 3) {
      const [, y, z] = forms;
      forms[1] = y.map((v, c) => (12 * v + 5 * z[c]) / 13);
      forms[2] = z.map((v, c) => (12 * v - 5 * y[c]) / 13);
    }
    forms.forEach((form, axis) => {
      for (let c = 0; c < 4; c++)
        if (forms.length === 4) form[c] += skew * sum[c];
        else form[c] /= simplexSteps[forms.length][axis];
    });
  }
  return {
    wavelength: own,
    forms,
    whole: forms.map((form) => form.map((cells) => BigInt(Math.floor(cells * 2 ** 48 + 0.5)))),
    offsets: [1, 2, 5, 6].map((purpose) => (1n << 63n) + (random(purpose) >> 8n)),
    keys: [3, 4, 7, 8].map(random),
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

function mixLines(a, b) {
  let h = Math.imul(a ^ b, 0x7FEB352D);
  h = Math.imul(h ^ (h >>> 15), 0x846CA68B);
  return (h ^ (h >>> 16)) >>> 0;
}

const low = (cell) => Number(BigInt.asIntN(32, cell));
const axisKey = (key, cell) => (
  Number(BigInt.asIntN(32, mix(key + (cell >> 32n) * 0x9E3779B97F4A7C15n) >> 32n)));

/* The hash of a lattice point of one to four axes. What is missing is on the line 2³¹. */
function cornerHash(o, cells) {
  const [x, y = 1n << 31n, z, w] = cells;
  let key = axisKey(o.keys[1], y);
  if (z !== undefined) {
    const lineW = w === undefined ? 0 : line.y(low(w), axisKey(o.keys[3], w));
    key ^= mixLines(line.x(low(z), axisKey(o.keys[2], z)), lineW);
  }
  return mixLines(line.x(low(x), axisKey(o.keys[0], x)), line.y(low(y), key));
}

/* Two bits of the hash choose the quarter, 24 of the others a place between its borders. */
function gradient2(hash) {
  const u = ((hash << 2) >> 8) * 2 ** -24;
  const sign = hash & 0x80000000 ? -1 : 1;
  const along = 1 - (4 - 2 * Math.SQRT2) * u * u;
  const steep = Math.sqrt(8 - 4 * Math.SQRT2);
  const across = (steep + 4 * (Math.SQRT2 - steep) * u * u) * u;
  const [x, y] = hash & 0x40000000 ? [across, along] : [along, across];
  return [sign * x, sign * y];
}

const latticeValue = (hash) => ((hash | 0) >> 8) * 2 ** -23;

/* Unit vectors of one to four dimensions; in one, a slope. */
const gradients = [null,
  (hash) => [latticeValue(hash)],
  gradient2,
  (hash) => {
    const z = ((hash & 0x3FFF) + 0.5) * 2 ** -13 - 1;
    return [...gradient2(hash).map((v) => v * Math.sqrt(1 - z * z)), z];
  },
  (hash) => {
    const share = ((hash & 0x3FF) + 0.5) * 2 ** -10;
    return [...gradient2(hash).map((v) => v * Math.sqrt(share)),
      ...gradient2(Math.imul(hash, 0x9E3779B1) >>> 0).map((v) => v * Math.sqrt(1 - share))];
  },
];

const dot = (a, b) => a.reduce((sum, v, i) => sum + v * b[i], 0);

/* The interpolation none is white noise's: the whole cell has its corner's value. */
export const fades = {
  none: () => 0,
  linear: (t) => t,
  cosine: (t) => (1 - Math.cos(Math.PI * t)) / 2,
  cubic: (t) => 3 * t ** 2 - 2 * t ** 3,
  quintic: (t) => 6 * t ** 5 - 15 * t ** 4 + 10 * t ** 3,
};

const perlinScales = [0, 2, Math.SQRT2, 1.29, 1.45];

/* The noises of a place: `cells` and the place in them, `t`, by axis. */
const bases = {
  /* The sum over all corners of what each says there, by the product of its weights. */
  lattice(o, cells, t, { basis, interpolation }) {
    const n = cells.length;
    const fade = t.map(fades[interpolation]);
    let sum = 0;
    for (let corner = 0; corner < 2 ** n; corner++) {
      const up = cells.map((_, axis) => (corner >> axis) & 1);
      const weight = up.reduce((w, bit, axis) => w * (bit ? fade[axis] : 1 - fade[axis]), 1);
      const hash = cornerHash(o, cells.map((cell, axis) => cell + BigInt(up[axis])));
      sum += weight * (basis === 'value' ? latticeValue(hash)
        : perlinScales[n] * dot(gradients[n](hash), t.map((v, axis) => v - up[axis])));
    }
    return sum;
  },
  /* Every lattice point of the cells up to two away; in four dimensions the simplex's corners. */
  simplex(o, cells, t) {
    const n = cells.length;
    if (n === 4) return bases.simplex4(o, cells, t);
    const scale = [0, 1 / 0.31640625, 99.2043346, 107.653485][n];
    const steps = simplexSteps[n];
    let sum = 0;
    for (let i = 0; i < 5 ** n; i++) {
      const away = cells.map((_, axis) => Math.floor(i / 5 ** axis) % 5 - 2);
      const point = cells.map((cell, axis) => cell + BigInt(away[axis]));
      const row = point.slice(1).reduce((total, cell) => total + cell, 0n);
      const d = t.map((v, axis) => (v - away[axis]) * steps[axis]);
      if (row % 2n !== 0n) d[0] -= steps[0] / 2;
      sum += Math.max(0, (n === 1 ? 1 : 0.5) - dot(d, d)) ** 4
        * dot(gradients[n](cornerHash(o, point)), d);
    }
    return scale * sum;
  },
  /* Corner by corner: up by one on the axis with the largest fraction that is left. */
  simplex4(o, cells, t) {
    const n = 4;
    const order = t.map((_, axis) => axis).sort((a, b) => t[b] - t[a] || b - a);
    const up = t.map(() => 0);
    let sum = 0;
    for (let corner = 0; corner <= n; corner++) {
      if (corner > 0) up[order[corner - 1]] = 1;
      const shift = unskew * t.reduce((total, v, axis) => total + v - up[axis], 0);
      const d = t.map((v, axis) => v - up[axis] - shift);
      const hash = cornerHash(o, cells.map((cell, axis) => cell + BigInt(up[axis])));
      sum += Math.max(0, 0.5 - dot(d, d)) ** 4 * dot(gradients[n](hash), d);
    }
    return 108.567826 * sum;
  },
  /* Every point of the cells up to three away, two in four dimensions. */
  worley(o, cells, t, { feature = 'f1', centred }) {
    const n = cells.length;
    const reach = n === 4 ? 2 : 3, side = 2 * reach + 1;
    const found = [];
    for (let i = 0; i < side ** n; i++) {
      const away = cells.map((_, axis) => Math.floor(i / side ** axis) % side - reach);
      const hash = cornerHash(o, cells.map((cell, axis) => cell + BigInt(away[axis])));
      const further = Math.imul(hash, 0x9E3779B1);
      const second = (further ^ (further >>> 15)) >>> 0;
      const point = [hash >>> 16, hash & 0xFFFF, second >>> 16, second & 0xFFFF];
      const d = away.map((v, axis) => v + point[axis] / 65536 - t[axis]);
      found.push([Math.sqrt(dot(d, d)), hash, d]);
    }
    found.sort((a, b) => a[0] - b[0]);
    const [[f1, hash, p], [f2]] = found;
    if (centred) return Math.min(1, 2 * f1 - 1);
    if (feature === 'edge')
      return Math.min(...found.slice(1).map(([, , q]) => {
        const across = q.map((v, axis) => v - p[axis]);
        return dot(q.map((v, axis) => (v + p[axis]) / 2), across) / Math.sqrt(dot(across, across));
      }));
    return { f1, f2, 'f2-f1': f2 - f1, cell: latticeValue(mixLines(hash, 0x9E3779B1)), x: p[0], y: p[1] }[feature];
  },
};

/* One octave at [x, y] in 2⁻¹⁶ m, moved by [dx, dy] metres, at [z, t] in 2⁻¹⁶. */
function octaveAt(o, settings, place, moved, moment) {
  const at = [...place, ...moment];
  const cells = [], t = [];
  o.whole.forEach((form, axis) => {
    const sum = form.reduce((total, factor, c) => total + factor * at[c], o.offsets[axis] << 32n);
    const coordinate = sum >> 32n;
    const spot = Number((coordinate & 0xFFFFFFFFn) >> 8n) * 2 ** -24
      + moved[0] * o.forms[axis][0] + moved[1] * o.forms[axis][1];
    cells.push((coordinate >> 32n) + BigInt(Math.floor(spot)));
    t.push(spot - Math.floor(spot));
  });
  const { basis } = settings;
  if (basis === 'white') return bases.lattice(o, cells, t, { basis: 'value', interpolation: 'none' });
  return (bases[basis] ?? bases.lattice)(o, cells, t, settings);
}

/* The weight of an octave of a wavelength at samples `spacing` metres apart. */
export function detail(wavelength, spacing) {
  return spacing === 0 ? 1 : Math.min(1, Math.max(0, wavelength / (2 * spacing) - 1));
}

/* The value of an octave without detail: its mean, of |n| and of (1 − |n|)², by dimensions. */
const white = { size: 1 / 2, ridge: 1 / 3 };
const means = {
  white: [null, white, white, white, white],
  value: [null, { size: 0.435, ridge: 0.392 }, { size: 0.379, ridge: 0.447 },
    { size: 0.330, ridge: 0.500 }, { size: 0.289, ridge: 0.549 }],
  perlin: [null, { size: 0.211, ridge: 0.658 }, { size: 0.249, ridge: 0.595 },
    { size: 0.202, ridge: 0.657 }, { size: 0.200, ridge: 0.661 }],
  simplex: [null, { size: 0.255, ridge: 0.596 }, { size: 0.467, ridge: 0.356 },
    { size: 0.311, ridge: 0.529 }, { size: 0.176, ridge: 0.711 }],
  worley: [null, { mean: -0.417, size: 0.500, ridge: 0.333 },
    { mean: -0.141, size: 0.333, ridge: 0.499 }, { mean: 0.041, size: 0.282, ridge: 0.556 },
    { mean: 0.180, size: 0.297, ridge: 0.536 }],
};
const featureMeans = {
  f1: [0, 0.292, 0.430, 0.520, 0.590],
  f2: [0, 0.750, 0.699, 0.717, 0.749],
  'f2-f1': [0, 0.459, 0.269, 0.196, 0.159],
  cell: [0, 0, 0, 0, 0], x: [0, 0, 0, 0, 0], y: [0, 0, 0, 0, 0],
  edge: [0, 0, 0.166, 0, 0],
};

/* How the fractals fold an octave's noise. */
const folds = {
  billow: { of: (n) => 2 * Math.abs(n) - 1, mean: ({ size }) => 2 * size - 1 },
  turbulence: { of: Math.abs, mean: ({ size }) => size },
  ridged: { of: (n) => (1 - Math.abs(n)) ** 2, mean: ({ ridge }) => ridge },
};

function meanOf({ call, basis, feature = 'f1', axes = 'xy' }) {
  const n = axesOf[axes].length;
  if (call === 'worley') return featureMeans[feature][n];
  return call in folds ? folds[call].mean(means[basis][n]) : means[basis][n].mean ?? 0;
}

/* A noise as a formula names it, with all arguments that the formulas' functions have, and `turned`,
 * [cosine, sine] of a domain; in a layer of a world. The answer samples it:
 * (place, spacing, moved, moment) → number; it has its `octaves`, too. `slopeStep` is what numeric gradients are taken over,
 * in wavelengths. */
export function makeNoise(seed, layer, given, slopeStep = 1e-4) {
  const { call, wavelength, octaves: count = 1, persistence = 0.5, lacunarity = 2,
    basis = call in means ? call : 'perlin', feedback = 1.5, damping = 0,
    rotate_octaves: turnOctaves = 0, salt = '' } = given;
  const settings = {
    interpolation: 'quintic', ...given, basis, centred: basis === 'worley' && call !== 'worley',
  };
  const key = noiseKey(seed, layer, call, salt, wavelength);
  const octaves = [];
  let turn = [1, 0];
  for (let i = 0, finer = 1; i < count; i++, finer *= lacunarity) {
    octaves.push(octave(key, i, settings, finer, turn));
    if (turnOctaves) turn = [turn[0] * 0.8 - turn[1] * 0.6, turn[1] * 0.8 + turn[0] * 0.6];
  }
  const sum = octaves.reduce((total, _, i) => total + persistence ** i, 0);
  const mean = meanOf({ ...settings, call, basis });
  const fold = folds[call]?.of ?? ((n) => n);

  const sample = (place, spacing = 0, moved = [0, 0], moment = [0n, 0n]) => {
    let [total, weight, slope] = [0, 1, [0, 0]];
    octaves.forEach((o, i) => {
      const remains = detail(o.wavelength, spacing);
      const signalAt = (m) => (
        (mean + remains * (fold(octaveAt(o, settings, place, m, moment)) - mean)) * weight);
      let signal = signalAt(moved);
      let held = 1;
      if (damping > 0) {
        const step = slopeStep * o.wavelength;
        slope = slope.map((v, axis) => {
          const beside = (by) => signalAt(moved.map((m, i) => (i === axis ? m + by : m)));
          const [ahead, behind] = [beside(step), beside(-step)];
          return v + (ahead - behind) / (2 * slopeStep);
        });
        held = 1 / (1 + damping * (slope[0] ** 2 + slope[1] ** 2));
      }
      total += signal * held * persistence ** i / sum;
      if (call === 'ridged') weight = Math.min(1, Math.max(0, signal * feedback));
    });
    return total;
  };
  return Object.assign(sample, { octaves });
}
