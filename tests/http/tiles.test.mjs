/* Tiles over HTTP: pictures, entity tags, caching, pins. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PNG } from 'pngjs';
import { serverOfFile, startServer } from '../tools/server.mjs';
import { makeWorlds } from './worlds.mjs';
import { ask, get } from './raw.mjs';

const worlds = makeWorlds();
const server = serverOfFile({ arguments: ['--worlds', worlds.folder] });

const tile = (path, options) => fetch(server.url + path, options);
const bytes = async (response) => Buffer.from(await response.arrayBuffer());
const descriptor = async (world) => (await tile(`/worlds/${world}`)).json();

async function size(path) {
  const { width, height } = PNG.sync.read(await bytes(await tile(path)));
  return [width, height];
}

test('a tile is a PNG of 256 or 512 pixels', async () => {
  const response = await tile('/tiles/3/4/2.png');
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'image/png');
  assert.deepEqual(await size('/tiles/3/4/2.png'), [256, 256]);
  assert.deepEqual(await size('/tiles/3/4/2@2x.png'), [512, 512]);
  assert.deepEqual(await size('/tiles/3/4/2.png?size=512'), [512, 512]);
  assert.deepEqual(await size('/tiles/3/4/2@2x.png?size=512'), [512, 512]);
});

test('short paths give the same tiles as long ones', async () => {
  const long = await bytes(await tile('/worlds/terra/tiles/relief/3/4/2.png'));
  for (const short of ['/tiles/3/4/2.png', '/tiles/relief/3/4/2.png', '/tiles/3/4/2.png?world=terra&style=relief']) {
    assert.ok(long.equals(await bytes(await tile(short))), short);
  }
  const seeded = await bytes(await tile('/worlds/terra~%C3%A4/tiles/height/3/4/2.png'));
  assert.ok(seeded.equals(await bytes(await tile('/tiles/3/4/2.png?world=terra~%C3%A4&style=height'))));
  assert.ok(!seeded.equals(await bytes(await tile('/tiles/height/3/4/2.png'))));
});

test('tiles exist beyond the map, and any layer is a style', async () => {
  for (const path of ['/tiles/3/-5/-7.png', '/tiles/20/-1/2000000.png', '/tiles/0/32767/-32767.png', '/worlds/clock/tiles/tide/0/0/0.png']) {
    assert.equal((await tile(path)).status, 200, path);
  }
});

test('the second response comes from memory, and the first has its duration', async () => {
  const first = await tile('/tiles/relief/7/70/61.png');
  const second = await tile('/tiles/relief/7/70/61.png');
  assert.equal(first.headers.get('x-terrane-cache'), 'render');
  assert.match(first.headers.get('server-timing'), /^render;dur=\d+\.\d{3}, encode;dur=\d+\.\d{3}, queue;dur=\d+\.\d{3}$/);
  assert.equal(second.headers.get('x-terrane-cache'), 'memory');
  assert.equal(second.headers.get('server-timing'), null);
  assert.equal(first.headers.get('etag'), second.headers.get('etag'));
  assert.ok((await bytes(first)).equals(await bytes(second)));
});

test('16-bit grey is refused where a format cannot hold it', async () => {
  for (const extension of ['webp', 'ansi']) {
    const response = await tile(`/tiles/grey16/3/4/2.${extension}`);
    assert.equal(response.status, 404);
    const problem = await response.json();
    assert.equal(problem.detail, `the style "grey16" has 16 bits a pixel, which ${extension} cannot hold; `
      + 'its tiles are png, r32f, r16, json, mvt, txt');
    assert.equal(problem.allowed, 'png, r32f, r16, json, mvt, txt');
    assert.equal(problem.example, '/tiles/grey16/3/4/2.png');
    assert.equal((await tile(`/tiles/height/3/4/2.${extension}`)).status, 200);
  }
  for (const extension of ['png', 'r32f', 'r16', 'json', 'mvt', 'txt']) {
    assert.equal((await tile(`/tiles/grey16/3/4/2.${extension}`)).status, 200, extension);
  }
  const png = await bytes(await tile('/tiles/grey16/3/4/2.png'));
  assert.deepEqual([png[24], png[25]], [16, 0], 'IHDR: 16 bits, grey');
});

test('every response has the CORS and caching headers', async () => {
  const { headers } = await tile('/tiles/3/4/2.png');
  assert.equal(headers.get('access-control-allow-origin'), '*');
  assert.match(headers.get('access-control-expose-headers'), /\bETag\b/);
  assert.match(headers.get('access-control-expose-headers'), /\bX-Terrane-Cache\b/);
  assert.equal(headers.get('x-content-type-options'), 'nosniff');
  assert.equal(headers.get('cache-control'), 'no-cache');
  assert.match(headers.get('etag'), /^"[0-9a-f]{32}-[0-9a-f]+"$/);
  assert.equal(headers.get('last-modified'), null);
  assert.equal(headers.get('vary'), null);
});

test('a conditional request is answered 304 without rendering', async () => {
  const path = '/tiles/relief/8/140/122.png';
  const full = await tile(path);
  const etag = full.headers.get('etag');
  const length = full.headers.get('content-length');
  for (const condition of [etag, `W/${etag}`, '*', `"x", ${etag}`, `"a,b" , W/${etag},"c"`]) {
    const answer = await ask(server.port, get(path, `If-None-Match: ${condition}\r\n`));
    assert.equal(answer.status, 304, condition);
    assert.equal(answer.headers.etag, etag);
    assert.equal(answer.headers['cache-control'], 'no-cache');
    assert.equal(answer.headers['access-control-allow-origin'], '*');
    assert.ok([undefined, length].includes(answer.headers['content-length']), 'a wrong length');
    assert.equal(answer.rest.length, 0);
  }
  for (const condition of ['"x"', etag.slice(1, -1), `${etag}x`]) {
    assert.equal((await ask(server.port, get(path, `If-None-Match: ${condition}\r\n`))).status, 200, condition);
  }
});

test('a tile that was never rendered here is answered 304 too', async () => {
  const path = '/tiles/relief/9/281/245.png';
  const other = await startServer({ arguments: ['--worlds', worlds.folder] });
  try {
    const etag = (await tile(path)).headers.get('etag');
    const answer = await ask(other.port, get(path, `If-None-Match: ${etag}\r\n`));
    assert.equal(answer.status, 304);
    assert.equal(answer.headers.etag, etag);
    assert.equal(Number(answer.headers['content-length']), Number.parseInt(etag.slice(34, -1), 16));
    assert.equal(answer.headers['transfer-encoding'], undefined);
    assert.equal((await fetch(other.url + path)).headers.get('x-terrane-cache'), 'render');
  } finally {
    await other.stop();
  }
});

test('entity tags differ wherever pictures can differ', async () => {
  const paths = [
    '/tiles/relief/5/17/14.png', '/tiles/relief/5/17/15.png', '/tiles/relief/5/18/14.png', '/tiles/relief/6/17/14.png',
    '/tiles/relief/5/-17/14.png', '/tiles/relief/5/17/14@2x.png', '/tiles/terrarium/5/17/14.png',
    '/worlds/terra~1/tiles/relief/5/17/14.png', '/worlds/perlin/tiles/relief/5/17/14.png',
    '/worlds/clock/tiles/tide/5/17/14.png', '/worlds/clock/tiles/tide/5/17/14.png?t=1',
  ];
  const tags = await Promise.all(paths.map(async (path) => (await tile(path)).headers.get('etag')));
  assert.equal(new Set(tags).size, paths.length);
});

test('t does not change the entity tag of a picture without it', async () => {
  const still = await tile('/worlds/clock/tiles/height/5/17/14.png');
  const later = await tile('/worlds/clock/tiles/height/5/17/14.png?t=99');
  assert.equal(later.headers.get('etag'), still.headers.get('etag'));
  assert.equal(later.headers.get('x-terrane-cache'), 'memory');
  const pixel = async (query) => PNG.sync.read(await bytes(await tile(`/worlds/clock/tiles/tide/5/17/14.png${query}`))).data[0];
  assert.equal(await pixel(''), 0);
  assert.equal(await pixel('?t=100'), 255);
});

test('a pinned world is immutable, with or without a pinned style; an outdated pin gives 410', async () => {
  const { fingerprint, styles } = await descriptor('clock');
  const { name, fingerprint: stylePin } = styles.find((style) => style.name === 'own');
  const pinned = await tile(`/worlds/clock@${fingerprint}/tiles/${name}/4/8/8.png`);
  assert.equal(pinned.status, 200);
  assert.equal(pinned.headers.get('cache-control'), 'public, max-age=31536000, immutable');
  const styled = await tile(`/worlds/clock/tiles/${name}@${stylePin}/4/8/8.png`);
  assert.equal(styled.headers.get('cache-control'), 'no-cache');
  const both = await tile(`/worlds/clock@${fingerprint}/tiles/${name}@${stylePin}/4/8/8.png`);
  assert.equal(both.headers.get('cache-control'), 'public, max-age=31536000, immutable');
  assert.equal(both.headers.get('etag'), pinned.headers.get('etag'));
  const open = await tile(`/worlds/clock/tiles/${name}/4/8/8.png`);
  assert.equal(open.headers.get('cache-control'), 'no-cache');
  assert.equal(open.headers.get('etag'), pinned.headers.get('etag'));
  assert.equal((await tile(`/worlds/clock~2@${fingerprint}/tiles/${name}/4/8/8.png`)).status, 410);
  const conditional = await ask(server.port,
    get(`/worlds/clock@${fingerprint}/tiles/own@${stylePin}/4/8/8.png`, `If-None-Match: ${open.headers.get('etag')}\r\n`));
  assert.equal(conditional.status, 304);
  assert.equal(conditional.headers['cache-control'], 'public, max-age=31536000, immutable');
});

test('a layer is pinned like a style', async () => {
  const { fingerprint, layers } = await descriptor('clock');
  const pin = layers.find(({ name }) => name === 'tide').fingerprint;
  const path = (style) => `/worlds/clock@${fingerprint}/tiles/${style}/4/8/8.png`;
  assert.equal((await tile(path(`tide@${pin}`))).headers.get('cache-control'), 'public, max-age=31536000, immutable');
  assert.equal((await tile(path('tide'))).headers.get('cache-control'), 'public, max-age=31536000, immutable');
  assert.equal((await tile(path(`height@${pin}`))).status, 410);
});

test('an edited world or style gives 410 under its old pins and has new entity tags', async () => {
  const edited = makeWorlds();
  const before_ = await descriptor('clock');
  edited.edit('clock', (world) => {
    world.styles.own.paint[0].ramp.stops[1][1] = '#ff0';
  });
  const other = await startServer({ arguments: ['--worlds', edited.folder] });
  try {
    const style = before_.styles.find(({ name }) => name === 'own');
    const world = `/worlds/clock@${before_.fingerprint}`;
    assert.equal((await fetch(`${other.url}${world}/tiles/own@${style.fingerprint}/4/8/8.png`)).status, 410);
    const recoloured = await fetch(`${other.url}${world}/tiles/own/4/8/8.png`);
    assert.equal(recoloured.status, 200);
    assert.notEqual(recoloured.headers.get('etag'), (await tile(`${world}/tiles/own/4/8/8.png`)).headers.get('etag'));
    assert.equal((await fetch(`${other.url}${world}/tiles/height/4/8/8.png`)).headers.get('etag'),
      (await tile(`${world}/tiles/height/4/8/8.png`)).headers.get('etag'));
  } finally {
    await other.stop();
    edited.remove();
  }
});

test('HEAD has the headers of GET and no body', async () => {
  const line = get('/tiles/3/4/2.png').replace('GET', 'HEAD');
  const answer = await ask(server.port, line, 'HEAD');
  const full = await tile('/tiles/3/4/2.png');
  assert.equal(answer.status, 200);
  assert.equal(answer.headers['content-length'], full.headers.get('content-length'));
  assert.equal(answer.headers.etag, full.headers.get('etag'));
  assert.equal(answer.rest.length, 0);
});

test('a server without a cache gives the same responses', async () => {
  const other = await startServer({ arguments: ['--worlds', worlds.folder, '--cache-memory', '0'] });
  try {
    for (let i = 0; i < 2; i++) {
      const response = await fetch(`${other.url}/tiles/3/4/2.png`);
      assert.equal(response.headers.get('x-terrane-cache'), 'render');
      assert.ok((await bytes(response)).equals(await bytes(await tile('/tiles/3/4/2.png'))));
    }
  } finally {
    await other.stop();
  }
});
