/* Common properties of all queries: entity tags, output forms, addresses, errors, limits. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { counts } from './busy.mjs';
import { answer, load, server, text } from './queries.mjs';

const asked = [
  '/profile?line=0,0;100,0', '/profile.svg?line=0,0;100,0', '/stats?bbox=0,0,10,10&samples=4', '/objects?bbox=0,0,20,20',
  '/objects.geojson?bbox=0,0,20,20', '/locate?biome=land&x=0&y=0', '/spawn?x=0&y=0', '/sight?from=0,0,1&to=9,0,1',
  '/explain?x=0&y=0',
];

for (const path of asked) {
  test(`cache headers and output forms of ${path}`, async () => {
    const plain = await load(`/worlds/plane${path}`);
    assert.equal(plain.status, 200);
    assert.equal(plain.headers.get('cache-control'), 'no-cache');
    assert.equal(plain.headers.get('access-control-allow-origin'), '*');
    const etag = plain.headers.get('etag');
    assert.match(etag, /^"[0-9a-f]{32}-[0-9a-f]+"$/);
    const body = await plain.text();
    const again = await load(`/worlds/plane${path}`, { headers: { 'If-None-Match': etag } });
    assert.equal(again.status, 304);
    const { fingerprint } = await answer('');
    const pinned = await load(`/worlds/plane@${fingerprint}${path}`);
    assert.match(pinned.headers.get('cache-control'), /immutable/);
    assert.equal(await pinned.text(), body);
    assert.equal((await load(`/worlds/plane@g1-${'0'.repeat(32)}${path}`)).status, 410);
    assert.notEqual((await load(`/worlds/plane~8${path}`)).headers.get('etag'), etag);
    if (!path.includes('.svg')) {
      const pretty = await load(`/worlds/plane${path}&pretty=1`);
      assert.notEqual(pretty.headers.get('etag'), etag);
      const indented = await pretty.text();
      assert.ok(indented.split('\n').length > 3);
      assert.deepEqual(JSON.parse(indented), JSON.parse(body));
    }
    const head = await load(`/worlds/plane${path}`, { method: 'HEAD' });
    assert.equal(head.status, 200);
    assert.equal(head.headers.get('etag'), etag);
    assert.equal((await load(`/worlds/plane${path}`, { method: 'POST', body: '{}' })).status, 405);
  });
}

test('the descriptor lists the objects and has working addresses', async () => {
  const { objects, urls, limits } = await answer('');
  assert.deepEqual(objects, [
    { name: 'post', title: 'post', color: '#123456', radius: 1, density: '1', spacing: 10, min_distance: 0, max_slope: 90 },
    { name: 'none', title: 'none', color: objects[1].color, radius: objects[1].radius, density: '0', spacing: 5, min_distance: 0, max_slope: 90 },
  ]);
  assert.equal(limits.objects, 10000);
  const values = { x: 1, y: 2, x0: 0, y0: 0, x1: 30, y1: 40, h0: 2, h1: 3, height: 1 };
  for (const name of ['profile', 'stats', 'objects', 'locate', 'spawn', 'sight', 'explain']) {
    const response = await load(urls[name].replace(/\{(\w+)\}/g, (_, key) => values[key]));
    assert.equal(response.status, 200, urls[name]);
    assert.match(response.headers.get('cache-control'), /immutable/);
  }
});

/* path, status, parameter, a part of the detail */
const numbers = ['', 'a', '0x10', 'inf', 'nan', '1e', '1.', '.5', '+1', ' 1', '1%20', '1,5', '--1', '01'];
const bad = [
  ['/profile', 400, 'line', 'is missing'],
  ['/profile?line=0,0', 400, 'line', 'at least two places'],
  ['/profile?line=0,0;0,0', 400, 'line', 'not the same'],
  ['/profile?line=0,0;', 400, 'line', 'x,y'],
  ['/profile?line=;', 400, 'line', 'x,y'],
  ['/profile?line=0,0;1,2,3', 400, 'line', 'x,y'],
  ['/profile?line=0,0;1e13,0', 400, 'line', ''],
  [`/profile?line=${Array.from({ length: 65 }, (_, i) => `${i},0`).join(';')}`, 400, 'line', 'more than 64'],
  ['/profile?line=0,0;9,9&samples=1', 400, 'samples', 'from 2 to 4096, not "1"'],
  ['/profile?line=0,0;9,9&samples=4097', 400, 'samples', '4097'],
  ['/profile?line=0,0;9,9&samples=9.5', 400, 'samples', '9.5'],
  ['/profile?line=0,0;9,9&sample=9', 400, 'sample', 'did you mean "samples"'],
  ['/profile?line=0,0;9,9&format=svg', 400, 'format', 'json or text'],
  ['/profile?line=0,0;9,9&pretty=yes', 400, 'pretty', '1 or 0'],
  ['/profile?line=0,0;9,9&line=0,0;8,8', 400, 'line', 'more than once'],
  ['/profile.svg?line=0,0;9,9&format=text', 400, 'format', 'unknown parameter'],
  ['/profile.svg?line=x', 400, 'line', 'x,y'],
  ['/stats', 400, 'bbox', 'is missing'],
  ['/stats?bbox=0,0,1', 400, 'bbox', 'x0,y0,x1,y1'],
  ['/stats?bbox=0,0,1,1,1', 400, 'bbox', ''],
  ['/stats?bbox=1,0,0,1', 400, 'bbox', 'less than'],
  ['/stats?bbox=0,1,1,0', 400, 'bbox', 'less than'],
  ['/stats?bbox=0,0,0,1', 400, 'bbox', 'less than'],
  ['/stats?bbox=0,0,2e12,1', 400, 'bbox', ''],
  ['/stats?bbox=0,0,1,1&samples=0', 400, 'samples', 'from 1 to 1024'],
  ['/stats?bbox=0,0,1,1&samples=1025', 400, 'samples', ''],
  ['/stats?bbox=0,0,1,1&kind=a', 400, 'kind', 'unknown parameter'],
  ['/objects', 400, 'bbox', 'is missing'],
  ['/objects?bbox=0,0,1', 400, 'bbox', ''],
  ['/objects?bbox=0,0,9,9&kind=posd', 404, 'kind', 'did you mean "post"'],
  ['/objects?bbox=0,0,9,9&kind=', 404, 'kind', 'unknown kind'],
  ['/objects.geojson?bbox=16777210,0,16777217,9', 400, 'bbox', '16777216'],
  ['/objects.geojson?bbox=0,-2e7,9,9', 400, 'bbox', '16777216'],
  ['/locate', 400, 'biome', 'neither'],
  ['/locate?biome=sea', 400, 'x', 'is missing'],
  ['/locate?biome=sea&x=0', 400, 'y', 'is missing'],
  ['/locate?biome=sea&lon=0', 400, 'lat', 'is missing'],
  ['/locate?biome=sea&x=0&y=0&lat=0', 400, 'lon', 'not both'],
  ['/locate?biome=sea&min_height=1&x=0&y=0', 400, 'min_height', 'not both'],
  ['/locate?biome=see&x=0&y=0', 404, 'biome', 'did you mean "sea"'],
  ['/locate?biome=&x=0&y=0', 404, 'biome', 'unknown biome'],
  ['/locate?min_height=2e6&x=0&y=0', 400, 'min_height', '1000000'],
  ['/locate?min_height=1&x=0&y=0&radius=0', 400, 'radius', 'from 1 to 16777216'],
  ['/locate?min_height=1&x=0&y=0&radius=16777217', 400, 'radius', ''],
  ['/locate?min_height=1&x=0&y=0&radius=-5', 400, 'radius', ''],
  ['/locate?min_height=1&lon=181&lat=0', 400, 'lon', '180'],
  ['/locate?min_height=1&lon=0&lat=90', 400, 'lat', '85.05'],
  ['/spawn', 400, 'x', 'is missing'],
  ['/spawn?x=0&y=0&radius=0.5', 400, 'radius', ''],
  ['/spawn?x=0&y=0&biome=sea', 400, 'biome', 'unknown parameter'],
  ['/sight', 400, 'from', 'is missing'],
  ['/sight?from=0,0,1', 400, 'to', 'is missing'],
  ['/sight?from=0,0&to=1,1,1', 400, 'from', 'x,y,height'],
  ['/sight?from=0,0,1&to=1,1,1,1', 400, 'to', 'x,y,height'],
  ['/sight?from=0,0,1e7&to=1,1,1', 400, 'from', '1000000'],
  ['/sight?from=0,0,h&to=1,1,1', 400, 'from', 'the height'],
  ['/diff', 400, 'b', 'is missing'],
  ['/diff?a=plane&bbox=0,0,9,9', 400, 'b', 'is missing'],
  ['/diff?b=cone', 400, 'bbox', 'is missing'],
  ['/diff?b=cone&bbox=9,0,0,9', 400, 'bbox', 'less than'],
  ['/diff?b=cone&bbox=0,0,9,9&samples=2000', 400, 'samples', 'from 1 to 1024'],
  ['/diff?b=coen&bbox=0,0,9,9', 404, 'b', 'did you mean "cone"'],
  ['/diff?a=plan&b=cone&bbox=0,0,9,9', 404, 'a', 'did you mean "plane"'],
  ['/explain', 400, 'x', 'is missing'],
  ['/explain?x=0&y=0&zoom=21', 400, 'zoom', 'from 0 to 20'],
  ['/explain?x=0&y=0&zoom=-1', 400, 'zoom', ''],
  ['/explain?x=0&y=0&t=x', 400, 't', ''],
  ['/explain?x=0&y=0&z=1e13', 400, 'z', ''],
  ...numbers.flatMap((number) => [
    [`/profile?line=0,0;${number},9`, 400, 'line', ''],
    [`/stats?bbox=0,0,9,${number}`, 400, 'bbox', ''],
    [`/objects?bbox=${number},0,9,9`, 400, 'bbox', ''],
    [`/spawn?x=${number}&y=0`, 400, 'x', ''],
    [`/locate?min_height=${number}&x=0&y=0`, 400, 'min_height', ''],
    [`/locate?biome=sea&x=0&y=0&radius=${number}`, 400, 'radius', ''],
    [`/sight?from=0,0,1&to=0,${number},1`, 400, 'to', ''],
    [`/sight?from=0,0,${number}&to=0,0,1`, 400, 'from', ''],
    [`/explain?x=0&y=${number}`, 400, 'y', ''],
    [`/explain?x=0&y=0&zoom=${number}`, 400, 'zoom', ''],
    [`/profile?line=0,0;9,9&samples=${number}`, 400, 'samples', ''],
  ]),
].filter(([path]) => !path.includes(' '));

