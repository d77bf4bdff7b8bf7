/* terrane check --program: what formulas compile to, one operation a line. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fail, root, succeed } from './terrane.mjs';
import { temporaryFolder } from '../tools/folder.mjs';
import { startServer } from '../tools/server.mjs';

const folder = temporaryFolder({
  'small.json': {
    generator: 1,
    layers: {
      height: '3 * clamp(x, 0, 10) + 4',
      folded: 'abs(y) + 2 * 3',
      guarded: 'smoothstep(0, 8, x) * fbm(64, 8)',
      displaced: 'warp(perlin(32), 5 * y, y)',
      same: 'folded',
      curve: 'spline(y, 0, 1, 8, 3)',
    },
  },
});

const bound = (text) => (text === '-' ? null : Number(text));
const operation = (text) => (text === '-' ? null : Number(/^#(\d+)$/.exec(text)[1]));

/* [{ number, name, low, high, readers, cost, guard, expression }] of the lines below the heading. */
function parse(text) {
  const [heading, ...lines] = text.trimEnd().split('\n');
  assert.deepEqual(heading.trim().split(/\s+/), ['operation', 'low', 'high', 'readers', 'cost', 'guard', 'expression']);
  return lines.map((line) => {
    const columns = /^ *#(\d+) +(\S+) +(\S+) +(\S+) +(\d+) +(\d+|-) +(#\d+|-) +(\S.*)$/.exec(line);
    assert.ok(columns, line);
    const [, number, name, low, high, readers, cost, guard, expression] = columns;
    return {
      number: Number(number), name, low: bound(low), high: bound(high), readers: Number(readers),
      cost: cost === '-' ? 0 : Number(cost), guard: operation(guard), expression,
    };
  });
}

const program = (world) => parse(succeed(['check', '--program', world], { cwd: folder.path }));

