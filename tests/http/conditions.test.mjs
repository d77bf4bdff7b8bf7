/* /locate?where=: conditions against a search written here, of every place of the grid, from POST /heights. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryFolder } from '../tools/folder.mjs';
import { serverOfFile } from '../tools/server.mjs';

/* A biome and a layer have one name; in the other world a layer has that of the slope. */
const biomes = ['sea', 'marsh', 'forest', 'heath'];
const world = {
  generator: 1, seed: 3,
  layers: {
    height: { formula: '300 * fbm(wavelength=4096, octaves=9) + 20', unit: 'm' },
    wet: 'fbm(wavelength=2048, octaves=8)',
    forest: 'smoothstep(-0.1, 0.3, wet)',
  },
  biomes: [
    { name: 'sea', color: '#00f', when: 'height < 0' },
    { name: 'marsh', color: '#0ff', when: 'wet > 0.25' },
    { name: 'forest', color: '#080', when: 'wet > 0' },
    { name: 'heath', color: '#0f0' },
  ],
  materials: [
    { name: 'rock', color: '#888', weight: 'abs(height) / 100' },
    { name: 'forest', color: '#080', weight: 'wet + 0.5' },
    { name: 'sand', color: '#ff0', weight: '0.6' },
  ],
};
const own = { ...world, layers: { ...world.layers, slope: '0' } };
const server = serverOfFile({ arguments: ['--worlds', temporaryFolder({ 'hills.json': world, 'own.json': own }).path] });

const load = (path, options) => fetch(server.url + path, options);
const locate = async (query, name = 'hills') => {
  const response = await load(`/worlds/${name}/locate?${query}`);
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return JSON.parse(text);
};

/* The samples of a layer in a square around a place, by rows from the north-west, `step` metres apart, at the level of
 * detail of that step or, if `full`, at full detail. */
async function square(layer, [x, y], step, reach, full) {
  const side = 2 * reach + 1;
  const points = Array.from({ length: side * side }, (_, i) => [x + step * (i % side - reach), y + step * (Math.floor(i / side) - reach)]);
  const values = [];
  for (let i = 0; i < points.length; i += 10000) {
    const body = JSON.stringify({ points: points.slice(i, i + 10000), layer, ...(full ? {} : { zoom: 17 - Math.log2(step) }) });
    const response = await load(`/worlds/hills/heights`, { method: 'POST', body });
    assert.equal(response.status, 200, await response.clone().text());
    values.push(...(await response.json()).heights);
  }
  return values;
}

/* The heights around are differences over 2 m: the slope in degrees. */
async function slopeAt(x, y) {
  const body = JSON.stringify({ points: [[x - 1, y], [x + 1, y], [x, y - 1], [x, y + 1]] });
  const { heights } = await (await load(`/worlds/hills/heights`, { method: 'POST', body })).json();
  return Math.atan(Math.hypot((heights[1] - heights[0]) / 2, (heights[3] - heights[2]) / 2)) * 180 / Math.PI;
}

/* All places of the grid, nearest first; equally near ones from the north and then from the west. */
const byDistance = (reach) => {
  const side = 2 * reach + 1;
  return Array.from({ length: side * side }, (_, i) => ({ i, column: i % side - reach, row: Math.floor(i / side) - reach }))
    .map((place) => ({ ...place, square: place.column ** 2 + place.row ** 2 }))
    .filter(({ square: far }) => far <= reach ** 2)
    .sort((a, b) => a.square - b.square || a.row - b.row || a.column - b.column);
};

/* `first` is asked of the samples at both levels of detail, `whole` of those at full detail and of the slope. */
async function exhaustive({ centre, step, reach, layers, first, whole, limit = 1, apart = 0, minDistance = 0 }) {
  const [coarse, full] = [{}, {}];
  for (const layer of layers) {
    coarse[layer] = await square(layer, centre, step, reach, false);
    full[layer] = await square(layer, centre, step, reach, true);
  }
  const at = (samples, i) => Object.fromEntries(layers.map((layer) => [layer, samples[layer][i]]));
  const found = [];
  for (const { i, column, row, square: far } of byDistance(reach)) {
    const [x, y] = [centre[0] + step * column, centre[1] + step * row];
    if (found.length === limit) break;
    if (Math.sqrt(far) * step < minDistance || !first(at(coarse, i)) || !first(at(full, i))) continue;
    if (found.some(([otherX, otherY]) => Math.hypot(x - otherX, y - otherY) < apart)) continue;
    if (whole && !whole(at(full, i), await slopeAt(x, y))) continue;
    found.push([x, y]);
  }
  return found;
}

