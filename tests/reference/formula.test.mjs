/* Random formulas, written with as few parentheses as the precedences allow, against the same trees
 * evaluated here in float32. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { terrane } from '../cli/terrane.mjs';
import { angle, makeRandom } from './shapes.mjs';
import { temporaryFolder } from '../tools/folder.mjs';

/* xorshift32 (Marsaglia 2003). */
let state = 2463534242;
function random(bound) {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) % bound;
}
const choose = (list) => list[random(list.length)];

/* A result as the program keeps it: float32, 0 if it is not finite. */
const keep = (value) => (Number.isFinite(Math.fround(value)) ? Math.fround(value) : 0);
const truth = (value) => (value ? 1 : 0);
const add = (a, b) => keep(a + b);
const subtract = (a, b) => keep(a - b);
const multiply = (a, b) => keep(a * b);
const divide = (a, b) => keep(a / b);
const least = (a, b) => (b < a ? b : a);
const greatest = (a, b) => (b > a ? b : a);
const limit = (v, low, high) => least(greatest(v, low), high);
const curve = (t) => keep(keep(t * t) * keep(3 - keep(2 * t)));
/* With constant edges, the reciprocal of their distance is rounded, and what is infinite is clamped. */
const smoothConstant = (low, high, v) => curve(limit(
  Math.fround(Math.fround(v - low) * Math.fround(1 / Math.fround(high - low))), 0, 1));
const smoothRows = (low, high, v) => {
  const range = subtract(high, low);
  return curve(range === 0 ? truth(low <= v) : limit(divide(subtract(v, low), range), 0, 1));
};
const root = (v) => (v > 0 ? Math.fround(Math.sqrt(v)) : 0);

/* The logarithms and powers of the program are those of JavaScript, rounded, but for the rare halves. A power below
 * the normal floats is 0. */
const power = (v, e) => {
  const value = v ** e;
  return Math.abs(value) < 2 ** -126 ? 0 : keep(value);
};

/* Precedences, loosest first, as the manual has them. */
const levels = { choice: 0, or: 1, and: 2, equal: 3, compare: 4, sum: 5, product: 6, sign: 7, power: 8, atom: 9 };

const binaries = [
  ['||', levels.or, (a, b) => truth(a !== 0 || b !== 0)],
  ['&&', levels.and, (a, b) => truth(a !== 0 && b !== 0)],
  ['==', levels.equal, (a, b) => truth(a === b)],
  ['!=', levels.equal, (a, b) => truth(a !== b)],
  ['<', levels.compare, (a, b) => truth(a < b)],
  ['<=', levels.compare, (a, b) => truth(a <= b)],
  ['>', levels.compare, (a, b) => truth(a > b)],
  ['>=', levels.compare, (a, b) => truth(a >= b)],
  ['+', levels.sum, add], ['-', levels.sum, subtract],
  ['*', levels.product, multiply], ['/', levels.product, divide],
];

const functions = [
  ['abs', 1, Math.abs],
  ['floor', 1, Math.floor],
  ['fract', 1, (v) => subtract(v, Math.floor(v))],
  ['sqrt', 1, root],
  ['min', 2, least], ['min', 4, (a, b, c, d) => least(least(least(a, b), c), d)],
  ['max', 2, greatest], ['max', 3, (a, b, c) => greatest(greatest(a, b), c)],
  ['clamp', 3, limit],
  ['mix', 3, (a, b, t) => add(a, multiply(subtract(b, a), t))],
  ['step', 2, (a, v) => truth(a <= v)],
  ['log', 1, (v) => (v > 0 ? keep(Math.log(v)) : 0)],
  ['pow', 2, power],
  ['atan2', 2, angle],
];
const seed = 'random formulas';
const randomOf = makeRandom(seed);

/* coarse(e, spacing): a cubic B-spline, with the roundings that the program documents. */
function weigh([n0, n1, n2, n3], t) {
  const f = Math.fround, s = f(1 - t), sixth = f(0.166666667);
  const w0 = f(f(f(s * s) * s) * sixth), w3 = f(f(f(t * t) * t) * sixth);
  const w2 = f(sixth + f(f(0.5 * t) * f(1 + f(t * s))));
  return f(n1 + f(f(f(f(n0 - n1) * w0) + f(f(n2 - n1) * w2)) + f(f(n3 - n1) * w3)));
}
/* How much e itself counts where samples are `metres` apart. */
function directShare(metres, spacing) {
  const along = Math.min(Math.max(4 * metres / spacing - 1, 0), 1);
  return Math.fround(along * along * (3 - 2 * along));
}
const nodeLimit = 2 ** 126;
function interpolate(e, spacing, place) {
  const [column, row] = [place.x, place.y].map((v) => Math.floor(v / spacing));
  /* Where in the cell, in 24 bits. */
  const [tx, ty] = [place.x, place.y].map((v, i) => (
    Math.floor((v / spacing - [column, row][i]) * 2 ** 24) / 2 ** 24));
  const node = (i, j) => limit(
    e.at(place.nodeAt((column + i) * spacing, (row + j) * spacing, spacing / 2)), -nodeLimit, nodeLimit);
  const around = [-1, 0, 1, 2];
  return weigh(around.map((j) => weigh(around.map((i) => node(i, j)), tx)), ty);
}
function coarse(e, spacing, place) {
  const share = directShare(place.detail, spacing);
  if (share === 1) return e.at(place);
  const smooth = interpolate(e, spacing, place);
  if (share === 0) return smooth;
  return keep(smooth + Math.fround(Math.fround(e.at(place) - smooth) * share));
}

