/* Edits on a pinned base: stored, read again, and checked after the world has changed. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { temporaryFolder } from '../tools/folder.mjs';
import { startServer } from '../tools/server.mjs';
import { Edits } from '../../server/clients/javascript/edits.js';
import { Terrane } from '../../server/clients/javascript/terrane.js';

/* A plain with a hill of 100 m at (200, 0), which the second version moves by `shift` metres. */
const world = (shift) => JSON.stringify({
  generator: 1, seed: 'edits', layers: { flat: '1', height: `y * 0.01 + 100 * smoothstep(64, 0, distance(${200 + shift}, 0))` } });

/* A daemon with this world as "plain". */
async function withWorld(run, words = []) {
  const folder = temporaryFolder({ 'plain.json': world(0) });
  const server = await startServer({ arguments: ['--worlds', folder.path, ...words] });
  try {
    await run({ server, change: async (shift) => {
      const { fingerprint: old } = await (await fetch(`${server.url}/worlds/plain`)).json();
      folder.write('plain.json', world(shift));
      process.kill(server.pid, 'SIGHUP');
      for (;;) {
        const { fingerprint } = await (await fetch(`${server.url}/worlds/plain`)).json();
        if (fingerprint !== old) return;
      }
    } });
  } finally {
    await server.stop();
  }
}
const clientOf = (server, name = 'plain') => new Terrane(server.url, { world: name, size: 16, step: 2, patience: 30000 });

test('edits are in all chunks that share the vertex, and nothing else changes', async () => {
  await withWorld(async ({ server }) => {
    const terrane = clientOf(server);
    const edits = await Edits.open(terrane);
    edits.set(64, -32, 7.25); /* the corner of four chunks */
    edits.set(70.9, -30, -3); /* next to column 35, row -15 */
    edits.set(66, -2, 1);
    edits.set(66, -2, null);
    const expected = { '1,-2': { 288: 7.25 }, '2,-2': { 272: 7.25 }, '1,-1': { 16: 7.25 }, '2,-1': { 0: 7.25, 20: -3 } };
    for (const cx of [0, 1, 2, 3]) for (const cy of [-3, -2, -1, 0]) {
      const [heights, { layers }] = [await edits.heights(cx, cy), await terrane.chunk(cx, cy)];
      const changed = Object.fromEntries([...heights].map((height, k) => [k, height]).filter(([k, height]) => height !== layers.height[k]));
      assert.deepEqual(changed, expected[`${cx},${cy}`] ?? {}, `${cx} ${cy}`);
    }
    assert.deepEqual(edits.places, [[2, -1]]);
  });
});

test('edits outlive their text, and stay on their base when the world changes', async () => {
  await withWorld(async ({ server, change }) => {
    const edits = await Edits.open(clientOf(server));
    edits.set(200, 0, 50); /* on the hill that goes away */
    edits.set(-500, 10, 5); /* on the plain, which stays */
    await edits.note();
    const again = await Edits.open(clientOf(server), edits.text());
    assert.equal(again.text(), edits.text());
    assert.deepEqual(await again.heights(6, 0), await edits.heights(6, 0));
    assert.deepEqual(await again.check(), []);
    await change(300);
    /* The old base is gone here; a fresh client is told so and does not edit other ground. */
    const late = await Edits.open(clientOf(server), edits.text());
    await assert.rejects(late.heights(6, 0), { status: 410 });
    assert.deepEqual(await again.check(clientOf(server)), [[6, 0]]);
    /* What it has in memory it keeps, and so can move. */
    const moved = await again.moveTo(clientOf(server));
    assert.match(moved.world, /^plain@g1-/);
    assert.notEqual(moved.world, again.world);
    const height = async (from, cx, cy, index) => (await from.heights(cx, cy))[index];
    assert.equal(await height(moved, 6, 0, 4), 50 - 100 + 0); /* 50 m below the hill's top, and so below the plain */
    assert.equal(await height(moved, -16, 0, 5 * 17 + 6), 5);
    const dropped = await again.moveTo(clientOf(server), () => null);
    assert.deepEqual(dropped.places, [[-16, 0]]);
  });
});

test('where the daemon keeps former versions, edits go on, and are taken to the present world', async () => {
  await withWorld(async ({ server, change }) => {
    const edits = await Edits.open(clientOf(server));
    edits.set(200, 0, 50);
    edits.set(-500, 10, 5);
    await edits.note();
    await change(300);
    const late = await Edits.open(clientOf(server), edits.text());
    assert.deepEqual(await late.check(), []);
    assert.deepEqual(await late.check(clientOf(server)), [[6, 0]]);
    assert.equal((await late.heights(6, 0))[4], 50);
    const moved = await late.moveTo(clientOf(server));
    assert.equal((await moved.heights(6, 0))[4], -50);
    assert.deepEqual([await moved.check(), moved.places], [[], [[6, 0], [-16, 0]]]);
  }, ['--keep-worlds', '1']);
});

test('the example of the page for games', async () => {
  const page = readFileSync(new URL('../../server/http/GAMES.md', import.meta.url), 'utf8');
  const [, example] = /```js\n(const edits = [\s\S]*?)```/.exec(page);
  await withWorld(async ({ server }) => {
    const AsyncFunction = (async () => {}).constructor;
    const run = new AsyncFunction('Edits', 'Terrane', 'url', 'savedText', 'save', `${example}; return { heights, changed, moved };`);
    let text = null;
    const { heights, changed, moved } = await run(Edits, Terrane, server.url, null, (saved) => { text = saved; });
    assert.ok(heights.includes(41.25));
    assert.deepEqual([changed, moved.text()], [[], text]);
    assert.equal((await run(Edits, Terrane, server.url, text, () => {})).moved.text(), text);
  });
});

test('edits of other chunks are refused, and it is said what must be the same', async () => {
  await withWorld(async ({ server }) => {
    const edits = await Edits.open(clientOf(server));
    edits.set(200, 0, 50);
    await edits.note();
    for (const [other, loaded] of [[{ size: 32 }, /height in chunks of 32 steps of 2 m/], [{ step: 4 }, /height in chunks of 16 steps of 4 m/],
      [{ layers: ['flat', 'height'] }, /flat in chunks of 16 steps of 2 m/]]) {
      const client = new Terrane(server.url, { world: 'plain', size: 16, step: 2, ...other });
      const refused = ({ name, message }) => name === 'TerraneError' && loaded.test(message)
        && /^the edits are of height in chunks of 16 steps of 2 m, .*: it must have the same size, step and first layer$/.test(message);
      await assert.rejects(Edits.open(client, edits.text()), refused);
      await assert.rejects(edits.check(client), refused);
      await assert.rejects(edits.moveTo(client), refused);
    }
    const late = JSON.stringify({ ...JSON.parse(edits.text()), version: 2 });
    await assert.rejects(Edits.open(clientOf(server), late), { message: 'the edits have version 2; this program reads 1' });
  });
});

/* /digests are of all samples that a client loads. */
test('further layers, an apron and another format of a client change no edit', async () => {
  await withWorld(async ({ server }) => {
    const edits = await Edits.open(clientOf(server));
    edits.set(200, 0, 50);
    await edits.note();
    const rich = new Terrane(server.url, { world: 'plain', size: 16, step: 2, layers: ['height', 'flat'], apron: 1, format: 'r16z' });
    assert.deepEqual(await edits.check(rich), []);
    assert.equal((await Edits.open(rich, edits.text())).text(), edits.text());
    assert.equal((await edits.moveTo(rich)).text(), edits.text());
  });
});
