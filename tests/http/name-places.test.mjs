/* Names around places: what /at?named=1 and /locate?name= tell is on the maps of /labels, along the shores of seas
 * and down rivers. */

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { amount } from '../tools/amount.mjs';
import { temporaryFolder } from '../tools/folder.mjs';
import { serverOfFile } from '../tools/server.mjs';
import { makeRandom } from './tile-addresses.mjs';

const folder = temporaryFolder();
const layers = { height: '30000 - distance(0, 0)' }; /* a cone in a sea */
const places = [['lake', [70000, 0], 'Žluté jezero'], ['peak', [0, 50000], 'Гора Ёлка'], ['peak', [0, -52000], "Zlutava Hill's"], ['hill', [0, 60000], 'Zlut']]
  .map(([kind, at, name]) => ({ kind, at, name }));
writeFileSync(folder.file('nameless.json'), JSON.stringify({ generator: 1, layers, names: false }));
writeFileSync(folder.file('fixed.json'), JSON.stringify({ generator: 1, layers, names: { tongues: [], places } }));
const server = serverOfFile({ arguments: ['--worlds', folder.path] });
const LAND = [60000, -60000];

async function get(path, { status = 200, world = 'terra' } = {}) {
  const response = await fetch(`${server.url}/worlds/${world}${path}`);
  assert.equal(response.status, status, `${path}: ${status === 200 && response.status !== 200 ? await response.text() : ''}`);
  return response.json();
}
const named = async ([x, y], world) => (await get(`/at?x=${x}&y=${y}&named=1`, { world })).named;
const heightsAt = async (points) => (await (await fetch(`${server.url}/worlds/terra/heights`, { method: 'POST', body: JSON.stringify({ points }) })).json()).heights;

/* The label of /labels at a place, to a unit of 2⁻¹⁶ m. */
async function labelAt({ x, y, zoom }, world) {
  const { labels } = await get(`/labels?bbox=${x},${y},${x + 2 ** -16},${y + 2 ** -16}&zoom=${zoom}`, { world });
  assert.ok(labels.length <= 1);
  return labels[0];
}

/* A name that was told is that of /labels at the place that it says. */
async function assertShown(found, world) {
  const label = await labelAt(found, world);
  assert.ok(label, `${found.name} at ${found.x}, ${found.y}, zoom ${found.zoom}`);
  const told = Object.fromEntries(['id', 'name', 'kind', 'rank'].map((key) => [key, found[key]]));
  assert.deepEqual(told, { id: label.id, name: label.name, kind: label.kind, rank: label.rank });
}

/* Places of the land of terra, the same in each run. */
async function landPlaces(count, seed) {
  const random = makeRandom(seed);
  const found = [];
  while (found.length < count) {
    const points = Array.from({ length: 8 }, () => [0, 0].map(() => Number(random(-12000000n, 12000000n))));
    const heights = await heightsAt(points);
    found.push(...points.filter((_, i) => heights[i] > 5));
  }
  return found.slice(0, count);
}

test('names are for those who ask', async () => {
  const plain = await get('/at?x=0&y=0');
  assert.ok(!('named' in plain));
  assert.deepEqual(await get('/at?x=0&y=0&named=0'), plain);
  const { named: told, ...rest } = await get('/at?x=0&y=0&named=1');
  assert.deepEqual(rest, plain);
  assert.deepEqual(Object.keys(told), ['in', 'on', 'near']);
  assert.equal(await named([40000, 0], 'nameless'), null);
  assert.deepEqual(await named([9e6, 9e6], 'fixed'), { in: [], on: null, near: [] });
  /* A larger radius would find nothing, either. */
  const nothing = await get('/locate?name=a&x=0&y=0&radius=1000', { world: 'nameless' });
  assert.deepEqual([nothing.found, nothing.places, nothing.samples, 'larger_radius' in nothing], [false, [], 0, false]);
  assert.equal((await get('/locate?name=qqq&x=0&y=0&radius=1000')).larger_radius, 10000);
  const text = async (query) => (await fetch(`${server.url}/worlds/${query}&named=1&format=text`)).text();
  assert.match(await text('terra/at?x=0&y=0'), /\nnamed\tin [^\t\n]+ \(\w+\), [^\t\n]+\t\n$/);
  assert.match(await text('nameless/at?x=0&y=0'), /\nnamed\tthe world has no names\t\n$/);
});

