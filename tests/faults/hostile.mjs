/* Hostile clients: random zooms and places, parameters that defeat caching, new seeds, the most
 * expensive legal requests, malformed requests, and some that disconnect at once. Beside them a
 * well-behaved client that requests cached tiles.
 * usage: hostile.mjs TERRANE STORM SECONDS */

import { startServer } from '../tools/server.mjs';
import { compare, countOf, memoryOf, wellBehaved, recover, report, storm, total, warm } from './storms.mjs';

const [binary, program, seconds] = [process.argv[2], process.argv[3], Number(process.argv[4])];
const RATE = 2000;
process.env.TERRANE_BINARY = binary;

const server = await startServer();
try {
  await warm(server.url);
  const usual = await recover(server.url);
  const rest = Math.max(2, Math.min(20, seconds / 6));
  const before = await wellBehaved(program, server.port, rest);
  const [memory] = memoryOf(server.pid);
  const [beside, flood] = await Promise.all([
    wellBehaved(program, server.port, seconds),
    storm(program, server.port, { seconds, connections: 1000, rate: RATE, kind: 'hostile' }),
  ]);
  const [grown, most] = memoryOf(server.pid);
  const recovered = await recover(server.url);
  /* A short run is judged relative to the speed of this machine. */
  const latest = 10000 + (seconds >= 60 ? 0 : 20 * usual);
  const after = await wellBehaved(program, server.port, rest);
  const [ratio, calm] = compare(beside, before, after);
  const failed = Object.keys(flood.answers).filter((status) => status >= 500 && status !== '503');
  const shed = flood.answers[503];
  const good = report(`ill-willed clients, ${seconds} s`, [
    ['asked for a second', (flood.sent / seconds).toFixed(0)],
    ...Object.entries(flood.answers).map(([status, { count, p99_ms: p99 }]) => [`answered ${status}, p99 ms`, `${count}, ${p99}`]),
    ['not asked, all connections waiting', flood.unsent],
    ['503 without Retry-After', shed?.without_retry ?? 0, '0', (shed?.without_retry ?? 0) === 0],
    ['statuses that should not be', failed.join(' ') || 'none', 'none', failed.length === 0],
    ['well-behaved: 200 of', `${countOf(beside, 200)} of ${total(beside)}`, 'all', countOf(beside, 200) === total(beside)],
    ['well-behaved: p99 before, after / in the storm, ms', `${calm} / ${beside.answers[200].p99_ms}`],
    ['well-behaved: p99 ratio', ratio.toFixed(2), 'at most 3', seconds >= 60 ? ratio <= 3 : undefined],
    ['well-behaved: p50 before / in the storm, ms', `${before.answers[200].p50_ms} / ${beside.answers[200].p50_ms}`],
    ['a cold tile before / afterwards, ms', `${usual.toFixed(0)} / ${recovered.toFixed(0)}`, `at most ${latest.toFixed(0)}`, recovered <= latest],
    ['memory before / after / at most, MB', [memory, grown, most].map((size) => size.toFixed(0)).join(' / ')],
  ]);
  process.exitCode = good ? 0 : 1;
} finally {
  if ((await server.stop()) !== 0) process.exitCode = 1;
}