/* detail(wavelength) where samples are `metres` apart: 0 stands for an endless wave. */
function detailOf(wavelength, metres) {
  const waves = divide(least(wavelength, 2 ** 64), greatest(2 * metres, 2 ** -20));
  return wavelength === 0 ? 1 : limit(subtract(waves, 1), 0, 1);
}

/* coverage(distance, width) by the lengths of what two edges leave of a sample; none of a line whose width is negative. */
function coverageOf(distance, width, metres) {
  const two = greatest(2 * metres, 2 ** -20);
  const half = multiply(greatest(width, 0), 0.5);
  const below = (offset) => limit(add(divide(add(offset, offset), two), 0.5), 0, 1);
  return subtract(below(subtract(half, distance)), below(subtract(0, add(half, distance))));
}

/* A place, or a node, with the samples of the layers there. */
class Place {
  constructor(layers, x, y, detail = 0, nodes = new Map()) {
    Object.assign(this, { layers, x, y, detail, nodes, values: new Map() });
  }

  sample(name) {
    if (!this.values.has(name)) this.values.set(name, this.layers[name].at(this));
    return this.values.get(name);
  }

  nodeAt(x, y, detail) {
    const key = `${x} ${y} ${detail}`;
    if (!this.nodes.has(key))
      this.nodes.set(key, new Place(this.layers, x, y, detail, this.nodes));
    return this.nodes.get(key);
  }
}

const parenthesise = (node, level) => (node.level >= level ? node.text : `(${node.text})`);

const deepest = (parts) => Math.max(0, ...parts.map(({ nested = 0 }) => nested));

function makeLeaf(layers) {
  const kind = random(3);
  if (kind === 0) {
    const text = choose(['0', '1', '2', '0.5', '7', '12.34', '1e3', '3e-2', '100', '1e20', '0.1', '0', '1']);
    return { level: levels.atom, text, at: () => Math.fround(Number(text)) };
  }
  if (kind === 1) {
    const text = choose(['x', 'y']);
    return { level: levels.atom, text, at: (place) => Math.fround(place[text]) };
  }
  const text = choose(Object.keys(layers).slice(-4));
  return { level: levels.atom, text, nested: layers[text].nested, at: (place) => place.sample(text) };
}

function makeBinary(layers, depth) {
  const [sign, level, compute] = choose(binaries);
  const [a, b] = [makeTree(layers, depth - 1), makeTree(layers, depth - 1)];
  const gap = choose(['', ' ']);
  return {
    level,
    nested: deepest([a, b]),
    /* All of them group to the left. */
    text: `${parenthesise(a, level)}${gap}${sign}${gap}${parenthesise(b, level + 1)}`,
    at: (place) => compute(a.at(place), b.at(place)),
  };
}

function makeSigned(layers, depth) {
  const a = makeTree(layers, depth - 1);
  const [sign, compute] = choose([['-', (v) => multiply(-1, v)], ['!', (v) => truth(v === 0)]]);
  return {
    level: levels.sign,
    nested: deepest([a]),
    text: `${sign}${parenthesise(a, levels.sign)}`,
    at: (place) => compute(a.at(place)),
  };
}

function makePower(layers, depth) {
  const a = makeTree(layers, depth - 1);
  const [exponent, compute] = choose([
    ['2', (v) => multiply(v, v)], ['3', (v) => multiply(multiply(v, v), v)], ['0', () => 1],
    ['-1', (v) => divide(1, v)], ['4', (v) => multiply(multiply(v, v), multiply(v, v))],
  ]);
  return {
    level: levels.power,
    nested: deepest([a]),
    text: `${parenthesise(a, levels.atom)}^${exponent}`,
    at: (place) => compute(a.at(place)),
  };
}

function makeChoice(layers, depth) {
  const [c, a, b] = [0, 1, 2].map(() => makeTree(layers, depth - 1));
  return {
    level: levels.choice,
    nested: deepest([a, b, c]),
    text: `${parenthesise(c, levels.or)} ? ${a.text} : ${b.text}`,
    at: (place) => (c.at(place) !== 0 ? a.at(place) : b.at(place)),
  };
}