test('what a place is in, on and near is on maps', { timeout: 60_000 }, async () => {
  let count = 0;
  for (const place of await landPlaces(amount(4, 40), 3)) {
    const { in: areas, near } = await named(place);
    for (const found of [...areas, ...near]) {
      await assertShown(found);
      assert.ok(Math.abs(Math.hypot(found.x - place[0], found.y - place[1]) - found.distance) < 1e-3);
      count++;
    }
    for (const found of areas) assert.ok(!['sea', 'bay', 'fjord', 'strait', 'lake', 'peak', 'hill', 'river', 'stream'].includes(found.kind), found.kind);
    assert.deepEqual(areas.map(({ rank }) => rank), areas.map(({ rank }) => rank).sort((a, b) => b - a));
    assert.deepEqual(near.map(({ distance }) => distance), near.map(({ distance }) => distance).sort((a, b) => a - b));
    assert.equal(new Set(near.map(({ kind }) => kind)).size, near.length);
  }
  assert.ok(count > 20, `${count} names`);
});

/* Cells and streams go on behind the edge of the world. */
test('what is told lies on the map, and within the distance that the manual says', { timeout: 60_000 }, async () => {
  const edge = 2 ** 40;
  const all = [];
  for (const world of ['dunes', 'canyons', 'archipelago']) {
    const [x, y] = [-edge + 10000, edge - 10000];
    const { named: told } = await get(`/at?x=${x}&y=${y}&named=1`, { world });
    all.push(...(told?.in ?? []), ...(told?.near ?? []));
    for (const name of ['h', 'l', 'm', 'n']) {
      const { places: listed } = await get(`/locate?x=${x}&y=${y}&radius=400000&name=${name}&limit=100`, { world });
      all.push(...listed);
    }
  }
  assert.ok(all.length > 3, `${all.length} names`);
  for (const { name, x, y } of all) assert.ok(x >= -edge && x < edge && y >= -edge && y < edge, `${name} at ${x}, ${y}`);
  const asked = [[[0, 0]], [[60000, -20000]], [[563631, -316786], 'archipelago']];
  const near = (await Promise.all(asked.map((place) => named(...place)))).flatMap((told) => told.near);
  assert.ok(near.length > 3);
  for (const { name, distance, zoom } of near) assert.ok(distance <= { 12: 12.8e3, 9: 102.4e3, 6: 819.2e3 }[zoom], `${name}: ${distance} m, zoom ${zoom}`);
});

/* From where its name is written along straight lines to the shore, not farther than a quarter of its cell, which may be
 * half as wide as those of the label's rank. */
test('a sea has its name on its coast', { timeout: 60_000 }, async () => {
  const { labels } = await get('/labels?bbox=-9000000,-15000000,3000000,-3000000&zoom=5');
  const seas = labels.filter(({ kind }) => kind === 'sea');
  let coasts = 0;
  for (const { id, x, y, rank } of seas.slice(0, amount(40, 80))) {
    const step = 384 * 2 ** (16 - rank) / 48;
    for (let i = 0; i < 20; i++) {
      const way = Array.from({ length: 12 }, (_, k) => [Math.cos(i * Math.PI / 10), Math.sin(i * Math.PI / 10)]
        .map((part, axis) => [x, y][axis] + part * k * step));
      const heights = await heightsAt(way);
      const land = heights.findIndex((height) => height > 0);
      if (land < 2) continue;
      const { in: areas } = await named(way[land - 1]);
      assert.ok(areas.some((area) => area.id === id), `sea ${id} at ${way[land - 1]}: ${areas.map(({ name }) => name)}`);
      coasts++;
    }
  }
  assert.ok(coasts >= 10, `${coasts} places`);
});

/* At vertices along its way: the stream there is one of the trace, and its name is that of the one before, or the name
 * changes where another stream takes it up. */