/* The operation whose expression is the layer's, and those that its expression names. */
function findLayer(operations, layer) {
  const found = operations.find(({ expression }) => expression.split(' = ').slice(0, -1).includes(layer));
  assert.ok(found, layer);
  const numbers = [...found.expression.matchAll(/#(\d+)/g)].map(([, number]) => Number(number));
  return { ...found, operands: numbers.map((number) => operations.find((each) => each.number === number)) };
}

test('operations that compute together are one line', () => {
  /* A maximum and a minimum, then a product and a sum: 3 · 0 + 4 … 3 · 10 + 4. */
  const operations = program('small.json:height');
  assert.deepEqual(operations.map(({ name }) => name), ['x', 'maximum+minimum', 'multiply+add']);
  const [x, clamped, height] = operations;
  assert.equal(x.expression, 'x');
  assert.equal(clamped.expression, `min(max(#${x.number}, 0), 10)`);
  assert.deepEqual([clamped.low, clamped.high, clamped.readers], [0, 10, 1]);
  assert.equal(height.expression, `height = (#${clamped.number} * 3) + 4`);
  assert.deepEqual([height.low, height.high, height.readers, height.guard], [4, 34, 0, null]);
});

test('constants are folded, and names of one value share its operation', () => {
  const operations = program('small.json:folded');
  assert.deepEqual(operations.map(({ name }) => name), ['y', 'abs', 'add']);
  assert.equal(operations[2].expression, `folded = same = #${operations[1].number} + 6`);
  assert.equal(operations[2].low, 6);
  const whole = program('small.json');
  assert.equal(findLayer(whole, 'folded').number, findLayer(whole, 'same').number);
  assert.equal(whole.filter(({ name }) => name === 'x').length, 1);
});

test('a factor that may be 0 over areas guards a noise', () => {
  const product = findLayer(program('small.json:guarded'), 'guarded');
  assert.equal(product.name, 'multiply');
  const [first, second] = product.operands;
  const [noise, step] = first.name === 'noise' ? [first, second] : [second, first];
  assert.equal(product.guard, step.number);
  assert.match(step.expression, /^smoothstep\(0, 8, #\d+\)$/);
  assert.equal(noise.expression, 'fbm(64 m, 8 octaves of perlin)');
  assert.deepEqual([noise.cost, step.cost, product.cost], [8, 0, 0]);
});

test('a displaced noise names what displaces it', () => {
  const noise = findLayer(program('small.json:displaced'), 'displaced');
  assert.match(noise.expression, /^displaced = perlin\(32 m\), moved by #\d+, #\d+$/);
  const [scaled, y] = noise.operands;
  assert.equal(scaled.expression, `#${y.number} * 5`);
  assert.deepEqual([y.name, y.readers, noise.cost], ['y', 2, 1]);
});

test('a spline has its points', () => {
  const curve = findLayer(program('small.json:curve'), 'curve');
  assert.match(curve.expression, /^curve = spline\(0:1, 8:3\) of #\d+$/);
});

test('operands come first, and readers are counted', () => {
  const operations = program('terra');
  assert.ok(operations.length > 500);
  const readers = new Map(operations.map(({ number }) => [number, 0]));
  let last = -1;
  for (const { number, expression, guard } of operations) {
    assert.ok(number > last);
    last = number;
    const operands = [...expression.matchAll(/#(\d+)/g)].map(([, operand]) => Number(operand));
    for (const operand of operands) {
      assert.ok(operand < number && readers.has(operand), `#${operand}`);
      readers.set(operand, readers.get(operand) + 1);
    }
    assert.ok(guard === null || operands.includes(guard));
  }
  operations.forEach((each) => assert.equal(each.readers, readers.get(each.number), `#${each.number}`));
});

/* "WAVELENGTH OCTAVES" of each noise. */
const noisesOf = (operations) => operations.filter(({ name }) => name === 'noise').map(({ expression }) => {
  const [, wavelength, octaves] = /(?:^|[ =])\w+\(([\d.e+-]+) m(?:, (\d+) octaves of \w+)?/.exec(expression);
  return `${wavelength} ${octaves ?? 1}`;
}).sort();

/* What is left of a list without the entries of another, each of which it must have. */
function without(all, some) {
  const left = [...all];
  for (const each of some) {
    assert.ok(left.includes(each), `${each} in ${all}`);
    left.splice(left.indexOf(each), 1);
  }
  return left;
}

test('every layer of the built-in worlds has the noises that /explain says', { timeout: 60_000 }, async () => {
  const server = await startServer();
  const worlds = JSON.parse(succeed(['worlds', '--json'])).map(({ name }) => name);
  assert.ok(worlds.length > 10);
  let explained, alone = 0;
  try {
    explained = await Promise.all(worlds.map(async (world) =>
      (await fetch(`${server.url}/worlds/${world}/explain?x=0&y=0`)).json()));
  } finally {
    await server.stop();
  }
  worlds.forEach((world, i) => {
    const { layers } = explained[i], all = noisesOf(program(world));
    for (const { name, formula, noises } of layers) {
      const own = noises.map(({ wavelength, octaves }) => `${wavelength} ${octaves}`);
      const left = without(noisesOf(program(`${world}:${name}`)), own);
      without(all, own);
      /* A layer that names no other one has no other noises. */
      const named = new Set(formula.match(/\w+/g));
      if (layers.some((other) => named.has(other.name)) || /biome|drainage/.test(formula)) continue;
      assert.deepEqual(left, [], `${world}:${name}`);
      alone += own.length;
    }
  });
  assert.ok(alone > 50, `${alone} noises`);
});

test('the costs of a layer\'s operations are what the limit of --world-cost counts', () => {
  const sum = (operations) => operations.reduce((all, { cost }) => all + cost, 0);
  const layers = ['height', 'folded', 'guarded', 'displaced', 'same', 'curve'];
  assert.deepEqual(layers.map((layer) => sum(program(`small.json:${layer}`))), [0, 0, 8, 1, 0, 0]);
  const most = Math.max(...layers.map((layer) => sum(program(`small.json:${layer}`))));
  succeed(['check', 'small.json', '--world-cost', `${most}`], { cwd: folder.path });
  fail(['check', 'small.json', '--world-cost', `${most - 1}`], /layers\.guarded: too expensive/, { cwd: folder.path });
});

test('--costs prints the operations, octaves and time of each layer', () => {
  folder.write('costs.json', { generator: 1, layers: {
    hills: 'fbm(900, 8)', woods: 'perlin(64) + hills', height: 'slope(woods, 1)' },
  biomes: [{ name: 'all', color: '#000' }] });
  const lines = succeed(['check', '--costs', 'costs.json'], { cwd: folder.path }).trimEnd().split('\n');
  assert.deepEqual(lines[0].split(/ +/), ['layer', 'operations', 'octaves', 'own', 'places', 'ns/sample']);
  const rows = lines.slice(1).map((line) => line.split(/ +/));
  assert.deepEqual(rows.map(([name, , ...cost]) => [name, ...cost.slice(0, 3).map(Number)]),
    [['hills', 8, 8, 1], ['woods', 9, 1, 1], ['height', 36, 0, 0], ['biome', 0, 0, 0]]);
  for (const [name, operations, , , , each] of rows) {
    assert.ok(Number(operations) >= 1, name);
    assert.ok(Number(each) >= 0 && Number(each) < 100000, `${name} ${each}`);
  }
  fail(['check', '--costs', 'terr'], /unknown world "terr"/);
  fail(['check', '--costs', 'terra', '--golden'], /give only one of/);
});

test('the example of the manual is what the program prints', () => {
  const manual = readFileSync(`${root}/server/README.md`, 'utf8');
  const [, words, printed] = /```\n\$ terrane (check --program \S+)\n(.*?)```/s.exec(manual);
  assert.equal(succeed(words.split(' ')), printed);
});

test('a world or layer that there is not is named, with what lists them', () => {
  fail(['check', '--program', 'terr'], /unknown world "terr" \(did you mean "terra"\?\); "terrane worlds" lists all/);
  fail(['check', '--program', 'terra:hight'],
    /unknown layer "hight" \(did you mean "height"\?\); "terrane check --program terra" lists all/);
  fail(['check', '--program', 'nowhere/a:b.json'], /nowhere\/a:b\.json: cannot be opened/);
  fail(['check', '--program', 'terra', 'terra.json'], /unexpected argument "terra.json"/);
  fail(['check', '--program', 'terra', '--golden'], /give only one of --digest, --golden, --program and --costs/);
});
