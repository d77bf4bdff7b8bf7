/* Many different tiles: memory and the disk stay within what they were given, and what goes is
 * counted. tests/bench/million.mjs is the same for as many as one likes. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askForMany } from '../bench/million.mjs';
import { sanitizerMemory } from '../tools/server.mjs';

test('2000 different tiles of 30 KB in a cache for 500', async () => {
  const result = await askForMany(2000, { memory: 8, disk: 16, format: 'json', size: 64, keepUp: true });
  assert.equal(result.not_200, 0);
  assert.equal(result.status, 0);
  assert.equal(result.complaints, '');
  assert.equal(result.kept.damaged, 0);
  assert.equal(result.kept.structure, 'ok');
  assert.ok(result.kept.tiles > 100 && result.kept.tiles < 1000, `${result.kept.tiles} tiles kept`);
  assert.ok(result.largest_disk <= result.disk_limit, `${result.largest_disk} bytes on the disk`);
  assert.ok(result.memory.most <= result.memory_limit + sanitizerMemory * 2 ** 20, `${result.memory.most} bytes of memory`);
  for (const tier of ['memory', 'disk']) assert.ok(result.evictions[tier] > 1000, `${tier}: ${result.evictions[tier]}`);
});
