/* A few players for some seconds; `make players` has 200 for ten minutes. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { play } from './players.mjs';

test('players walk and edit through restarts, kills and reloads, and nothing is lost or wrong', { timeout: 60_000 }, async () => {
  const { edits, compared, received, retries, statuses, evicted } =
    await play({ players: 10, seconds: 6, tick: 50, stride: 48, compareEvery: 16, disturbances: 5 });
  assert.ok(edits > 20 && compared > 10 && received > 1000 && evicted > 0, JSON.stringify({ edits, compared, received, evicted }));
  assert.ok(retries > 0 && statuses[200] > 50, JSON.stringify({ retries, statuses }));
});
