/* Requests for ten times as many tiles as can be rendered, beside a client of cached tiles.
 * usage: overload.mjs TERRANE STORM SECONDS   Judges what does not depend on the machine's other
 * work; with a minute or more, the times as well. */

import { startServer } from '../tools/server.mjs';
import { compare, countOf, memoryOf, wellBehaved, recover, report, storm, total, warm } from './storms.mjs';

const [binary, program, seconds] = [process.argv[2], process.argv[3], Number(process.argv[4])];
const TIMES = 10;
const ASKED_MIN = 1000; /* fills the queue where a machine renders few tiles a second */
process.env.TERRANE_BINARY = binary;

const server = await startServer();
try {
  await warm(server.url);
  const usual = await recover(server.url);
  const closed = await storm(program, server.port, { seconds: Math.max(1, seconds / 10), connections: 16, rate: 0, kind: 'cold' });
  const capacity = countOf(closed, 200) / Math.max(1, seconds / 10);
  const rest = Math.max(2, seconds / 6);
  const before = await wellBehaved(program, server.port, rest);
  const [beside, flood] = await Promise.all([
    wellBehaved(program, server.port, seconds),
    storm(program, server.port, { seconds, connections: 1000, rate: Math.max(TIMES * capacity, ASKED_MIN / seconds), kind: 'cold' }),
  ]);
  const recovered = await recover(server.url);
  /* A short run is judged relative to the speed of this machine. */
  const latest = 2000 + (seconds >= 60 ? 0 : 20 * usual);
  const after = await wellBehaved(program, server.port, rest);
  const shed = flood.answers[503];
  const [ratio, calm] = compare(beside, before, after);
  const others = total(flood) - countOf(flood, 200) - countOf(flood, 503);
  const strict = (ok) => (seconds >= 60 ? ok : undefined);
  const good = report(`${TIMES} times more than can be rendered, ${seconds} s`, [
    ['cold tiles a second, nobody waiting', capacity.toFixed(0)],
    ['asked for a second', (flood.sent / seconds).toFixed(0)],
    ['answered 200 a second', (countOf(flood, 200) / seconds).toFixed(0)],
    ['answered 503', countOf(flood, 503), 'some', countOf(flood, 503) > 0],
    ['503 without Retry-After', shed?.without_retry, '0', shed?.without_retry === 0],
    ['other answers', others, '0', others === 0],
    ['connections that broke', flood.broken, '0', flood.broken === 0],
    ['503 after, p50 / p99 / worst ms', `${shed?.p50_ms} / ${shed?.p99_ms} / ${shed?.worst_ms}`, 'p99 at most 50', strict(shed?.p99_ms <= 50)],
    ['200 after, p50 / p99 ms', `${flood.answers[200]?.p50_ms} / ${flood.answers[200]?.p99_ms}`],
    ['well-behaved: 200 of', `${countOf(beside, 200)} of ${total(beside)}`, 'all', countOf(beside, 200) === total(beside)],
    ['well-behaved: p99 before, after / in the storm, ms', `${calm} / ${beside.answers[200].p99_ms}`],
    ['well-behaved: p99 ratio', ratio.toFixed(2), 'at most 3', strict(ratio <= 3)],
    ['well-behaved: p50 before / in the storm, ms', `${before.answers[200].p50_ms} / ${beside.answers[200].p50_ms}`],
    ['a cold tile before / afterwards, ms', `${usual.toFixed(0)} / ${recovered.toFixed(0)}`, `at most ${latest.toFixed(0)}`, recovered <= latest],
    ['memory now / at most, MB', memoryOf(server.pid).map((size) => size.toFixed(0)).join(' / ')],
  ]);
  process.exitCode = good ? 0 : 1;
} finally {
  if ((await server.stop()) !== 0) process.exitCode = 1;
}
