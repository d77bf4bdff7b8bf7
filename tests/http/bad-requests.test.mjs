/* Invalid requests for chunks, volumes and queries: each gets the right status, the error names the
 * parameter, and the example in the error works. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serverOfFile } from '../tools/server.mjs';

const server = serverOfFile();

/* Invalid numbers: only strict decimal is accepted. */
const NUMBERS = ['', 'big', '0x10', '1,5', 'nan', '+1'];
const COORDINATES = [...NUMBERS, 'Infinity', '1099511627777'];
const WHOLE = [...NUMBERS, '1.5', '01'];
const BOX = ['', '1,2,3', '0,0,9', '9,0,0,9', '0,0,9,9,9', 'a,0,9,9', '0,0,9,inf'];
const SWITCHES = { pretty: ['yes', '2', ''], format: ['xml', 'JSON', ''] };
const PLACE = { x: COORDINATES, y: COORDINATES };

/* Each parameter of a route, with a valid value and values that are refused with 400. */
const routes = [
  { path: '/chunks/0/0.r32f', good: 'size=4&step=1&apron=0&layers=height&t=0',
    wrong: {
      size: [...WHOLE, '0', '1025', '-1', '-0'], step: [...NUMBERS, '0', '3', '-1', '131072', '0.03125'], apron: [...WHOLE, '-1', '9'],
      t: [...NUMBERS, '1e13'], layers: ['', ',', 'height,', 'height,height'],
    } },
  { path: '/worlds/caves/volumes/0/0/0.r32f', good: 'size=4&step=1&layer=density&t=0',
    wrong: { size: ['', 'big', '0', '129', '1.5'], step: ['', '0', '5', '-2'], t: ['now', ''], layer: [''] } },
  { path: '/at', good: 'x=0&y=0&z=0&t=0&zoom=9', needs: ['x', 'y'],
    wrong: { ...PLACE, z: NUMBERS, t: NUMBERS, zoom: ['', '21', '-1', '1.5', 'far'], ...SWITCHES } },
  { path: '/explain', good: 'x=0&y=0&z=0&t=0&zoom=9', needs: ['x', 'y'],
    wrong: { x: ['', 'a', '1e99'], y: ['', 'b'], z: ['', 'up'], t: ['', 'now'], zoom: ['21', 'x'], ...SWITCHES } },
  { path: '/profile', good: 'line=0,0;9,9&samples=4', needs: ['line'],
    wrong: { line: ['', '0,0', '0;0', '0,0;a,1', '0,0,1;1,1', '0,0;1,1;'], samples: [...WHOLE, '1', '100000000'], ...SWITCHES } },
  { path: '/profile.svg', good: 'line=0,0;9,9&samples=4', needs: ['line'], wrong: { line: ['', '5,5', 'x'], samples: ['0', 'many'] } },
  { path: '/stats', good: 'bbox=0,0,9,9&samples=4', needs: ['bbox'], wrong: { bbox: BOX, samples: [...WHOLE, '0', '1025'], ...SWITCHES } },
  { path: '/objects', good: 'bbox=0,0,9,9', needs: ['bbox'], wrong: { bbox: BOX, ...SWITCHES } },
  { path: '/objects.geojson', good: 'bbox=0,0,9,9', needs: ['bbox'], wrong: { bbox: ['', '1,2,3', 'here'], pretty: ['yes'] } },
  { path: '/locate', good: 'min_height=-9000&x=0&y=0&radius=10',
    wrong: { x: ['', 'a'], y: ['', 'b'], radius: [...NUMBERS, '0', '-5'], min_height: ['', 'high', 'nan'], ...SWITCHES } },
  { path: '/spawn', good: 'x=0&y=0&radius=50', wrong: { x: ['', 'a'], y: ['', 'b'], radius: [...NUMBERS, '-5'], ...SWITCHES } },
  { path: '/sight', good: 'from=0,0,9&to=9,9,9', needs: ['from', 'to'],
    wrong: { from: ['', '0,0', '0,0,a', '0,0,1,1'], to: ['', '0,0', '0,0,inf', 'there'], ...SWITCHES } },
  { path: '/diff', good: 'a=terra&b=terra~2&bbox=0,0,9,9&samples=3', needs: ['b', 'bbox'],
    wrong: { a: ['terra@x', 'terra~'], b: ['terra@g1-0', 'terra%7E'], bbox: BOX, samples: ['0', '1025', 'few'], ...SWITCHES } },
  { path: '/verify', good: 'chunk=0,0&size=4&step=1&apron=0&layers=height&t=0', needs: ['chunk'],
    wrong: {
      chunk: ['', '0', '0,0,0', 'a,0', '0,-0'], size: ['0', '1025', 'x'], step: ['3', '0'], apron: ['9', '-1'], layers: ['', 'height,height'],
      t: ['now'], digest: ['', 'x', '0'.repeat(31), 'G'.repeat(32)], ...SWITCHES,
    } },
];

