/* Documents, point queries and other responses that are not tiles. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serverOfFile, startServer } from '../tools/server.mjs';
import { makeWorlds } from './worlds.mjs';
import { ask, get } from './raw.mjs';

const worlds = makeWorlds();
const server = serverOfFile({ arguments: ['--worlds', worlds.folder] });

const load = (path, options) => fetch(server.url + path, options);
const json = async (path, options) => (await load(path, options)).json();
const heights = async (body, path = '/heights') =>
  (await json(path, { method: 'POST', body: JSON.stringify(body) })).heights;

test('the list of worlds and the descriptor of a world', async () => {
  const list = await json('/worlds');
  assert.equal(list.default, 'terra');
  assert.deepEqual(list.worlds.map(({ name }) => name).sort(), ['archipelago', 'canyons', 'caves', 'clock', 'clouds',
    'dunes', 'fire', 'fog', 'highlands', 'marble', 'perlin', 'slow', 'terra', 'wood']);
  const clock = await json('/worlds/clock');
  assert.equal(clock.name, 'clock');
  assert.equal(clock.title, 'Clock');
  assert.equal(clock.description, 'For tests');
  assert.equal(clock.attribution, 'Nobody');
  assert.equal(clock.seed, 'tick');
  assert.equal(clock.generator, 1);
  assert.match(clock.fingerprint, /^g1-[0-9a-f]{32}$/);
  assert.equal(clock.fingerprint, list.worlds.find(({ name }) => name === 'clock').fingerprint);
  assert.deepEqual(clock.layers.map(({ name, unit, range }) => ({ name, unit, range })), [
    { name: 'height', unit: 'm', range: [-200, 200] },
    { name: 'tide', unit: '', range: [0, 100] },
  ]);
  assert.equal(clock.layers[1].formula, 't');
  assert.deepEqual(clock.biomes, []);
  assert.ok(clock.styles.some(({ name, title }) => name === 'own' && title === 'Own'));
  assert.equal(clock.limits.maxzoom, 20);
  const terra = await json('/worlds/terra');
  assert.ok(terra.biomes.length > 1);
  for (const { color } of terra.biomes) assert.match(color, /^#[0-9a-f]{6}$/);
});

test('the addresses in a descriptor work, pinned and with a seed', async () => {
  for (const name of ['clock', 'clock~%C3%A4%40~', 'terra~42']) {
    const { styles, layers, urls, seed, fingerprint } = await json(`/worlds/${name}`);
    if (name.includes('%')) assert.equal(seed, 'ä@~');
    for (const { tiles } of styles.slice(0, 2)) {
      const response = await load(tiles.replace('{z}', 3).replace('{x}', 4).replace('{y}', 2));
      assert.equal(response.status, 200, tiles);
      assert.match(response.headers.get('cache-control'), /immutable/);
    }
    for (const entry of [styles[0], layers[0]]) {
      const values = { style: entry.name, fingerprint: entry.fingerprint, z: 3, x: 4, y: 2 };
      const response = await load(urls.tiles.replace(/\{(\w+)\}/g, (_, key) => values[key]));
      assert.equal(response.status, 200, entry.name);
      assert.match(response.headers.get('cache-control'), /immutable/);
    }
    assert.equal((await json(urls.at.replace('{x}', 0).replace('{y}', 0))).fingerprint, fingerprint);
    assert.equal((await json(urls.tilejson.replace('{style}', 'height'))).tilejson, '3.0.0');
    assert.equal((await heights({ points: [[0, 0]] }, urls.heights)).length, 1);
  }
});

test('TileJSON, in both forms', async () => {
  const document = await json('/tiles.json');
  const { fingerprint, styles } = await json('/worlds/terra');
  const pin = styles.find(({ name }) => name === 'relief').fingerprint;
  assert.equal(document.tilejson, '3.0.0');
  assert.deepEqual(document.tiles,
    [`${server.url}/worlds/terra@${fingerprint}/tiles/relief@${pin}/{z}/{x}/{y}.png`]);
  assert.equal(document.minzoom, 0);
  assert.equal(document.maxzoom, 20);
  assert.equal(document.tileSize, 256);
  assert.equal(document.scheme, 'xyz');
  assert.equal(document.encoding, undefined);
  assert.deepEqual(document.bounds, [-180, -85.0511287798066, 180, 85.0511287798066]);
  assert.equal(document.center.length, 3);
  assert.deepEqual(await json('/tiles/relief.json'), document);
  assert.deepEqual(await json('/worlds/terra/tiles.json'), document);
  assert.deepEqual(await json('/worlds/terra/tiles/relief.json'), document);
  assert.equal((await json('/tiles/terrarium.json')).encoding, 'terrarium');
  const large = await json('/tiles/relief.json?size=512');
  assert.equal(large.tileSize, 512);
  assert.match(large.tiles[0], /\/\{y\}@2x\.png$/);
  assert.equal((await json('/worlds/clock/tiles/own.json')).attribution, 'Nobody');
  assert.equal((await load('/tiles/relif.json')).status, 404);
  assert.equal((await load('/tiles/relief')).status, 404);
});

test('absolute URLs are built from trusted hosts only', async () => {
  const tiles = async (port, host) => {
    const { status, body } = await ask(port, `GET /tiles.json HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    return status === 200 ? JSON.parse(body).tiles[0].split('/worlds/')[0] : status;
  };
  assert.equal(await tiles(server.port, 'localhost:1234'), 'http://localhost:1234');
  assert.equal(await tiles(server.port, '[::1]:1234'), 'http://[::1]:1234');
  assert.equal(await tiles(server.port, 'evil.example'), 421);
  assert.equal(await tiles(server.port, '127.0.0.1.evil.example'), 421);
  const allowing = await startServer({ arguments: ['--allowed-hosts', 'maps.example'] });
  const fixed = await startServer({ arguments: ['--public-url', 'https://maps.example/terrane/'] });
  try {
    assert.equal(await tiles(allowing.port, 'maps.example'), 'http://maps.example');
    assert.equal(await tiles(allowing.port, 'MAPS.example:81'), 'http://MAPS.example:81');
    assert.equal(await tiles(allowing.port, 'evil.example'), 421);
    assert.equal(await tiles(fixed.port, 'evil.example'), 'https://maps.example/terrane');
  } finally {
    await allowing.stop();
    await fixed.stop();
  }
});

test('documents are revalidated by their content', async () => {
  for (const path of ['/worlds', '/worlds/clock', '/tiles.json', '/version', '/at?x=0&y=0']) {
    const response = await load(path, { headers: { 'Accept-Encoding': 'identity' } });
    const length = (await response.arrayBuffer()).byteLength;
    const etag = response.headers.get('etag');
    assert.equal(response.headers.get('cache-control'), 'no-cache', path);
    assert.equal(response.headers.get('content-type'), 'application/json');
    const host = `127.0.0.1:${server.port}`;
    const again = await ask(server.port, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nIf-None-Match: ${etag}\r\n\r\n`);
    assert.equal(again.status, 304, path);
    assert.equal(again.headers.etag, etag);
    assert.equal(again.headers['content-length'], String(length), path);
  }
});

test('JSON is compact and ends in a newline; pretty=1 indents', async () => {
  const compact = await (await load('/worlds/clock')).text();
  const pretty = await (await load('/worlds/clock?pretty=1')).text();
  assert.equal(compact, `${JSON.stringify(JSON.parse(compact))}\n`);
  assert.ok(pretty.startsWith('{\n  "'));
  assert.deepEqual(JSON.parse(pretty), JSON.parse(compact));
});

test('/at describes a place', async () => {
  const answer = await json('/worlds/clock/at?x=1000.5&y=-250');
  assert.equal(answer.world, 'clock');
  assert.equal(answer.seed, 'tick');
  assert.equal(answer.x, 1000.5);
  assert.equal(answer.y, -250);
  assert.equal(answer.layers.height, answer.height);
  assert.equal(answer.layers.tide, 0);
  assert.equal((await json('/worlds/clock/at?x=0&y=0&t=12.5')).layers.tide, 12.5);
  assert.deepEqual(await heights({ points: [[1000.5, -250]] }, '/worlds/clock/heights'), [answer.height]);
  const text = await load('/worlds/clock/at?x=1000.5&y=-250&format=text');
  assert.equal(text.headers.get('content-type'), 'text/plain; charset=utf-8');
  assert.match(await text.text(), /^x\t1000\.5\tm$/m);
});

/* 90 degrees are a quarter of the 2^25 m that the map is wide; 41° 52′… see the unit test. */
test('degrees are Web Mercator', async () => {
  const { x, y } = await json('/at?lon=-90&lat=0');
  assert.deepEqual([x, y], [-8388608, 0]);
  const berlin = await json('/at?lon=13.405&lat=52.52&zoom=9');
  assert.ok(Math.abs(berlin.x - 1249436.558) < 0.001);
  assert.ok(Math.abs(berlin.y + 5772866.858) < 0.001);
  /* The slippy map's own tile numbers for Berlin, from the OpenStreetMap wiki's formula. */
  assert.deepEqual(berlin.tile, { z: 9, x: 275, y: 167 });
});

