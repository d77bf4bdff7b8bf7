/* What caches are told: the content codings of every kind of response, with the same bytes in each under entity tags
 * of their own, and 304 without rendering. RFC 9110: 8.4, 8.8.3, 12.5.3, 13.1.2, 15.4.5; RFC 8878 for zstd. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serverOfFile } from '../tools/server.mjs';
import { FORMATS, server, worlds } from './chunks.mjs';
import { Connection, ask, decode, get } from './raw.mjs';

const SHORT = 1024; /* bytes: shorter documents and query outputs are not compressed */

/* A second server, for what the first has rendered and this one has not. */
const other = serverOfFile({ arguments: ['--worlds', worlds.folder] });

const line = '-3000,200;9000,4000';
const box = '-2000,-2000,2000,2000';

/* Documents and query outputs: compressed if they are long enough. */
const texts = [
  '/', '/version', '/worlds', '/worlds?pretty=1', '/worlds/terra', '/worlds/clock', '/tiles.json', '/tiles/terrarium.json?pretty=1',
  '/tiles.json?format=mvt', '/style.json', '/wmts.xml', '/gdal.xml?style=relief',
  '/at?x=10&y=20', '/at?x=10&y=20&pretty=1', '/at?x=10&y=20&format=text',
  `/profile?line=${line}`, `/profile?line=${line}&format=text`, `/profile.svg?line=${line}`,
  `/stats?bbox=${box}`, `/stats?bbox=${box}&format=text`, '/objects?bbox=-500,-500,500,500', '/objects.geojson?bbox=-500,-500,500,500',
  '/locate?min_height=10&x=0&y=0', '/spawn?x=0&y=0', '/sight?from=0,0,900&to=2000,0,900', '/explain?x=0&y=0', '/explain?x=0&y=0&format=text',
  `/diff?a=terra&b=terra~2&bbox=${box}&samples=16`,
];

/* Tiles and chunks: compressed by format, whatever the length. */
const always = ['r16', 'json', 'mvt', 'txt', 'ansi'].map((format) => `/tiles/relief/9/260/255.${format}`)
  .concat(['r32f', 'r16', 'json', 'asc', 'tif', 'glb'].map((format) => `/chunks/3/-2.${format}?size=16`))
  .concat(['r32f', 'r8', 'json'].map((format) => `/volumes/0/0/0.${format}?size=8&layer=height`));
const never = ['/tiles/relief/9/260/255.png', '/tiles/relief/9/260/255.webp', '/tiles/relief/9/260/255@2x.png',
  '/chunks/3/-2.png', '/chunks/3/-2.r16z', '/chunks/4/4.png?size=64&step=16', '/chunks/4/4.r16z?size=64&step=16'];

const fetchAs = (target, coding, more = '') =>
  ask(server.port, get(target, `Accept-Encoding: ${coding}\r\n${more}`));

/* The responses of a target by requested coding; `expected` is the coding that each must have. */
async function compare(target, expected) {
  const plain = await fetchAs(target, 'identity');
  assert.equal(plain.status, 200, `${target}: ${plain.body}`);
  assert.equal(plain.headers['content-encoding'], undefined, target);
  for (const asked of ['gzip', 'zstd']) {
    const coding = expected(asked, plain.body.length);
    const answer = await fetchAs(target, asked);
    assert.equal(answer.status, 200, target);
    assert.equal(answer.headers['content-encoding'], coding, target);
    assert.equal(Number(answer.headers['content-length']), answer.body.length);
    assert.ok(decode(coding, answer.body).equals(plain.body), `${target} by ${asked}`);
    if (coding) assert.ok(answer.body.length < plain.body.length, `${target} by ${asked}`);
    for (const name of ['content-type', 'vary', 'cache-control']) {
      assert.equal(answer.headers[name], plain.headers[name], `${target}: ${name}`);
    }
    if (coding) assert.notEqual(answer.headers.etag, plain.headers.etag, target);
  }
  return plain;
}

