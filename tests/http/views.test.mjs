/* Where maps begin of worlds whose view is a rule: for every seed on what the rule asks for, the same in all documents,
 * on every server, in whatever order it is asked for. What holds at a place is what /at and /locate say, or arithmetic.
 * TERRANE_LONG tries 200 seeds. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { amount } from '../tools/amount.mjs';
import { temporaryFolder } from '../tools/folder.mjs';
import { serverOfFile, startServer } from '../tools/server.mjs';
import { counts } from './busy.mjs';

/* The height is x, but for the seed: a noise that moves the shore by some hundreds of kilometres. */
const shore = (view) => ({
  generator: 1, seed: 5, view, layers: { height: 'x + 400000 * perlin(wavelength=1e6)', east: 'x' },
});
const folder = temporaryFolder({
  'plain.json': shore({ x: -70000, y: 5, zoom: 9 }),
  'rule.json': shore({ near: [-1000, 0], where: 'east > 50000, east < 90000', zoom: 9, style: 'east', t: 3 }),
  'nowhere.json': shore({ near: [-300.5, 7], where: 'east > 1e9 && height < 0', zoom: 9 }),
  'void.json': { generator: 1, view: { near: [-300.5, 7], where: 'height > 0' }, layers: { height: '-5' } },
});
const server = serverOfFile({ arguments: ['--worlds', folder.path] });

const load = (path, base = server.url) => fetch(base + path);
const json = async (path, base) => {
  const response = await load(path, base);
  assert.equal(response.status, 200, `${path}: ${await response.clone().text()}`);
  return response.json();
};

const ruleOf = (name) => JSON.parse(readFileSync(new URL(`../../config/worlds/${name}.json`, import.meta.url), 'utf8')).view;

/* Longitude and latitude of Web Mercator, whose square is the central square of 2²⁵ m. */
const degrees = ({ x, y }) => [x / 2 ** 24 * 180, Math.atan(Math.sinh(-y / 2 ** 24 * Math.PI)) * 180 / Math.PI];
const assertNear = (actual, expected) => actual.forEach((value, i) =>
  assert.ok(Math.abs(value - expected[i]) < 1e-9, `${actual} is not ${expected}`));

test('seeds 1000 to 1011 of terra begin on land, in every document', async () => {
  for (let seed = 1000; seed < 1012; seed++) {
    const world = `/worlds/terra~${seed}`;
    const { view, urls } = await json(world);
    const { x, y, zoom, where } = view;
    assert.equal(where, ruleOf('terra').where);
    assert.equal(zoom, 7);
    assert.ok((await json(`${world}/at?x=${x}&y=${y}`)).height > 30, `${seed}: ${x}, ${y}`);
    assertNear((await json(`${world}/tiles.json`)).center, [...degrees(view), 7]);
    assertNear((await json(urls.tilejson.replace('{style}', 'height'))).center, [...degrees(view), 7]);
    const style = await json(`${world}/style.json`);
    assertNear(style.center, degrees(view));
    assert.equal(style.zoom, 6);
  }
});

test('what a rule asks for holds at the place, as searches say', async () => {
  for (let seed = 0; seed < amount(10, 200); seed++) {
    for (const name of ['terra', 'highlands', 'archipelago']) {
      const world = `/worlds/${name}~${seed}`;
      const { view } = await json(world);
      assert.ok(Math.max(Math.abs(view.x), Math.abs(view.y)) <= 2 ** 24, 'in the central square');
      const found = await json(`${world}/locate?where=${encodeURIComponent(view.where)}&x=${view.x}&y=${view.y}&radius=1`);
      const { height } = await json(`${world}/at?x=${view.x}&y=${view.y}`);
      assert.ok(height > 0 && found.found && found.distance === 0, `${world}: ${view.x}, ${view.y}`);
    }
  }
});

test('a world with its own seed begins where its file says, if the rule holds there', async () => {
  const { worlds } = await json('/worlds');
  for (const { name, view } of worlds) {
    if (['rule', 'nowhere', 'plain', 'void'].includes(name)) continue;
    const file = ruleOf(name);
    assert.deepEqual([view.x, view.y], file.near ?? [file.x, file.y], name);
    assert.equal(view.where, file.where, name);
    assert.deepEqual((await json(`/worlds/${name}`)).view, view, name);
  }
});

test('a rule of x alone is found by arithmetic, near the place and for every seed the same', async () => {
  const { x, y, zoom, style, t } = (await json('/worlds/rule')).view;
  assert.ok(x > 50000 && x < 90000);
  assert.deepEqual([zoom, style, t], [9, 'east', 3]);
  /* The spiral's first places are half a tile of 65,536 m away, and so far again within some thirty. */
  assert.ok(Math.hypot(x + 1000, y) < 200000, `${x}, ${y}`);
  const other = (await json('/worlds/rule~7')).view;
  assert.deepEqual([other.x, other.y], [x, y]);
});