test('the entity tag of /at depends on its parameters', async () => {
  const tag = async (path) => (await load(path)).headers.get('etag');
  const plain = await tag('/worlds/clock/at?x=1&y=2');
  assert.match(plain, /^"[0-9a-f]{32}-[0-9a-f]+"$/);
  for (const same of ['x=1&y=2', 'y=2.000&x=1e0', 'x=1&y=2&z=0&t=-0&pretty=0&format=json']) {
    assert.equal(await tag(`/worlds/clock/at?${same}`), plain, same);
  }
  const { fingerprint } = await json('/worlds/clock');
  const pinned = await load(`/worlds/clock@${fingerprint}/at?x=1&y=2`);
  assert.equal(pinned.headers.get('etag'), plain);
  assert.equal(pinned.headers.get('cache-control'), 'public, max-age=31536000, immutable');
  const others = ['clock/at?x=2&y=1', 'clock/at?x=1&y=2.0001', 'clock/at?x=1&y=2&z=1', 'clock/at?x=1&y=2&t=1',
    'clock/at?x=1&y=2&zoom=17', 'clock/at?x=1&y=2&zoom=0', 'clock/at?x=1&y=2&pretty=1',
    'clock/at?x=1&y=2&format=text', 'clock~2/at?x=1&y=2', 'terra/at?x=1&y=2'];
  const tags = await Promise.all(others.map((path) => tag(`/worlds/${path}`)));
  assert.equal(new Set([plain, ...tags]).size, others.length + 1);
});