/* Each coding gives 304 for its own entity tag only, with the headers that caches use. */
async function revalidate(target) {
  const tags = new Map();
  for (const asked of ['identity', 'gzip', 'zstd']) {
    const full = await fetchAs(target, asked);
    assert.match(full.headers.etag, /^"[0-9a-f]{32}(-[0-9a-f]+)?"$/, target);
    const again = await fetchAs(target, asked, `If-None-Match: ${full.headers.etag}\r\n`);
    assert.equal(again.status, 304, `${target} by ${asked}`);
    assert.equal(again.rest.length, 0);
    for (const name of ['etag', 'vary', 'cache-control']) {
      assert.equal(again.headers[name], full.headers[name], `${target} by ${asked}: ${name}`);
    }
    tags.set(full.headers.etag, full.headers['content-encoding']);
  }
  for (const asked of ['identity', 'gzip', 'zstd']) {
    const { headers } = await fetchAs(target, asked);
    for (const [tag, coding] of tags) {
      if (tag === headers.etag) continue;
      const answer = await fetchAs(target, asked, `If-None-Match: ${tag}\r\n`);
      assert.equal(answer.status, 200, `${target} by ${asked}, a tag of ${coding}`);
    }
  }
}

test('documents and query outputs decode to the same bytes in every coding', async () => {
  let packed = 0;
  let short = 0;
  for (const target of texts) {
    const plain = await compare(target, (asked, length) => (length < SHORT ? undefined : asked));
    assert.match(plain.headers.vary, /\bAccept-Encoding\b/, target);
    if (plain.body.length < SHORT) short += 1;
    else packed += 1;
  }
  assert.ok(packed >= 10 && short >= 5, `${packed} are packed, ${short} are short`);
});

test('documents and query outputs give 304 in every coding', async () => {
  for (const target of texts) await revalidate(target);
});

test('tiles, chunks and volumes decode to the same bytes and give 304 in every coding', async () => {
  for (const target of always) {
    const plain = await compare(target, (asked) => asked);
    assert.equal(plain.headers.vary, 'Accept-Encoding', target);
    await revalidate(target);
  }
});

test('tiles of floats are offered in zstd only', async () => {
  const target = '/tiles/height/9/260/255.r32f';
  const plain = await compare(target, (asked) => (asked === 'zstd' ? 'zstd' : undefined));
  assert.equal(plain.headers.vary, 'Accept-Encoding');
  await revalidate(target);
  const both = await fetchAs(target, 'gzip, zstd;q=0.1');
  assert.equal(both.headers['content-encoding'], 'zstd');
  assert.ok(both.body.length < 0.95 * plain.body.length);
});

test('compressed formats are never compressed again', async () => {
  for (const target of never) {
    const plain = await compare(target, () => undefined);
    assert.equal(plain.headers.vary, undefined, target);
    assert.equal((await fetchAs(target, 'zstd, identity;q=0')).headers['content-encoding'], undefined);
  }
});

test('compression saves bytes', async () => {
  for (const [target, share] of [['/worlds/terra', 0.35], ['/wmts.xml', 0.25], ['/explain?x=0&y=0', 0.5], ['/chunks/9/-31.r32f', 0.9],
    ['/tiles/relief/9/260/255.json', 0.6], ['/tiles/contour/9/260/255.mvt', 0.9], [`/profile.svg?line=${line}`, 0.7],
    ...['r32f', 'r16', 'json', 'asc', 'tif', 'glb'].map((format) => [`/chunks/4/4.${format}?size=64&step=16`, 0.9]),
    ...['r16', 'json', 'mvt', 'txt', 'ansi'].map((format) => [`/tiles/relief/10/520/511.${format}`, 1])]) {
    const plain = await compare(target, (asked) => asked);
    for (const coding of ['gzip', 'zstd']) {
      const { length } = (await fetchAs(target, coding)).body;
      assert.ok(length < share * plain.body.length, `${target}: ${length} of ${plain.body.length} by ${coding}`);
    }
  }
});

test('a short response is compressed for a client that refuses identity', async () => {
  for (const target of ['/version', '/gdal.xml?style=relief', '/spawn?x=0&y=0']) {
    const plain = await fetchAs(target, 'identity');
    for (const coding of ['gzip', 'zstd']) {
      const answer = await fetchAs(target, `${coding}, identity;q=0`);
      assert.equal(answer.headers['content-encoding'], coding);
      assert.ok(decode(coding, answer.body).equals(plain.body), target);
    }
    assert.equal((await fetchAs(target, '*;q=0')).headers['content-encoding'], undefined);
  }
});

const post = (target, body, coding) => ask(server.port,
  `POST ${target} HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: ${coding}\r\nContent-Length: ${body.length}\r\n\r\n${body}`);