const is = (name) => ({ biome }) => biomes[biome] === name;
const cases = [
  ['height>100,height<105', { layers: ['height'], first: ({ height }) => height > 100 && height < 105 }],
  ['height > 150 && biome == heath || biome == marsh', {
    layers: ['height', 'biome'], first: (at) => (at.height > 150 && is('heath')(at)) || is('marsh')(at),
  }],
  ['material==sand || forest==material && height>40', {
    layers: ['height', 'wet'], first: ({ height, wet }) => {
      const weights = [Math.fround(Math.abs(height) / 100), wet + 0.5, 0.6];
      const most = weights.indexOf(Math.max(...weights));
      return most === 2 || (most === 1 && height > 40);
    },
  }],
  ['slope<12,biome!=forest,height*2>90', {
    layers: ['height', 'biome'], first: (at) => !is('forest')(at) && at.height * 2 > 90, whole: (at, slope) => slope < 12,
  }],
  ['forest>0.5&&forest==biome&&(slope>20||height<30)', {
    layers: ['height', 'biome', 'forest'], first: (at) => at.forest > 0.5 && is('forest')(at),
    whole: (at, slope) => slope > 20 || at.height < 30,
  }],
];
const searches = [
  { centre: [3500, -6000], step: 32 },
  { centre: [-28000, 34000], step: 16, limit: 5, apart: 300, minDistance: 700 },
  { centre: [0, -1500], step: 64, limit: 7, apart: 400 },
  { centre: [9e6, 9e6], step: 32, limit: 100 },
];

for (const [where, { layers, first, whole }] of cases) {
  test(`/locate?where=${where} agrees with an exhaustive search`, async () => {
    for (const { centre: [x, y], step, limit = 1, apart = 0, minDistance = 0 } of searches) {
      const what = `${where} at ${x}, ${y}`;
      const found = await locate(`where=${encodeURIComponent(where)}&x=${x}&y=${y}&radius=${256 * step}`
        + `&limit=${limit}&apart=${apart}&min_distance=${minDistance}`);
      assert.deepEqual([found.step, found.complete], [step, true], what);
      assert.equal(found.places.length, limit, what);
      const reach = Math.ceil(found.places.at(-1).distance / step);
      const expected = await exhaustive({ centre: [x, y], step, reach, layers, first, whole, limit, apart, minDistance });
      assert.deepEqual(found.places.map((place) => [place.x, place.y]), expected, what);
      for (const place of found.places) {
        assert.ok(Math.abs(place.distance - Math.hypot(place.x - x, place.y - y)) < 1e-6);
        assert.ok(Math.abs(Math.sin(place.bearing * Math.PI / 180) * place.distance - (place.x - x)) < 1e-6);
      }
      const points = found.places.map((place) => [place.x, place.y]);
      const { heights } = await (await load('/worlds/hills/heights', { method: 'POST', body: JSON.stringify({ points }) })).json();
      assert.deepEqual(found.places.map(({ height }) => height), heights);
      for (const name of ['x', 'y', 'height', 'distance', 'bearing']) assert.equal(found[name], found.places[0][name]);
    }
  });
}

test('short forms are conditions', async () => {
  for (const [form, where] of [['biome=forest', 'biome==forest'], ['min_height=130.25', 'height>=130.25']]) {
    const [short, long] = [await locate(`${form}&x=70&y=-99&limit=3`), await locate(`where=${where}&x=70&y=-99&limit=3`)];
    assert.equal(short.places.length, 3);
    assert.deepEqual(short, long);
  }
});

test('the slope is that of the ground, even if a layer has its name', async () => {
  const [found, expected] = [await locate('where=slope%3E20&x=0&y=0', 'own'), await locate('where=slope%3E20&x=0&y=0')];
  assert.equal(expected.places.length, 1);
  assert.deepEqual(found.places, expected.places);
});

/* Divisions by zero and what is no number are 0, as in all formulas: no place has them. */
test('a condition that nothing satisfies has no places, and one without layers has the middle', async () => {
  for (const where of ['1/0', 'height/0>0', 'sqrt(0-height*height)>0', 'log(0-1)', '0/0==1', 'exp(1000)>0', 'biome==99', 'pow(0-2,0.5)']) {
    const found = await locate(`where=${encodeURIComponent(where)}&x=0&y=0&radius=256`);
    assert.deepEqual([found.found, found.complete, found.places], [false, true, []], where);
  }
  for (const where of ['1', '2>1', '!0', '0/0==0']) {
    const found = await locate(`where=${encodeURIComponent(where)}&x=0&y=0&radius=256`);
    assert.deepEqual([found.distance, found.complete], [0, true], where);
  }
});