test('an edited unit changes the entity tag, but not the fingerprint', async () => {
  const edited = makeWorlds();
  edited.edit('clock', (world) => {
    world.layers.height.unit = 'feet';
  });
  const other = await startServer({ arguments: ['--worlds', edited.folder] });
  try {
    const path = '/worlds/clock/at?x=1&y=2&format=text';
    const [before_, after_] = await Promise.all([load(path), fetch(other.url + path)]);
    assert.equal((await (await fetch(`${other.url}/worlds/clock`)).json()).fingerprint, (await json('/worlds/clock')).fingerprint);
    assert.notEqual(await after_.text(), await before_.text());
    assert.notEqual(after_.headers.get('etag'), before_.headers.get('etag'));
  } finally {
    await other.stop();
    edited.remove();
  }
});

test('heights of many points, at a level of detail, of another layer', async () => {
  const points = Array.from({ length: 10000 }, (_, i) => [i * 17.25, -i]);
  const all = await heights({ points });
  assert.equal(all.length, 10000);
  assert.equal(all[1234], (await json('/at?x=21286.5&y=-1234')).height);
  const coarse = await json('/at?x=100&y=100&zoom=5');
  assert.deepEqual(await heights({ points: [[100, 100]], zoom: 5 }), [coarse.height]);
  assert.deepEqual(await heights({ points: [[1, 2], [3, 4]], layer: 'tide' }, '/worlds/clock/heights'), [0, 0]);
  assert.deepEqual(await heights({ points: [] }), []);
  const response = await load('/heights', { method: 'POST', body: '{"points":[[0,0]]}' });
  assert.equal(response.headers.get('cache-control'), 'no-store');
  assert.equal(response.headers.get('access-control-allow-origin'), '*');
});