test('responses to POST are compressed, without entity tags', async () => {
  const points = Array.from({ length: 500 }, (_, i) => [37 * i, -11 * i]);
  const chunks = [[0, 0], [1, 0], [0, 1], [5, 5]];
  for (const [target, body, short] of [['/heights', { points }, false], ['/heights', { points: [[1, 2]] }, true],
    ['/chunks', { size: 16, chunks }, false], ['/chunks', { format: 'json', size: 8, chunks }, false]]) {
    const plain = await post(target, JSON.stringify(body), 'identity');
    assert.equal(plain.status, 200, String(plain.body));
    for (const coding of ['gzip', 'zstd']) {
      const answer = await post(target, JSON.stringify(body), coding);
      assert.equal(answer.headers['content-encoding'], short ? undefined : coding);
      assert.ok(decode(answer.headers['content-encoding'], answer.body).equals(plain.body), target);
      assert.match(answer.headers.vary, /^Accept-Encoding$/);
      assert.equal(answer.headers.etag, undefined);
    }
  }
  const pictures = await post('/chunks', JSON.stringify({ format: 'png', chunks }), 'zstd, gzip');
  assert.equal(pictures.headers['content-encoding'], undefined);
});

test('errors are never compressed', async () => {
  for (const target of ['/at?x=big&y=0', '/nowhere', '/tiles/relief/9/a/b.json', '/chunks/0/0.r32f?size=0']) {
    const answer = await fetchAs(target, 'zstd, gzip, identity;q=0');
    assert.ok(answer.status >= 400);
    assert.equal(answer.headers['content-encoding'], undefined);
    assert.doesNotThrow(() => JSON.parse(answer.body));
  }
});

test('several Accept-Encoding lines are one list, and HEAD has the headers of GET', async () => {
  const { headers } = await ask(server.port, get('/worlds/terra', 'Accept-Encoding: gzip;q=0.5\r\nAccept-Encoding: zstd;q=0.7\r\n'));
  assert.equal(headers['content-encoding'], 'zstd');
  const other = await ask(server.port, get('/worlds/terra', 'Accept-Encoding: gzip\r\nAccept-Encoding: zstd;q=0.7\r\n'));
  assert.equal(other.headers['content-encoding'], 'gzip');
  for (const target of ['/worlds/terra', '/explain?x=0&y=0', '/chunks/1/1.r32f', '/tiles/relief/9/260/255.json']) {
    for (const coding of ['gzip', 'zstd']) {
      const full = await fetchAs(target, coding);
      const head = await ask(server.port, get(target, `Accept-Encoding: ${coding}\r\n`).replace('GET', 'HEAD'), 'HEAD');
      for (const name of ['etag', 'vary', 'content-type', 'content-encoding', 'content-length']) {
        assert.equal(head.headers[name], full.headers[name], `${target}: ${name}`);
      }
    }
  }
});

test('pinned responses are immutable in every coding', async () => {
  const { fingerprint } = JSON.parse((await fetchAs('/worlds/terra', 'identity')).body);
  for (const target of ['explain?x=0&y=0', 'chunks/1/1.r32f', 'tiles/relief/9/260/255.json', 'at?x=0&y=0']) {
    for (const coding of ['identity', 'gzip', 'zstd']) {
      const { headers } = await fetchAs(`/worlds/terra@${fingerprint}/${target}`, coding);
      assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
      assert.equal(headers.vary, 'Accept-Encoding');
    }
  }
});

test('the viewer\'s files are compressed, each coding with its own entity tag', async () => {
  const page = await fetchAs('/viewer/index.html', 'identity');
  const files = [...page.body.toString().matchAll(/(?:src|href)="(viewer\/[^"]+)"/g)].map(([, file]) => `/${file}`);
  assert.ok(files.length >= 2);
  for (const file of ['/viewer/index.html', ...files]) {
    const plain = await fetchAs(file, 'identity');
    const tags = new Set([plain.headers.etag]);
    for (const coding of ['gzip', 'zstd']) {
      const packed = await fetchAs(file, coding);
      assert.match(packed.headers.vary, /Accept-Encoding/);
      assert.ok(decode(packed.headers['content-encoding'], packed.body).equals(plain.body), file);
      assert.equal(packed.headers['content-type'], plain.headers['content-type']);
      if (plain.body.length > 2000) {
        assert.equal(packed.headers['content-encoding'], coding);
        assert.ok(packed.body.length < plain.body.length * 0.6, file);
        tags.add(packed.headers.etag);
        const again = await ask(server.port, get(file, `Accept-Encoding: ${coding}\r\nIf-None-Match: ${packed.headers.etag}\r\n`));
        assert.equal(again.status, 304);
      }
    }
    assert.equal(tags.size, plain.body.length > 2000 ? 3 : tags.size, file);
  }
});

