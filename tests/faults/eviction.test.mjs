/* Many different tiles, and many different seeds: memory and the disk stay within what they were
 * given, and what goes is counted. tests/bench/million.mjs is the same for as many tiles as one likes. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client, get } from '../bench/client.mjs';
import { askForMany } from '../bench/million.mjs';
import { amount } from '../tools/amount.mjs';
import { readMetrics } from '../tools/promtool.mjs';
import { sanitizerMemory, startServer } from '../tools/server.mjs';
import { memoryOf } from './storms.mjs';

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

const seeds = sanitizerMemory ? 200 : amount(600, 2000); /* with a sanitizer a world takes a hundredth of a second and more */

test(`${seeds} seeds of terra in a cache of 16 MB`, async () => {
  const server = await startServer({ arguments: ['--cache-memory', '16M', '--network-memory', '8M'] });
  const client = await Client.open(server.port, 8);
  const answers = {};
  try {
    await Promise.all(Array.from({ length: seeds }, async (_, seed) => {
      const target = seed % 2 ? `/worlds/terra~${seed}` : `/worlds/terra~${seed}/chunks/0/0.r32f`;
      const { status } = await client.ask(get(target));
      answers[status] = (answers[status] ?? 0) + 1;
    }));
    const metrics = await readMetrics(server.url);
    const worlds = metrics.value('worlds_reseeded_bytes');
    const [, most] = memoryOf(server.pid);
    assert.deepEqual(answers, { 200: seeds });
    assert.ok(worlds > 2e6 && worlds <= 4 * 2 ** 20, `${worlds} bytes of worlds`);
    assert.ok(worlds + metrics.value('cache_bytes') <= 17 * 2 ** 20, `${metrics.value('cache_bytes')} bytes of chunks`);
    assert.ok(most <= 16 * 1.15 + 64 + sanitizerMemory, `${most} MiB of memory`);
  } finally {
    client.close();
    assert.equal(await server.stop(), 0);
  }
});