/* [target, status, parameter, what] */
const cases = [
  ['/chunks/a/0.r32f', 400, 'cx'], ['/chunks/0/b.r32f', 400, 'cy'], ['/chunks/1.5/0.r32f', 400, 'cx'], ['/chunks/-0/0.r32f', 400, 'cx'],
  ['/chunks/0/1e3.r32f', 400, 'cy'], ['/chunks/+1/0.r32f', 400, 'cx'], ['/chunks/99999999999999999999/0.r32f', 400, 'cx'],
  ['/chunks/0/0', 404, 'format'], ['/chunks/0/0.bin', 404, 'format'], ['/chunks/0/0.R32F', 404, 'format'], ['/chunks/0/0.r8', 404, 'format'],
  ['/chunks/17179869184/0.r32f', 404, 'cx'], ['/chunks/0/-17179869185.r32f', 404, 'cy'], ['/chunks/0/0.r32f?layers=heigt', 404, 'layers'],
  ['/chunks/0/0.png?layers=height,biome', 400, 'layers'], ['/chunks/0/0.glb?layers=height,biome', 400, 'layers'],
  ['/chunks/0/0.r32f?size=1024&apron=8&layers=height,biome,hills,detail', 413, 'size'],
  ['/worlds/caves/volumes/a/0/0.r32f', 400, 'cx'], ['/worlds/caves/volumes/0/a/0.r32f', 400, 'cy'], ['/worlds/caves/volumes/0/0/a.r32f', 400, 'cz'],
  ['/worlds/caves/volumes/0/0/0.png', 404, 'format'], ['/worlds/caves/volumes/0/0/0', 404, 'format'],
  ['/worlds/caves/volumes/0/0/0.r32f?layer=densty', 404, 'layer'], ['/worlds/caves/volumes/0/0/34359738368.r32f', 404, 'cz'],
  ['/volumes/0/0/0.r32f?layer=density', 404, 'layer'],
  ['/worlds/tera', 404, 'world'], ['/worlds/tera/at?x=0&y=0', 404, 'world'], ['/worlds/tera/chunks/0/0.r32f', 404, 'world'],
  ['/worlds/terra@x/at?x=0&y=0', 400, 'world'], ['/worlds/terra~/at?x=0&y=0', 400, 'world'], ['/worlds/terra%40x/chunks/0/0.r32f', 400, 'world'],
  [`/worlds/terra@g1-${'0'.repeat(32)}/at?x=0&y=0`, 410, 'world'],
  ['/at?x=1&y=1&lon=1&lat=1', 400, 'lon'], ['/at?lon=0&lat=86', 400, 'lat'], ['/at?lon=180.5&lat=0', 400, 'lon'], ['/at?lon=0', 400, 'lat'],
  ['/objects?bbox=0,0,9,9&kind=oka', 404, 'kind'], ['/objects?bbox=-1e6,-1e6,1e6,1e6', 413, 'bbox'],
  ['/locate?biome=forst&x=0&y=0&radius=100', 404, 'biome'], ['/locate?x=0&y=0&radius=100', 400, 'biome'],
  ['/diff?a=tera&b=terra&bbox=0,0,9,9', 404, 'a'], ['/diff?b=tera&bbox=0,0,9,9', 404, 'b'],
  ['/verify?chunk=17179869184,0', 404, 'chunk'], ['/verify?chunk=0,0&layers=heigt', 404, 'layers'],
];
for (const { path, good, wrong, needs = [] } of routes) {
  const change = (name, values) => {
    const rest = good.split('&').filter((pair) => !pair.startsWith(`${name}=`));
    return `${path}?${[...rest, ...values.map((value) => `${name}=${value.replaceAll('+', '%2B')}`)].join('&')}`;
  };
  for (const [name, values] of Object.entries(wrong)) {
    for (const value of values) cases.push([change(name, [value]), 400, name]);
    cases.push([change(name, ['1', '1']), 400, name]);
  }
  for (const name of needs) cases.push([change(name, []), 400, name]);
  cases.push([`${path}?${good}&colour=blue`, 400, 'colour']);
  const [first] = Object.keys(wrong);
  cases.push([`${path}?${good}&${first}s=1`, 400, `${first}s`]);
}

