/* Random formulas, written with as few parentheses as the precedences allow, against the same trees
 * evaluated here in float32. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { terrane } from '../cli/terrane.mjs';
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
];

const parenthesise = (node, level) => (node.level >= level ? node.text : `(${node.text})`);

function makeLeaf(names) {
  const kind = random(3);
  if (kind === 0) {
    const text = choose(['0', '1', '2', '0.5', '7', '12.34', '1e3', '3e-2', '100', '1e20', '0.1', '0', '1']);
    return { level: levels.atom, text, at: () => Math.fround(Number(text)) };
  }
  const text = kind === 1 ? choose(['x', 'y']) : choose(names);
  return { level: levels.atom, text, at: (place) => place[text] };
}

function makeBinary(names, depth) {
  const [sign, level, compute] = choose(binaries);
  const [a, b] = [makeTree(names, depth - 1), makeTree(names, depth - 1)];
  const gap = choose(['', ' ']);
  return {
    level,
    /* All of them group to the left. */
    text: `${parenthesise(a, level)}${gap}${sign}${gap}${parenthesise(b, level + 1)}`,
    at: (place) => compute(a.at(place), b.at(place)),
  };
}

function makeSigned(names, depth) {
  const a = makeTree(names, depth - 1);
  const [sign, compute] = choose([['-', (v) => multiply(-1, v)], ['!', (v) => truth(v === 0)]]);
  return {
    level: levels.sign,
    text: `${sign}${parenthesise(a, levels.sign)}`,
    at: (place) => compute(a.at(place)),
  };
}

function makePower(names, depth) {
  const a = makeTree(names, depth - 1);
  const [exponent, compute] = choose([
    ['2', (v) => multiply(v, v)], ['3', (v) => multiply(multiply(v, v), v)], ['0', () => 1],
    ['-1', (v) => divide(1, v)], ['4', (v) => multiply(multiply(v, v), multiply(v, v))],
  ]);
  return {
    level: levels.power,
    text: `${parenthesise(a, levels.atom)}^${exponent}`,
    at: (place) => compute(a.at(place)),
  };
}

function makeChoice(names, depth) {
  const [c, a, b] = [0, 1, 2].map(() => makeTree(names, depth - 1));
  return {
    level: levels.choice,
    text: `${parenthesise(c, levels.or)} ? ${a.text} : ${b.text}`,
    at: (place) => (c.at(place) !== 0 ? a.at(place) : b.at(place)),
  };
}

function makeCall(names, depth) {
  const [name, count, compute] = choose(functions);
  const parts = Array.from({ length: count }, () => makeTree(names, depth - 1));
  return {
    level: levels.atom,
    text: `${name}(${parts.map(({ text }) => text).join(', ')})`,
    at: (place) => compute(...parts.map((part) => part.at(place))),
  };
}

/* The numbers are edges that differ, from −7.5 to 1e20. */
function makeSmoothstep(names, depth) {
  const numbers = ['-7.5', '0', '0.1', '3', '1e20'];
  const v = makeTree(names, depth - 1);
  const first = random(5);
  const [a, b] = [numbers[first], numbers[(first + 1 + random(4)) % 5]];
  const [edges, at] = choose([
    [`${a}, ${b}`, (place) => smoothConstant(Math.fround(Number(a)), Math.fround(Number(b)), v.at(place))],
    ['x, y', (place) => smoothRows(place.x, place.y, v.at(place))],
    [`y, ${b}`, (place) => smoothRows(place.y, Math.fround(Number(b)), v.at(place))],
  ]);
  return { level: levels.atom, text: `smoothstep(${edges}, ${v.text})`, at };
}

function makeTree(names, depth) {
  if (depth === 0 || random(8) === 0) return makeLeaf(names);
  return choose([
    makeBinary, makeBinary, makeBinary, makeBinary, makeSigned, makePower, makeChoice, makeCall, makeSmoothstep])(
    names, depth);
}

/* Layers that may use the four before them. */
function makeLayers(count) {
  const layers = { height: { level: levels.atom, text: 'x - y', at: ({ x, y }) => subtract(x, y) } };
  for (let i = 0; i < count; i++) {
    const names = Object.keys(layers).slice(-4);
    layers[`l${i}`] = makeTree(names, 1 + random(5));
  }
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
      const place = { x: places[i][0], y: places[i][1] };
      for (const [name, { text, at }] of Object.entries(layers)) {
        place[name] = at(place);
        different.add(place[name]);
        assert.equal(Math.fround(answers[name]) + 0, place[name] + 0,
          `${name} = ${text} at ${places[i]}`);
      }
    });
    assert.ok(different.size > 300, `only ${different.size} different values`);
  });
}