test('a coordinate keeps all its digits', async () => {
  /* 2^39 + 1/65536 m has more digits than a double. */
  const x = '549755813888.0000152587890625';
  const text = await (await load(`/at?x=${x}&y=0`)).text();
  assert.match(text, new RegExp(`"x":${x.replace('.', '\\.')},`));
});

test('a request body may be chunked or announced by Expect', async () => {
  const head = 'POST /heights HTTP/1.1\r\nHost: a\r\n';
  const chunked = await ask(server.port,
    `${head}Transfer-Encoding: chunked\r\n\r\n8\r\n{"points\r\n9\r\n":[[0,0]]\r\n1\r\n}\r\n0\r\n\r\n`);
  assert.equal(chunked.status, 200);
  const large = JSON.stringify({ points: Array(9000).fill([0.123456, 1]) });
  const response = await load('/heights', { method: 'POST', body: large });
  assert.equal((await response.json()).heights.length, 9000);
});

test('the state of the server', async () => {
  assert.equal(await (await load('/livez')).text(), 'alive\n');
  assert.equal(await (await load('/readyz')).text(), 'ready\n');
  const version = await json('/version');
  assert.equal(version.name, 'terrane');
  assert.match(version.version, /^\d+\.\d+\.\d+/);
  assert.equal((await load('/readyz')).headers.get('cache-control'), 'no-store');
});

test('/ is the page for browsers and a guide for other clients', async () => {
  const page = await load('/', { headers: { Accept: 'text/html,*/*;q=0.8' } });
  assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
  assert.match(page.headers.get('vary'), /\bAccept\b/);
  assert.equal(page.headers.get('content-security-policy'),
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
  const html = await page.text();
  for (const [, file] of html.matchAll(/(?:src|href)="(viewer\/[^"]+)"/g)) {
    const response = await load(`/${file}`);
    assert.equal(response.status, 200, file);
    const type = file.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8';
    assert.equal(response.headers.get('content-type'), type);
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
    const etag = response.headers.get('etag');
    assert.equal((await load(`/${file}`, { headers: { 'If-None-Match': etag } })).status, 304);
  }
  const guide = await load('/', { headers: { Accept: '*/*' } });
  assert.equal(guide.headers.get('content-type'), 'text/plain; charset=utf-8');
  assert.match(guide.headers.get('vary'), /\bAccept\b/);
  const text = await guide.text();
  const addresses = [...text.matchAll(/curl '(http[^']+)'/g)].map(([, address]) => address);
  assert.ok(addresses.length >= 4);
  for (const address of addresses) assert.equal((await fetch(address)).status, 200, address);
});

test('OPTIONS works on every route without rendering', async () => {
  const reads = 'GET, HEAD, OPTIONS';
  for (const [path, allow] of [['/', reads], ['/worlds', reads], ['/tiles/3/4/2.png', reads], ['/at', reads],
    ['/worlds/nobody/tiles/nothing/3/4/2.png', reads], ['/heights', 'POST, OPTIONS']]) {
    const response = await load(path, {
      method: 'OPTIONS',
      headers: { Origin: 'https://example.com', 'Access-Control-Request-Method': 'POST' },
    });
    assert.equal(response.status, 204, path);
    assert.equal(response.headers.get('allow'), allow);
    assert.equal(response.headers.get('access-control-allow-methods'), allow);
    assert.equal(response.headers.get('access-control-allow-origin'), '*');
    assert.match(response.headers.get('access-control-allow-headers'), /Content-Type/);
    assert.ok(Number(response.headers.get('access-control-max-age')) > 0);
    assert.equal(response.headers.get('content-length'), null);
  }
  const all = await ask(server.port, 'OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n');
  assert.equal(all.status, 204);
  const refused = await load('/livez', { method: 'PUT' });
  assert.equal(refused.status, 405);
  assert.equal(refused.headers.get('allow'), reads);
});

test('an HTTP/1.0 request is answered and its connection closed', async () => {
  const answer = await ask(server.port, 'GET /livez HTTP/1.0\r\n\r\n');
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.connection, 'close');
  const absolute = await ask(server.port, get('http://localhost/livez'));
  assert.equal(absolute.status, 200);
});