function makeCall(layers, depth) {
  const [name, count, compute] = choose(functions);
  const parts = Array.from({ length: count }, () => makeTree(layers, depth - 1));
  return {
    level: levels.atom,
    nested: deepest(parts),
    text: `${name}(${parts.map(({ text }) => text).join(', ')})`,
    at: (place) => compute(...parts.map((part) => part.at(place))),
  };
}

/* The numbers are edges that differ, from −7.5 to 1e20. */
function makeSmoothstep(layers, depth) {
  const numbers = ['-7.5', '0', '0.1', '3', '1e20'];
  const v = makeTree(layers, depth - 1);
  const first = random(5);
  const [a, b] = [numbers[first], numbers[(first + 1 + random(4)) % 5]];
  const [edges, at] = choose([
    [`${a}, ${b}`, (place) => smoothConstant(Math.fround(Number(a)), Math.fround(Number(b)), v.at(place))],
    ['x, y', (place) => smoothRows(Math.fround(place.x), Math.fround(place.y), v.at(place))],
    [`y, ${b}`, (place) => smoothRows(Math.fround(place.y), Math.fround(Number(b)), v.at(place))],
  ]);
  return { level: levels.atom, nested: deepest([v]), text: `smoothstep(${edges}, ${v.text})`, at };
}

/* At most two deep, or the formula itself. */
function makeCoarse(layers, depth) {
  const e = makeTree(layers, depth - 1);
  const spacing = choose([1, 2, 16, 64, 1024, 1048576]);
  if (deepest([e]) === 2) return e;
  return {
    level: levels.atom,
    nested: deepest([e]) + 1,
    text: `coarse(${e.text}, ${spacing})`,
    at: (place) => coarse(e, spacing, place),
  };
}

function makeDetail(layers, depth) {
  const e = makeTree(layers, depth - 1);
  return {
    level: levels.atom,
    nested: deepest([e]),
    text: `detail(${e.text})`,
    at: (place) => detailOf(e.at(place), place.detail),
  };
}

function makeCoverage(layers, depth) {
  const [distance, width] = [makeTree(layers, depth - 1), makeTree(layers, depth - 1)];
  return {
    level: levels.atom,
    nested: deepest([distance, width]),
    text: `coverage(${distance.text}, ${width.text})`,
    at: (place) => coverageOf(distance.at(place), width.at(place), place.detail),
  };
}

function makeRandomNumber(layers, depth) {
  const id = makeTree(layers, depth - 1);
  const n = random(4);
  return {
    level: levels.atom,
    nested: deepest([id]),
    text: `random(${id.text}, ${n})`,
    at: (place) => randomOf(id.at(place), n),
  };
}

function makeTree(layers, depth) {
  if (depth === 0 || random(8) === 0) return makeLeaf(layers);
  return choose([makeBinary, makeBinary, makeBinary, makeBinary, makeSigned, makePower, makeChoice, makeCall,
    makeSmoothstep, makeCoarse, makeDetail, makeCoverage, makeRandomNumber])(layers, depth);
}

/* Layers that may use the four before them. */
function makeLayers(count) {
  const layers = { height: { level: levels.atom, text: 'x - y',
    at: ({ x, y }) => subtract(Math.fround(x), Math.fround(y)) } };
  for (let i = 0; i < count; i++)
    layers[`l${i}`] = makeTree(layers, 1 + random(5));
  return layers;
}

/* Places that a float holds, so that x and y are exact. */
const places = [[0, 0], [1, 1], [-1, 2], [0.5, -0.25], [1048576, -3], [-1099511627776, 1099511627776],
  ...Array.from({ length: 34 }, () => [random(4096) / 16 - 128, random(4096) - 2048])];

for (let round = 0; round < 12; round++) {
  test(`120 random formulas, ${round}`, () => {
    const layers = makeLayers(120);
    const folder = temporaryFolder({
      'random.json': {
        generator: 1,
        seed,
        layers: Object.fromEntries(Object.entries(layers).map(([name, { text }]) => [name, text])),
      },
    });
    const { status, stdout, stderr } = terrane(['query', '--world', 'random.json', '--json', '-'],
      { cwd: folder.path, input: places.map((place) => place.join(' ')).join('\n') });
    folder.remove();
    assert.equal(stderr, '');
    assert.equal(status, 0);
    const different = new Set();
    stdout.trim().split('\n').forEach((line, i) => {
      const answers = JSON.parse(line).layers;
      const place = new Place(layers, ...places[i]);
      for (const [name, { text }] of Object.entries(layers)) {
        const expected = place.sample(name);
        different.add(expected);
        assert.equal(Math.fround(answers[name]) + 0, expected + 0, `${name} = ${text} at ${places[i]}`);
      }
    });
    assert.ok(different.size > 300, `only ${different.size} different values`);
  });
}