const types = {
  png: 'image/png',
  webp: 'image/webp',
  r32f: 'application/octet-stream',
  r16: 'application/octet-stream',
  json: 'application/json',
  mvt: 'application/vnd.mapbox-vector-tile',
  txt: 'text/plain; charset=utf-8',
  ansi: 'text/plain; charset=utf-8',
  tif: 'image/tiff',
  npy: 'application/x-npy',
  terrain: 'application/vnd.quantized-mesh',
};
const formats = Object.keys(types);
const compressed = ['r32f', 'r16', 'json', 'mvt', 'txt', 'ansi', 'tif', 'npy', 'terrain'];
const packs = (format, coding) => coding === 'zstd' ? compressed.includes(format) :
  coding === 'gzip' && compressed.includes(format) && !['r32f', 'tif', 'npy'].includes(format);

test('every format has its content type, its own entity tag and a 304', async () => {
  const tags = new Set();
  for (const format of formats) {
    for (const coding of ['identity', 'gzip', 'zstd']) {
      const packed = packs(format, coding);
      const path = `/tiles/relief/6/33/30.${format}`;
      const encoding = `Accept-Encoding: ${coding}\r\n`;
      const full = await ask(server.port, get(path, encoding));
      assert.equal(full.status, 200);
      assert.equal(full.headers['content-type'], types[format]);
      assert.equal(full.headers.vary, !compressed.includes(format) ? undefined :
        format === 'terrain' ? 'Accept-Encoding, Accept' : 'Accept-Encoding');
      assert.equal(full.headers['content-encoding'], packed ? coding : undefined);
      assert.match(full.headers.etag, /^"[0-9a-f]{32}-[0-9a-f]+"$/);
      tags.add(full.headers.etag);
      const again = await ask(server.port, get(path, `${encoding}If-None-Match: ${full.headers.etag}\r\n`));
      assert.equal(again.status, 304);
      for (const name of ['etag', 'vary', 'cache-control']) {
        assert.equal(again.headers[name], full.headers[name], `${format}: ${name}`);
      }
      assert.equal(again.rest.length, 0);
      const head = await ask(server.port, get(path, encoding).replace('GET', 'HEAD'), 'HEAD');
      assert.equal(head.status, 200);
      for (const name of ['etag', 'vary', 'content-type', 'content-encoding', 'content-length']) {
        assert.equal(head.headers[name], full.headers[name], `${format}: ${name}`);
      }
      assert.equal(head.rest.length, 0);
    }
  }
  assert.equal(tags.size, formats.length + 2 * compressed.length - 3);
});

/* Accept-Encoding and the coding of the response (RFC 9110, 12.5.3). */
const codings = [
  [null], [''], ['identity'], ['gzip', 'gzip'], ['GZIP', 'gzip'], ['x-gzip', 'gzip'], ['zstd', 'zstd'],
  ['*', 'zstd'], ['gzip;q=0'], ['gzip;q=0.000'], ['gzip; q=0'], ['gzip;q=0.001', 'gzip'],
  ['*;q=0'], ['zstd;q=0, *', 'gzip'], ['*, zstd;q=0', 'gzip'], ['*;q=0, gzip', 'gzip'],
  ['br'], ['br, deflate;q=0.5'], ['deflate, gzip;q=1.0, *;q=0.5', 'gzip'],
  ['gzip, deflate, br, zstd', 'zstd'], ['gzip, zstd;q=0.9', 'gzip'], ['gzipped'],
];
for (const [value, coding] of codings) {
  test(`Accept-Encoding ${value ?? '(none)'}: ${coding ?? 'identity'}`, async () => {
    const line = value === null ? '' : `Accept-Encoding: ${value}\r\n`;
    const { headers, body } = await ask(server.port, get('/tiles/height/4/7/9.r16', line));
    assert.equal(headers['content-encoding'], coding);
    assert.equal(headers.vary, 'Accept-Encoding');
    assert.equal(decode(coding, body).length, 2 * 256 * 256);
    const picture = await ask(server.port, get('/tiles/height/4/7/9.png', line));
    assert.equal(picture.headers['content-encoding'], undefined);
    assert.equal(picture.headers.vary, undefined);
  });
}