test('a river keeps its name, or takes that of the stream it joins', { timeout: 600_000 /* each of many places is looked at anew */ }, async () => {
  let [told, kept, changed, followed, longest] = [0, 0, 0, 0, 0];
  for (const place of await landPlaces(amount(10, 200), 77)) {
    const trace = await get(`/trace?x=${place[0]}&y=${place[1]}`);
    const ids = new Map(trace.streams.map(({ id }, i) => [id, i]));
    followed += trace.length;
    longest = Math.max(longest, trace.length);
    let last;
    for (let k = 1; k < 8; k++) {
      const at = trace.places[Math.floor(k * (trace.places.length - 1) / 8)];
      const { on } = await named(at) ?? {};
      if (!on || !ids.has(on.id)) continue; /* a deeper valley crosses, or it is a lake's deepest place */
      told++;
      if (last) {
        assert.ok(ids.get(on.id) >= ids.get(last.id), 'downstream');
        if (on.id === last.id) assert.equal(on.name, last.name);
        kept += on.name === last.name;
        changed += on.name !== last.name;
      }
      last = on;
    }
  }
  assert.ok(told > amount(30, 600), `${told} places`);
  assert.ok(followed > amount(5e6, 1e8) && longest > 1e6, `${followed} m in all, ${longest} m the longest`);
  assert.ok(changed > 0 && kept > 0, `${changed} changed, ${kept} kept`);
});

/* All pages of a search. */
async function search(query, world) {
  const found = [];
  for (let after = ''; ;) {
    const page = await get(`/locate?${query}${after}`, { world });
    assert.equal(page.found, page.places.length > 0);
    assert.equal(page.complete, true);
    if (page.found) assert.deepEqual(page.places[0], Object.fromEntries(Object.keys(page.places[0]).map((key) => [key, page[key]])));
    found.push(...page.places);
    if (page.next === null) return { found, page };
    after = `&after=${encodeURIComponent(page.next)}`;
  }
}

test('names that begin with a text: the nearest first, page by page, each on the map', { timeout: 60_000 }, async () => {
  const [x, y] = [-180000, -50000];
  const at = `x=${x}&y=${y}&radius=260000`;
  const { found, page } = await search(`name=m&${at}&limit=20`);
  assert.ok(found.length > 5, `${found.length} names`);
  assert.deepEqual((await search(`name=m&${at}&limit=2`)).found, found);
  for (const place of found) {
    assert.match(place.name.normalize('NFD'), /^m/i);
    assert.ok(place.distance <= 260000 && place.zoom <= page.max_zoom);
    await assertShown(place);
  }
  assert.deepEqual(found.map(({ distance }) => distance), found.map(({ distance }) => distance).sort((a, b) => a - b));
  assert.equal(new Set(found.map(({ id }) => id)).size, found.length);
  const [{ kind }] = found;
  assert.deepEqual((await search(`name=m&kind=${kind}&${at}&limit=20`)).found, found.filter((place) => place.kind === kind));
  const heights = await heightsAt(found.map((place) => [place.x, place.y]));
  assert.deepEqual(found.map(({ height }) => height), heights);
});

test('every name of a map is found by its beginning', { timeout: 60_000 }, async () => {
  const zoom = 9, half = 400 * 2 ** (17 - zoom);
  const [x, y] = LAND;
  const { labels } = await get(`/labels?bbox=${x - half},${y - half},${x + half},${y + half}&zoom=${zoom}`);
  assert.ok(labels.length > 3);
  for (const label of labels) {
    const prefix = encodeURIComponent(label.name.slice(0, 5));
    const { found } = await search(`name=${prefix}&x=${label.x}&y=${label.y}&radius=1000&zoom=${zoom}&limit=100`);
    assert.ok(found.some(({ id, name }) => id === label.id && name === label.name), label.name);
  }
});