/* Columns by hand. */
const refused = [
  ['', /where: column 1: expected a formula, found the end/],
  ['height>', /where: column 8: expected a number, a name, a call/],
  ['height>1,', /where: column 10: expected/],
  ['height>1 slope<3', /where: column 10: expected an operator/],
  ['2+heigth>1', /where: column 3: unknown name "heigth" \(did you mean "height"\?\)/],
  ['biome==forst', /where: column 8: unknown name "forst"/],
  ['biome==sand', /where: column 8: "sand" is a material, not a biome/],
  ['height>1,material!=heath', /where: column 20: "heath" is a biome, not a material/],
  ['height==1&&biome==nowhere_at_all', /column 19: unknown name "nowhere_at_all"; names are slope, and the layers, biomes and materials/],
  ['x>100', /where: column 1: unknown name "x"/],
  ['height>1&&fbm(100,8)>0', /where: column 11: a condition cannot call fbm, which is a function of places/],
  ['abs(perlin(100))>0', /where: column 5: a condition cannot call perlin/],
  ['warp(height,100,0)>0', /where: column 1: a condition cannot call warp/],
  ['slope(height,2)>0', /where: column 1: a condition cannot call slope/],
  ['distance(0,0)<100', /where: column 1: a condition cannot call distance/],
  ["drainage('flow')>0", /where: column 1: a condition cannot call drainage/],
  ['coarse(height,64)>0', /where: column 1: a condition cannot call coarse/],
  ['nonsense(height)', /where: column 1: unknown function "nonsense"/],
  ['clamp(height,1)', /where: column 1: clamp needs the argument "high"/],
  ["'height'>3", /where: column 1: a text can only be an argument/],
  [`${'('.repeat(60)}1${')'.repeat(60)}`, /where: column \d+: nested too deeply/],
  [`${'!'.repeat(300)}1`, /where: column \d+: nested too deeply/],
  [`1${'+1'.repeat(300)}`, /where: column \d+: more than 200 operators in a row/],
  [`1${'-1'.repeat(600)}`, /where: the condition has 1201 bytes; at most 1024 are allowed/],
  [`wet${'-wet'.repeat(90)},height${'-wet'.repeat(90)},forest${'-9'.repeat(90)}`, /where: the condition has more than 256 operations/],
];

for (const [where, message] of refused) {
  test(`where=${where.slice(0, 40)} is refused`, async () => {
    const response = await load(`/worlds/hills/locate?where=${encodeURIComponent(where)}&x=0&y=0`);
    const problem = await response.json();
    assert.ok([400, 404].includes(response.status), `${response.status}`);
    assert.match(problem.detail, message);
    assert.equal(problem.parameter, 'where');
    const [, column] = / column (\d+): /.exec(problem.detail) ?? [];
    assert.equal(problem.column, column && Number(column));
  });
}

/* As URLSearchParams writes spaces, and as people write signs. The last two have another fault. */
test('an error at a "+" of the URL says that it is a plus', async () => {
  for (const [where, said] of [['height+%3E+3', true], ['height%3E+3', true], ['wet%3D%3D+', true], ['height%3E3+++', true],
    ['height%20%3E%3E%203', false], ['height+nonsense%3E3', false]]) {
    const { status, detail } = await (await load(`/worlds/hills/locate?x=0&y=0&where=${where}`)).json();
    assert.ok(status >= 400, where);
    assert.equal(/; a "\+" in a URL is a plus: write a space as %20/.test(detail), said, `${where}: ${detail}`);
  }
  const plus = await load('/worlds/hills/locate?x=0&y=0&where=height+1%3E3');
  assert.equal(plus.status, 200);
});

test('a condition of 10⁵ operators is refused before it is read', async () => {
  const response = await load(`/worlds/hills/locate?x=0&y=0&where=1${'-1'.repeat(1e5)}`);
  assert.ok([400, 413, 414, 431].includes(response.status), `${response.status}`);
});

test('parameters of a search that do not go together are refused', async () => {
  for (const [query, parameter] of [['where=1&biome=sea', 'where'], ['where=1&min_height=3', 'min_height'], ['feature=peak&limit=101', 'limit'],
    ['feature=peak&apart=0', 'apart'], ['feature=peak&min_distance=1', 'min_distance'], ['where=1&limit=101', 'limit'], ['where=1&limit=0', 'limit'],
    ['where=1&apart=-1', 'apart'], ['where=1&min_distance=-1', 'min_distance'],
    ['where=1&min_distance=10000.5', 'min_distance'], ['biome=sea&radius=100&min_distance=101', 'min_distance']]) {
    const response = await load(`/worlds/hills/locate?${query}&x=0&y=0`);
    assert.equal(response.status, 400, query);
    assert.equal((await response.json()).parameter, parameter, query);
  }
});

test('the least distance is at most the radius', async () => {
  const near = await locate('where=1&x=0&y=0&radius=100&min_distance=100');
  assert.deepEqual([near.distance, near.complete], [100, true]);
  const response = await load('/worlds/hills/locate?where=1&x=0&y=0&radius=100&min_distance=100.25');
  assert.equal(response.status, 400);
  assert.match((await response.json()).detail, /min_distance: must be at most the radius, 100 m, not 100\.25$/);
});