test(`${bad.length} bad queries are refused, and the examples in the errors work`, async () => {
  assert.ok(bad.length >= 200);
  const examples = new Set();
  for (const [path, status, parameter, part] of bad) {
    const response = await load(`/worlds/plane${path}`);
    const problem = await response.json();
    assert.equal(response.status, status, path);
    assert.equal(response.headers.get('content-type'), 'application/problem+json');
    assert.equal(response.headers.get('cache-control'), 'no-store');
    assert.equal(problem.status, status);
    assert.equal(problem.parameter, parameter, path);
    assert.ok(problem.detail.includes(part), `${path}: ${problem.detail}`);
    assert.ok(problem.allowed || status === 404 || /more than once/.test(problem.detail), path);
    examples.add(problem.example);
  }
  assert.ok(examples.size >= 8);
  for (const example of examples) assert.equal((await load(example)).status, 200, example);
});

test('a query above the limits is refused before any work', async () => {
  const made = async () => (await counts(server))('renders_total', { kind: 'question' });
  const before_ = await made();
  for (const [path, world] of [['/stats?bbox=0,0,9,9&samples=1024', 'dear'], ['/stats?bbox=0,0,9,9&samples=1024', 'terra'],
    ['/diff?b=dear&bbox=0,0,9,9&samples=1024', 'terra']]) {
    const response = await load(`/worlds/${world}${path}`);
    assert.equal(response.status, 413);
    assert.match((await response.json()).detail, /at most \d+/);
  }
  assert.equal(await made(), before_);
});

test('queries work at the edges of the world', async () => {
  const edge = 2 ** 40;
  assert.equal((await answer(`/profile?line=-${edge},0;${edge},0&samples=3`)).heights[1], 0);
  assert.equal((await answer(`/stats?bbox=-${edge},-${edge},${edge},${edge}&samples=2`)).land, 0.5);
  assert.equal((await answer(`/locate?biome=land&x=${edge}&y=-${edge}&radius=16777216`)).distance, 0);
  assert.equal((await answer(`/sight?from=${edge},0,1&to=-${edge},0,1`)).complete, false);
  assert.equal((await load(`/worlds/plane/objects?bbox=${edge - 20},0,${edge},20`)).status, 200);
});