test('case and marks make no difference, in any script', async () => {
  const names = async (text) => (await get(`/locate?name=${encodeURIComponent(text)}&x=0&y=0&radius=100000&zoom=11&limit=9`, { world: 'fixed' })).places.map(({ name }) => name);
  const all = ["Zlutava Hill's", 'Zlut', 'Žluté jezero'];
  for (const text of ['zlut', 'ŽLUT', 'z\u030clut', 'Zlut']) assert.deepEqual(await names(text), all);
  assert.deepEqual(await names('žlutě'), ['Žluté jezero']);
  assert.deepEqual(await names('zlute j'), ['Žluté jezero']);
  assert.deepEqual(await names("zlutava hill's"), all.slice(0, 1));
  for (const text of ['гора е', 'ГОРА Ёл']) assert.deepEqual(await names(text), ['Гора Ёлка']);
  assert.deepEqual(await names('jezero'), []);
  assert.equal((await get('/locate?name=q&x=0&y=0&radius=1000', { world: 'fixed' })).larger_radius, 10000);
});

test('what is no name, or does not go with one, is refused', async () => {
  const refused = async (query, parameter, detail) => {
    const problem = await get(`/locate?${query}`, { status: 400 });
    assert.deepEqual([problem.parameter, problem.status], [parameter, 400], query);
    assert.match(problem.detail, detail, query);
  };
  const letters = /must be 1 to 64 letters/;
  for (const text of ['', '%20', '%3Cscript%3E', 'a%3Cb%3E', '%F0%9F%98%80', '+a', 'a'.repeat(65), 'é'.repeat(65)])
    await refused(`name=${text}&x=0&y=0`, 'name', letters);
  await refused(`name=${'a'.repeat(1000)}&x=0&y=0`, 'name', letters);
  await get(`/locate?name=${'é'.repeat(64)}&x=0&y=0&radius=100`);
  await refused('name=a&x=0&y=0&kind=hole', 'kind', /must be any or sea or/);
  for (const after of ['', '7', 'x,7,9', '-1,7,9', '5,-7,9', '5,7', '5,7,9,9']) await refused(`name=a&x=0&y=0&after=${after}`, 'after', /must be the member `next` of an answer/);
  const { next } = await get('/locate?name=s&x=0&y=0&radius=900000&limit=1');
  const goesOn = (query, world) => get(`/locate?${query}&limit=2&after=${next}`, { status: 400, world });
  assert.ok((await get(`/locate?name=s&x=0&y=0&radius=900000&limit=2&after=${next}`)).places.length > 0);
  for (const query of ['name=m&x=0&y=0&radius=900000', 'name=s&x=1&y=0&radius=900000', 'name=s&x=0&y=0&radius=900001', 'name=s&x=0&y=0&radius=900000&kind=sea', 'name=s&x=0&y=0&radius=900000&zoom=4'])
    assert.match((await goesOn(query)).detail, /goes on with another search/);
  for (const world of ['terra~2', 'highlands'])
    assert.equal((await goesOn('name=s&x=0&y=0&radius=900000', world)).parameter, 'after');
  await refused('kind=sea&x=0&y=0', 'kind', /goes with name=/);
  assert.match((await get('/locate?name=a&x=0&y=0&radius=0', { status: 400 })).example, /[?&]name=/);
  for (const other of ['apart=5', 'min_distance=5', 'detail=full']) await refused(`name=a&x=0&y=0&${other}`, other.split('=')[0], /not with a name/);
  for (const other of ['kind=sea', 'zoom=9', 'after=5,7']) await refused(`min_height=5&x=0&y=0&${other}`, other.split('=')[0], /goes with a name alone/);
  await refused('name=a&biome=sea&x=0&y=0', 'name', /not several/);
  await refused('x=0&y=0', 'biome', /feature or name, not none/);
  const { fits, parameter } = await get('/locate?name=a&x=0&y=0&radius=9000000&zoom=12', { status: 413 });
  assert.equal(parameter, 'zoom');
  await get(`/locate?name=a&x=0&y=0&radius=9000000&zoom=${fits}`);
  await get(`/locate?name=a&x=0&y=0&radius=9000000&zoom=${fits + 1}`, { status: 413 });
});

/* A target of 10,000 letters is longer than any that is read. */
test('a name of 10,000 letters is refused before it is read', async () => {
  const response = await fetch(`${server.url}/locate?name=${'a'.repeat(10000)}&x=0&y=0`);
  assert.equal(response.status, 414);
});
