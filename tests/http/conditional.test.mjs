/* 304 without rendering, with the right length, on a connection that stays open. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serverOfFile } from '../tools/server.mjs';
import { Connection, ask, get } from './raw.mjs';

/* One server that renders, and one that has never rendered anything. */
const server = serverOfFile();
const other = serverOfFile();

const targets = [
  '/chunks/9/7.r32f', '/chunks/9/7.r16z?size=16', '/chunks/9/7.json?size=4', '/chunks/9/7.png', '/chunks/9/7.glb?size=8',
  '/worlds/caves/volumes/0/0/0.r8?size=8', '/tiles/relief/9/281/246.png', '/tiles/relief/9/281/246.r32f', '/tiles/contour/9/281/246.mvt',
  '/at?x=5&y=7', '/at?x=5&y=7&format=text', '/profile?line=0,0;90,0&samples=64', '/objects.geojson?bbox=0,0,50,50',
  '/stats?bbox=0,0,90,90&samples=16', '/verify?chunk=0,0&size=4',
];

for (const target of targets) {
  for (const coding of ['identity', 'gzip', 'zstd']) {
    test(`${target} in ${coding}: 304 has the right length, and the connection stays open`, async () => {
      const accept = `Accept-Encoding: ${coding}\r\n`;
      const full = await ask(server.port, get(target, accept));
      assert.equal(full.status, 200);
      const { etag } = full.headers;
      assert.equal(Number.parseInt(/^"[0-9a-f]{32}-([0-9a-f]+)"$/.exec(etag)[1], 16), full.body.length);
      const connection = new Connection(other.port);
      try {
        for (const condition of [etag, `W/${etag}`, `"x", ${etag}`]) {
          connection.send(get(target, `${accept}If-None-Match: ${condition}\r\n`));
          const answer = await connection.answer();
          assert.equal(answer.status, 304);
          assert.equal(answer.headers.etag, etag);
          assert.equal(Number(answer.headers['content-length']), full.body.length);
          assert.equal(answer.headers['cache-control'], full.headers['cache-control']);
          assert.equal(answer.headers.vary, full.headers.vary);
          assert.equal(answer.headers.connection, undefined);
          assert.equal(answer.headers['transfer-encoding'], undefined);
          assert.equal(answer.headers['server-timing'], undefined, 'it was made');
          assert.equal(answer.rest.length, 0);
        }
        connection.send(get(target, accept));
        const again = await connection.answer();
        assert.equal(again.status, 200);
        assert.ok(again.body.equals(full.body));
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
  const { etag } = (await ask(server.port, get(targets[0]))).headers;
  const hash = etag.slice(0, 33);
  for (const condition of ['"x"', etag.slice(1, -1), `${hash}"`, `${hash}-"`, `${hash}-0x1"`, `${hash}-1 2"`, `${hash}-${'f'.repeat(11)}"`,
    '"-4204"', etag.replace(/[0-9]/, (digit) => (Number(digit) + 1) % 10)]) {
    assert.equal((await ask(other.port, get(targets[0], `If-None-Match: ${condition}\r\n`))).status, 200, condition);
  }
});
