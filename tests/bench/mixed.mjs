/* Hits while misses are rendered: how long cached tiles take while a tenth of all requests are tiles
 * that nobody asked for before and that take about 2 ms each, on two cores that the clients share.
 * usage: mixed.mjs STORM   with TERRANE_BINARY; prints a table, or with JSON=1 one JSON document. */

import { startServer } from '../tools/server.mjs';
import { storm } from '../faults/storms.mjs';
import { median, shareTwoCores } from './http.mjs';
import { fixed, table } from './table.mjs';

const [program] = process.argv.slice(2);
const SECONDS = Number(process.env.MIXED_SECONDS ?? 5);
const RATES = [5000, 7000]; /* requests a second, a tenth of them misses */
const HITS = Array.from({ length: 16 }, (_, i) => `/worlds/perlin/tiles/height/9/${250 + i}/256.png`);
const TURNS = 3;
/* Candidates for what takes about 2 ms to render and encode, from the cheapest on. */
const MISSES = ['/worlds/perlin/tiles/height', '/worlds/perlin/tiles/hillshade', '/worlds/dunes/tiles/height', '/worlds/highlands/tiles/height',
  '/worlds/archipelago/tiles/height', '/worlds/dunes/tiles/relief', '/worlds/highlands/tiles/relief'];
const WANTED_MS = 2;

let next = 0;
const missing = (path, count) => Array.from({ length: count }, () => `${path}/16/${30000 + (next % 5000)}/${20000 + Math.floor(next++ / 5000)}.png`);

async function costOf(url, path) {
  const times = [];
  for (const target of missing(path, 25)) {
    const response = await fetch(url + target);
    await response.arrayBuffer();
    const [, render, encode] = /render;dur=([\d.]+), encode;dur=([\d.]+)/.exec(response.headers.get('server-timing'));
    times.push(Number(render) + Number(encode));
  }
  return median(times);
}

async function chooseMiss(url) {
  const found = [];
  for (const path of MISSES) found.push({ path, ms: await costOf(url, path) });
  const off = ({ ms }) => Math.abs(Math.log(ms / WANTED_MS));
  return found.reduce((best, one) => (off(one) < off(best) ? one : best));
}

const run = (server, rate, targets, connections) =>
  storm(program, server.port, { seconds: SECONDS, connections, rate, kind: 'targets', targets });

const shared = shareTwoCores();
const server = await startServer({ arguments: ['--loops', '2', '--renderers', '2', '--queue', '10000', '--queue-cost', '1000000'] });
const result = { seconds: SECONDS * TURNS, shared_cores: shared, rows: [] };
try {
  for (const path of HITS) await (await fetch(server.url + path)).arrayBuffer();
  result.miss = await chooseMiss(server.url);
  for (const rate of RATES) {
    const alone = [];
    const mixed = [];
    const rendered = [];
    for (let turn = 0; turn < TURNS; turn++) {
      alone.push(await run(server, rate * 0.9, HITS, 64));
      const [hits, misses] = await Promise.all([
        run(server, rate * 0.9, HITS, 64),
        run(server, rate * 0.1, missing(result.miss.path, Math.ceil(rate * 0.1 * SECONDS * 1.1)), 64),
      ]);
      mixed.push(hits);
      rendered.push(misses);
    }
    const p99 = (turns) => median(turns.map(({ answers }) => answers[200]?.p99_ms));
    const share = (turns) => turns.reduce((sum, { answers }) => sum + (answers[200]?.count ?? 0), 0) / (TURNS * SECONDS);
    result.rows.push({
      rate, alone_p99_ms: p99(alone), hits_p99_ms: p99(mixed), hits_per_second: Math.round(share(mixed)),
      misses_p99_ms: p99(rendered), misses_per_second: Math.round(share(rendered)),
    });
  }
} finally {
  await server.stop();
}
if (process.env.JSON) process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
else {
  process.stdout.write(table(
    `Hits beside misses of ${fixed(result.miss.ms, 2)} ms (${result.miss.path}), a tenth of all${shared ? '; everybody on the same two cores' : ''}`,
    result.rows.map((row) => ({
      'requests a second': row.rate, 'hits a second': row.hits_per_second, 'p99 alone, ms': fixed(row.alone_p99_ms, 2),
      'p99 beside misses': fixed(row.hits_p99_ms, 2), 'misses a second': row.misses_per_second, 'their p99': fixed(row.misses_p99_ms, 1),
    })),
  ));
}