/* [target, body, status, parameter] */
const chunk = { chunks: [[0, 0]] };
const bodies = [
  ['/chunks', '', 400, 'body'], ['/chunks', '[]', 400, 'body'], ['/chunks', '{', 400, 'body'], ['/chunks', {}, 400, 'chunks'],
  ['/chunks', { chunks: {} }, 400, 'chunks'], ['/chunks', { chunks: [0] }, 400, 'chunks'], ['/chunks', { chunks: [[1]] }, 400, 'chunks'],
  ['/chunks', { chunks: [[0, 0, 0]] }, 400, 'chunks'], ['/chunks', { chunks: [[0, 0.5]] }, 400, 'chunks'], ['/chunks', { chunks: [['0', 0]] }, 400, 'chunks'],
  ['/chunks', '{"chunks":[[0,-0]]}', 400, 'chunks'], ['/chunks', { ...chunk, size: 0 }, 400, 'size'], ['/chunks', { ...chunk, size: '64' }, 400, 'size'],
  ['/chunks', { ...chunk, step: 3 }, 400, 'step'], ['/chunks', { ...chunk, apron: 9 }, 400, 'apron'], ['/chunks', { ...chunk, t: 'now' }, 400, 't'],
  ['/chunks', { ...chunk, format: 'bin' }, 400, 'format'], ['/chunks', { ...chunk, format: 7 }, 400, 'format'],
  ['/chunks', { ...chunk, layers: 'height' }, 400, 'layers'], ['/chunks', { ...chunk, layers: [] }, 400, 'layers'],
  ['/chunks', { ...chunk, layers: [1] }, 400, 'layers'], ['/chunks', { ...chunk, layers: ['heigt'] }, 404, 'layers'],
  ['/chunks', { ...chunk, format: 'glb', layers: ['height', 'biome'] }, 400, 'layers'], ['/chunks', { ...chunk, chnks: 1 }, 400, 'chnks'],
  ['/chunks', { chunks: Array.from({ length: 257 }, () => [0, 0]) }, 413, 'chunks'],
  ['/chunks', { size: 1024, chunks: Array.from({ length: 4 }, () => [0, 0]) }, 413, 'size'],
  ['/heights', '', 400, 'body'], ['/heights', [], 400, 'body'], ['/heights', {}, 400, 'points'], ['/heights', { points: {} }, 400, 'points'],
  ['/heights', { points: [[0]] }, 400, 'points'], ['/heights', { points: [[0, 0, 0]] }, 400, 'points'], ['/heights', { points: [[0, 'a']] }, 400, 'points'],
  ['/heights', { points: [[0, 1e13]] }, 400, 'points'], ['/heights', { points: [], layer: 1 }, 400, 'layer'], ['/heights', { points: [], layer: 'hight' }, 404, 'layer'],
  ['/heights', { points: [], zoom: 21 }, 400, 'zoom'], ['/heights', { points: [], zoom: 1.5 }, 400, 'zoom'], ['/heights', { points: [], lod: 1 }, 400, 'lod'],
  ['/heights', { points: Array(10001).fill([0, 0]) }, 413, 'points'],
];

const worked = new Map();
/* Checks that the example works, once for each example. */
async function works(example, target) {
  const key = `${target} ${example}`;
  if (!worked.has(key)) {
    const answer = target ? await fetch(server.url + target, { method: 'POST', body: example }) : await fetch(server.url + example);
    worked.set(key, answer.status);
    await answer.arrayBuffer();
  }
  return worked.get(key);
}

async function check(answer, status, parameter, what, target) {
  const text = await answer.text();
  assert.equal(answer.status, status, `${what}: ${text}`);
  assert.equal(answer.headers.get('content-type'), 'application/problem+json', what);
  assert.equal(answer.headers.get('cache-control'), 'no-store', what);
  const problem = JSON.parse(text);
  assert.equal(problem.status, status, what);
  assert.equal(problem.parameter, parameter, `${what}: ${text}`);
  assert.ok(problem.example, `${what}: no example: ${text}`);
  assert.equal(await works(problem.example, target), 200, `${what}: ${problem.example}`);
}

const SHARES = 12;
for (let share = 0; share < SHARES; share++) {
  test(`refused with the parameter and an example that works (${share + 1} of ${SHARES})`, async () => {
    for (const [target, status, parameter] of cases.filter((_, i) => i % SHARES === share)) {
      await check(await fetch(server.url + target), status, parameter, target);
    }
  });
}

for (const [target, body, status, parameter] of bodies) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  test(`POST ${target} ${text.slice(0, 60)}: ${status}, ${parameter}`, async () => {
    await check(await fetch(server.url + target, { method: 'POST', body: text }), status, parameter, text.slice(0, 80), target);
  });
}

test('at least 400 requests and bodies are tested', (t) => {
  t.diagnostic(`${cases.length} requests and ${bodies.length} bodies`);
  assert.ok(cases.length + bodies.length >= 400);
});