test('a rule that holds nowhere gives land, and else its own place; a fixed place stays', async () => {
  const seen = new Set();
  for (const seed of ['1', '2', 'three', '%C3%A4%40~']) {
    const { view } = await json(`/worlds/nowhere~${seed}`);
    assert.ok((await json(`/worlds/nowhere~${seed}/at?x=${view.x}&y=${view.y}`)).height > 0);
    seen.add(view.x);
    const plain = (await json(`/worlds/plain~${seed}`)).view;
    assert.deepEqual([plain.x, plain.y, plain.where], [-70000, 5, undefined]);
    const sea = (await json(`/worlds/void~${seed}`)).view;
    assert.deepEqual([sea.x, sea.y], [-300.5, 7]);
  }
  assert.ok(seen.size > 1, 'seeds differ');
});

test('another server, asked for all at once and backwards, has the same bytes and tags', async () => {
  const paths = [];
  for (let seed = 1000; seed < 1012; seed++)
    for (const tail of ['', '/tiles.json', '/style.json']) paths.push(`/worlds/terra~${seed}${tail}`);
  const read = async (path, base) => {
    const response = await load(path, base);
    assert.equal(response.status, 200);
    return [response.headers.get('etag'), (await response.text()).replaceAll(base, '')];
  };
  const one = [];
  for (const path of paths) one.push(await read(path, server.url));
  const fresh = await startServer({ arguments: ['--worlds', folder.path] });
  try {
    const other = await Promise.all(paths.toReversed().map((path) => read(path, fresh.url)));
    const bodies = (list) => list.map(([, body]) => body);
    assert.deepEqual(bodies(other.toReversed()), bodies(one));
    for (const [i, path] of paths.entries()) {
      const again = await fetch(server.url + path, { headers: { 'If-None-Match': one[i][0] } });
      assert.equal(again.status, 304, path);
    }
    /* Descriptors have no absolute addresses: their tags are the same, too. */
    assert.deepEqual(other.toReversed().map(([tag]) => tag).filter((_, i) => i % 3 === 0), one.map(([tag]) => tag).filter((_, i) => i % 3 === 0));
  } finally {
    assert.equal(await fresh.stop(), 0);
  }
});

test('a place is found once, and a pin has it as well', async () => {
  const before = await counts(server);
  const { view, fingerprint } = await json('/worlds/terra~found-once');
  const between = await counts(server);
  for (const path of ['', `@${fingerprint}`]) assert.deepEqual((await json(`/worlds/terra~found-once${path}`)).view, view);
  await json('/worlds/terra~found-once/style.json');
  const after = await counts(server);
  assert.equal(between('renders_total', { kind: 'world' }), before('renders_total', { kind: 'world' }) + 1);
  assert.equal(after('renders_total', { kind: 'world' }), between('renders_total', { kind: 'world' }));
  assert.equal((await load('/worlds/terra~found-once@g1-00000000000000000000000000000000')).status, 410);
});

test('a preview begins by its rule', async () => {
  const text = readFileSync(`${folder.path}/rule.json`, 'utf8');
  const made = await fetch(`${server.url}/preview`, { method: 'POST', body: text });
  assert.equal(made.status, 201);
  const { url } = await made.json();
  const { x, y } = (await json('/worlds/rule')).view;
  for (const seed of ['', '~8']) {
    const { view } = await json(url + seed);
    assert.deepEqual([view.x, view.y], [x, y]);
  }
  const refused = await fetch(`${server.url}/preview`, { method: 'POST', body: text.replace('east > 50000', 'eest > 50000') });
  assert.equal(refused.status, 422);
  const { errors } = await refused.json();
  assert.equal(errors[0].pointer, '/view/where');
  assert.match(errors[0].message, /did you mean "east"/);
});

test('a client pays for the places of seeds, and not for those of the worlds that are loaded', async () => {
  const limited = await startServer({
    arguments: ['--worlds', folder.path, '--client-cost', '1', '--client-burst', '20', '--client-loopback', '1'],
  });
  try {
    let seed = 0;
    let refused = await load('/worlds/terra~0', limited.url);
    for (; seed < 1000 && refused.status === 200; seed++) refused = await load(`/worlds/terra~${seed + 1}`, limited.url);
    assert.ok(seed > 0 && seed < 1000, `${seed}`);
    assert.equal(refused.status, 429);
    assert.ok(Number(refused.headers.get('retry-after')) >= 1);
    for (const path of ['/worlds', '/worlds/terra', '/tiles.json', '/worlds/terra~0', '/worlds/highlands/style.json', '/worlds/plain~77'])
      assert.equal((await load(path, limited.url)).status, 200, path);
  } finally {
    assert.equal(await limited.stop(), 0);
  }
});
