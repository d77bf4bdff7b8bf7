/* How addresses name worlds: the marks "~" and "@", plain or percent-encoded, in paths and in
 * parameters. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serverOfFile } from '../tools/server.mjs';

const server = serverOfFile();

const ask = (target) => fetch(server.url + target);
const world = async (name) => {
  const answer = await ask(`/worlds/${name}`);
  assert.equal(answer.status, 200, name);
  return answer.json();
};

test('"%7E" and "%40" in a path mean "~" and "@"', async () => {
  const { fingerprint, name, seed } = await world('terra~42');
  assert.deepEqual([name, seed], ['terra', '42']);
  for (const text of ['terra%7E42', 'terra%7e42', `terra~42@${fingerprint}`, `terra%7E42%40${fingerprint}`, `terra~42%40${fingerprint}`,
    'te%72ra~4%32']) {
    assert.equal((await world(text)).fingerprint, fingerprint, text);
  }
  const pinned = await ask(`/worlds/terra%7E42%40${fingerprint}/at?x=0&y=0`);
  assert.match(pinned.headers.get('cache-control'), /immutable/);
  assert.equal((await ask(`/worlds/terra%7E43%40${fingerprint}/at?x=0&y=0`)).status, 410);
});

test('"%7E" and "%40" in ?world= mean "~" and "@", as URLSearchParams writes them', async () => {
  const { fingerprint } = await world('terra~42');
  const expected = Buffer.from(await (await ask('/worlds/terra~42/tiles/relief/6/30/31.png')).arrayBuffer());
  const first = Buffer.from(await (await ask('/tiles/6/30/31.png')).arrayBuffer());
  assert.ok(!first.equals(expected));
  for (const name of ['terra~42', `terra~42@${fingerprint}`]) {
    const written = new URLSearchParams({ world: name });
    assert.match(String(written), /%7E/);
    for (const query of [String(written), `world=${name}`, `world=${encodeURIComponent(name)}`]) {
      const answer = await ask(`/tiles/6/30/31.png?${query}`);
      assert.equal(answer.status, 200, query);
      assert.ok(Buffer.from(await answer.arrayBuffer()).equals(expected), query);
    }
  }
});

test('"%40" marks the pin of a style', async () => {
  const { fingerprint, styles } = await world('terra');
  const relief = styles.find(({ name }) => name === 'relief');
  const style = `relief@${relief.fingerprint}`;
  for (const target of [`/worlds/terra@${fingerprint}/tiles/${style.replace('@', '%40')}/3/4/2.png`,
    `/tiles/3/4/2.png?${new URLSearchParams({ world: `terra@${fingerprint}`, style })}`]) {
    const answer = await ask(target);
    assert.equal(answer.status, 200, target);
    assert.match(answer.headers.get('cache-control'), /immutable/);
  }
  assert.equal((await ask('/tiles/3/4/2.png?style=relief%40s1-0123456789abcdef')).status, 410);
});

test('"%7E" and "%40" in /diff mean "~" and "@"', async () => {
  const area = 'bbox=0,0,90,90&samples=3';
  const { fingerprint } = await world('terra~2');
  const expected = await (await ask(`/diff?a=terra&b=terra~2&${area}`)).json();
  assert.equal(expected.b.fingerprint, fingerprint);
  for (const b of ['terra%7E2', `terra~2%40${fingerprint}`, `terra%7E2%40${fingerprint}`]) {
    assert.deepEqual(await (await ask(`/diff?a=terra&b=${b}&${area}`)).json(), expected, b);
  }
  const swapped = await (await ask(`/diff?a=terra%7E2&b=terra&${area}`)).json();
  assert.equal(swapped.a.fingerprint, fingerprint);
});

test('a seed may contain "~" and "@"', async () => {
  for (const [text, seed] of [['terra~a@b', 'a@b'], ['terra~a%40b', 'a@b'], ['terra~a~b', 'a~b'], ['terra%7Ea%7Eb', 'a~b'],
    ['terra~%40', null], ['terra~@x', '@x'], ['terra~a%2540b', 'a%40b'], ['terra~me@example.org', 'me@example.org']]) {
    if (seed === null) assert.equal((await ask(`/worlds/${text}`)).status, 400, text);
    else assert.equal((await world(text)).seed, seed, text);
  }
  const { urls, fingerprint } = await world('terra~a@g~1');
  const chunk = await ask(urls.chunk.replace(server.url, '').replace('{cx}', 0).replace('{cy}', 0).replace('{format}', 'r32f'));
  assert.equal(chunk.status, 200, urls.chunk);
  assert.equal(chunk.headers.get('x-terrane-world'), fingerprint);
});

test('an invalid seed or pin is named, encoded or not', async () => {
  for (const text of ['terra~', 'terra%7E', 'terra@', 'terra%40', 'terra@x', 'terra%40x', 'terra~1@g1-0', 'terra%7E1%40g1-0',
    `terra@g1-${'0'.repeat(33)}`, `terra@s1-${'0'.repeat(16)}`]) {
    for (const target of [`/worlds/${text}`, `/tiles/3/4/2.png?world=${text}`, `/diff?b=${text}&bbox=0,0,9,9`]) {
      const answer = await ask(target);
      const problem = await answer.json();
      assert.equal(answer.status, 400, target);
      assert.match(problem.detail, /behind "[~@]" stands/);
    }
  }
});

/* A client with an old pin learns of it, whatever else is wrong with its request. */
test('a wrong world is reported before the parameters of a query', async () => {
  const { fingerprint } = await (await fetch(`${server.url}/worlds/terra`)).json();
  const old = fingerprint.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'));
  for (const query of ['explain?x=q', 'stats?bbox=q', 'profile.svg?line=q', 'objects.geojson?bbox=q', 'locate?radius=q', 'sight?from=q', 'diff?bbox=q']) {
    assert.equal((await fetch(`${server.url}/worlds/nope/${query}`)).status, 404, query);
    assert.equal((await fetch(`${server.url}/worlds/terra@${old}/${query}`)).status, 410, query);
    assert.equal((await fetch(`${server.url}/worlds/terra/${query}`)).status, 400, query);
  }
  assert.equal((await fetch(`${server.url}/worlds/nope/at?x=q`)).status, 400);
});
