/* A few players for some seconds; `make players` has 200 for ten minutes. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { play } from './players.mjs';

/* They do less on a busy machine, and then play longer. */
const played = ({ edits, compared, received, retries, statuses, evicted }) =>
  edits > 20 && compared > 10 && received > 1000 && evicted > 0 && retries > 0 && statuses[200] > 50;

test('players walk and edit through restarts, kills and reloads, and nothing is lost or wrong', { timeout: 120_000 }, async () => {
  let figures;
  for (const seconds of [6, 20, 60]) {
    figures = await play({ players: 10, seconds, tick: 50, stride: 48, compareEvery: 16, disturbances: 5 });
    if (played(figures)) break;
  }
  assert.ok(played(figures), JSON.stringify(figures));
});
