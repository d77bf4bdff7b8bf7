/* What a 404 says that was meant. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serverOfFile } from '../tools/server.mjs';
import { ask } from './raw.mjs';

const server = serverOfFile();
const get = (target) => ask(server.port, `GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
const refused = async (target) => {
  const { status, body } = await get(target);
  assert.equal(status, 404, target);
  return JSON.parse(body);
};

const near = {
  '/tile/3/4/2.png': '/tiles/3/4/2.png',
  '/worlds/perlin/tile/relief/3/4/2.png?size=512': '/worlds/perlin/tiles/relief/3/4/2.png?size=512',
  '/world/perlin': '/worlds/perlin',
  '/world/perlin/at?x=0&y=0': '/worlds/perlin/at?x=0&y=0',
  '/chunk/0/0.r32f': '/chunks/0/0.r32f',
  '/stat?bbox=0,0,9,9': '/stats?bbox=0,0,9,9',
  '/metric': '/metrics',
  /* Slashes. */
  '/worlds/': '/worlds',
  '/worlds/perlin/': '/worlds/perlin',
  '/tiles/3/4/2.png/': '/tiles/3/4/2.png',
  '/worlds/perlin//at/?x=0&y=0': '/worlds/perlin/at?x=0&y=0',
  '/worlds/perlin~%C3%A4/at/?x=0&y=0': '/worlds/perlin~%C3%A4/at?x=0&y=0',
  /* Extensions. */
  '/wms?SERVICE=WMTS': '/wmts?SERVICE=WMTS',
  '/worlds/perlin/wmt': '/worlds/perlin/wmts',
  '/gdal': '/gdal.xml',
  '/style': '/style.json',
  '/openapi.yaml': '/openapi.json',
  '/tiles': '/tiles.json',
  /* Other tile servers. */
  '/3/4/2.png': '/tiles/3/4/2.png',
  '/relief/3/4/-2.webp': '/tiles/relief/3/4/-2.webp',
};

for (const [target, meant] of Object.entries(near)) {
  test(`404 for ${target} names ${meant}`, async () => {
    const { detail, example } = await refused(target);
    assert.equal(example, meant);
    assert.equal(detail, `there is nothing at this path; did you mean "${meant}"?`);
    assert.equal((await get(meant)).status, 200);
  });
}

test('a 404 below the prefix of a proxy says that the proxy must leave it out', async () => {
  for (const target of ['/terrane/tiles/3/4/2.png', '/maps/of/nothing/tiles/3/4/2.png', '//tiles/3/4/2.png']) {
    const { detail, example } = await refused(target);
    assert.equal(example, '/tiles/3/4/2.png');
    assert.match(detail, /did you mean "\/tiles\/3\/4\/2\.png"\? A proxy must leave out its own prefix and the slash behind it\.$/);
  }
  assert.equal((await refused('//')).example, '/');
});

test('a tile in a format that there is not is named in one that there is', async () => {
  for (const [target, meant] of [['/tiles/3/4/2.jpg', '/tiles/3/4/2.png'], ['/tiles/relief/3/4/2.jpeg?size=512', '/tiles/relief/3/4/2.png?size=512'],
    ['/worlds/perlin/tiles/relief/3/4/2@2x.wepb', '/worlds/perlin/tiles/relief/3/4/2@2x.webp'], ['/tiles/relief/3/4/2', '/tiles/relief/3/4/2.png'],
    ['/tiles/3/4/2.png.gz', '/tiles/3/4/2.png'], ['/tiles/3/4/2.r16f', '/tiles/3/4/2.r16'], ['/tiles/relief', '/tiles/relief.json'], ['/tiles/relief.xml?pretty=1', '/tiles/relief.json?pretty=1']]) {
    assert.equal((await refused(target)).example, meant);
    assert.equal((await get(meant)).status, 200);
  }
});

test('a path that is near to none gets the guide', async () => {
  for (const target of ['/favicon.ico', '/x', '/nothing/at/all', '/nothing/3/4/2.png', '/a/b/c', `/${'a'.repeat(500)}`, `/${'a/'.repeat(12)}a`, '/%E2%82%AC/%E2%82%AC', '/viewer']) {
    const { detail, example } = await refused(target);
    assert.match(detail, /"GET \/" tells what there is/);
    assert.equal(example, undefined);
  }
});

test('a path that is too long for an example is named in the text alone', async () => {
  const seed = 'a'.repeat(150);
  const { detail, example } = await refused(`/worlds/perlin~${seed}/at/?x=0&y=0`);
  assert.ok(detail.includes(`/worlds/perlin~${seed}/at?x=0`), detail);
  assert.equal(example, undefined);
});

test('a search that finds nothing names its radius and a larger one', async () => {
  const json = async (target) => JSON.parse((await get(target)).body);
  for (const [query, radius, larger] of [['locate?min_height=8000', 1000, 10000], ['locate?min_height=8000', 16777215, 16777216],
    ['locate?min_height=8000', 16777216, undefined], ['locate?min_height=-8000', 1000, undefined], ['spawn?detail=grid', 1000, undefined]]) {
    const at = `/worlds/perlin/${query}&x=0&y=0&radius=${radius}`;
    const found = await json(at);
    assert.equal(found.radius, radius);
    assert.equal(found.larger_radius, larger, at);
    const text = (await get(`${at}&format=text`)).body.toString();
    assert.equal(/^larger_radius\t(\d+)\tm$/m.exec(text)?.[1], larger?.toString());
    if (!found.found) assert.match(text, new RegExp(`^radius\t${radius}\tm$`, 'm'));
  }
});
