/* --profile game: other defaults, and a server that refuses none of a hundred players who log in at once. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { succeed } from '../cli/terrane.mjs';
import { temporaryFolder } from '../tools/folder.mjs';
import { startServer } from '../tools/server.mjs';

const config = (words, options) => JSON.parse(succeed(['serve', '--print-config', '--json', ...words], options));

test('the profile has the defaults of the manual, and what is given wins', () => {
  const manual = readFileSync(new URL('../../server/http/GAMES.md', import.meta.url), 'utf8');
  const rows = [...manual.matchAll(/^\| `(\w+)` \| (\S+) \| (\S+) \|/gm)];
  assert.ok(rows.length >= 6);
  const [map, game] = [config([]), config(['--profile', 'game'])];
  assert.deepEqual(config(['--profile', 'map']).queue, map.queue);
  for (const [, key, ofMap, ofGame] of rows) {
    assert.deepEqual([String(map[key].value), map[key].origin], [ofMap, 'default'], key);
    assert.deepEqual([String(game[key].value), game[key].origin], [ofGame, 'profile game'], key);
  }
  const differing = Object.keys(map).filter((key) => JSON.stringify(map[key].value) !== JSON.stringify(game[key].value));
  assert.deepEqual(differing.sort(), [...rows.map(([, key]) => key), 'profile'].sort());
  const file = temporaryFolder({ 'terrane.json': { profile: 'game', queue: 100, deadline: null } }).file('terrane.json');
  const mixed = config(['--config', file, '--render-priority', 'idle'], { env: { TERRANE_NETWORK_MEMORY: '64M' } });
  assert.deepEqual(['queue', 'render_priority', 'network_memory', 'deadline'].map((key) => mixed[key].value), [100, 'idle', '64M', game.deadline.value]);
});

/* What all players get: { statuses, records: of chunks in batches }, each with how often. */
async function logIn(server, players, chunksOf) {
  const statuses = {};
  const records = {};
  await Promise.all(Array.from({ length: players }, async (_, player) => {
    for (const chunks of chunksOf(player)) {
      const body = JSON.stringify({ format: 'r16z', size: 64, chunks });
      const response = await fetch(`${server.url}/chunks`, { method: 'POST', body });
      statuses[response.status] = (statuses[response.status] ?? 0) + 1;
      const bytes = Buffer.from(await response.arrayBuffer());
      if (response.status !== 200) continue;
      for (let at = 0; at < bytes.length; at += 32 + bytes.readUInt32LE(at + 24)) {
        const status = bytes.readUInt16LE(at + 6);
        records[status] = (records[status] ?? 0) + 1;
      }
    }
  }));
  return { statuses, records };
}
const square = (cx, cy) => Array.from({ length: 25 }, (_, k) => [cx + k % 5, cy + Math.floor(k / 5)]);

test('a hundred players who log in at once are all served', { timeout: 120_000 }, async () => {
  const server = await startServer({ arguments: ['--profile', 'game'] });
  try {
    const batches = (player) => [square(-85_000 + 8 * (player % 10), -196_000 + 8 * Math.floor(player / 10))];
    assert.deepEqual(await logIn(server, 100, batches), { statuses: { 200: 100 }, records: { 200: 2500 } });
  } finally {
    assert.equal(await server.stop(), 0);
  }
});

test('64 players behind one address are not told that they are too many', { timeout: 120_000 }, async () => {
  const server = await startServer({ arguments: ['--profile', 'game', '--client-loopback', '1'] });
  try {
    const batches = (player) => [0, 1, 2, 3].map((step) => square(100 * player + step, 3).slice(0, 5));
    assert.deepEqual(await logIn(server, 64, batches), { statuses: { 200: 256 }, records: { 200: 1280 } });
  } finally {
    assert.equal(await server.stop(), 0);
  }
});