/* 304 without rendering, with the right length, on a connection that stays open. */
const targets = [
  '/chunks/9/7.r32f', '/chunks/9/7.r16z?size=16', '/chunks/9/7.json?size=4', '/chunks/9/7.png', '/chunks/9/7.glb?size=8',
  '/worlds/caves/volumes/0/0/0.r8?size=8', '/tiles/relief/9/281/246.png', '/tiles/relief/9/281/246.r32f', '/tiles/contour/9/281/246.mvt',
  '/at?x=5&y=7', '/at?x=5&y=7&format=text', '/profile?line=0,0;90,0&samples=64', '/objects.geojson?bbox=0,0,50,50',
  '/stats?bbox=0,0,90,90&samples=16', '/verify?chunk=0,0&size=4',
  ...FORMATS.map((format) => `/chunks/77/-5.${format}`),
  '/tiles/relief/8/140/122.png', '/tiles/relief/9/281/245.png', '/tiles/relief/8/131/120.json',
];

for (const target of targets) {
  for (const coding of ['identity', 'gzip', 'zstd']) {
    test(`${target} in ${coding}: 304 has the right length, and the connection stays open`, async () => {
      const accept = `Accept-Encoding: ${coding}\r\n`;
      const full = await ask(server.port, get(target, accept));
      assert.equal(full.status, 200);
      assert.equal(full.headers['cache-control'], 'no-cache');
      const { etag } = full.headers;
      assert.equal(Number.parseInt(/^"[0-9a-f]{32}-([0-9a-f]+)"$/.exec(etag)[1], 16), full.body.length);
      const connection = new Connection(other.port);
      try {
        for (const condition of [etag, `W/${etag}`, `"x", ${etag}`, `"a,b" , W/${etag},"c"`]) {
          connection.send(get(target, `${accept}If-None-Match: ${condition}\r\n`));
          const answer = await connection.answer();
          assert.equal(answer.status, 304);
          assert.equal(answer.headers.etag, etag);
          assert.equal(Number(answer.headers['content-length']), full.body.length);
          assert.equal(answer.headers['cache-control'], full.headers['cache-control']);
          assert.equal(answer.headers.vary, full.headers.vary);
          assert.equal(answer.headers['access-control-allow-origin'], '*');
          assert.equal(answer.headers.connection, undefined);
          assert.equal(answer.headers['transfer-encoding'], undefined);
          assert.equal(answer.headers['server-timing'], undefined, 'it was made');
          assert.equal(answer.rest.length, 0);
        }
        connection.send(get(target, accept));
        const again = await connection.answer();
        assert.equal(again.status, 200);
        assert.ok(again.body.equals(full.body));
        if (coding === 'identity') assert.equal(again.headers['x-terrane-cache'], full.headers['x-terrane-cache'], 'it was rendered');
        connection.send(get(target, `${accept}If-None-Match: *\r\n`));
        const any = await connection.answer();
        assert.equal(any.status, 304);
        assert.equal(any.headers.etag, etag);
        assert.equal(Number(any.headers['content-length']), full.body.length);
      } finally {
        connection.destroy();
      }
    });
  }
}

test('an entity tag of another response or with a malformed length does not match', async () => {
  for (const target of ['/chunks/9/7.r32f', '/tiles/relief/8/140/122.png']) {
    const { etag } = (await ask(server.port, get(target))).headers;
    const hash = etag.slice(0, 33);
    for (const condition of ['"x"', etag.slice(1, -1), `${hash}"`, `${hash}-"`, `${hash}-0x1"`, `${hash}-1 2"`, `${hash}-${'f'.repeat(11)}"`,
      `${etag}x`, '"-4204"', etag.replace(/[0-9]/, (digit) => (Number(digit) + 1) % 10)]) {
      assert.equal((await ask(other.port, get(target, `If-None-Match: ${condition}\r\n`))).status, 200, condition);
    }
  }
});
