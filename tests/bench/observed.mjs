/* Measures the cost of the access log: a cached tile and small JSON, with the log in both forms and without a log, in
 * turns within one run. If BENCH_OTHER names a second binary, it is measured too, without a log. The results are hits
 * per second and the server's processor time per hit in microseconds, which other load on the machine affects less. */

import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { readMetrics } from '../tools/promtool.mjs';
import { startServer } from '../tools/server.mjs';
import { processorTime } from './http.mjs';
import { temporaryFolder } from '../tools/folder.mjs';

const turns = Number(process.env.OBSERVED_TURNS ?? 7);
const seconds = Number(process.env.OBSERVED_SECONDS ?? 2);
const folder = temporaryFolder().path;
const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];

const kinds = [
  { name: 'no log', arguments: [] },
  { name: 'json', arguments: ['--access-log', join(folder, 'json.log'), '--access-log-format', 'json'] },
  { name: 'combined', arguments: ['--access-log', join(folder, 'combined.log'), '--access-log-format', 'combined'] },
];
if (process.env.BENCH_OTHER) kinds.push({ name: 'other binary', arguments: [], binary: process.env.BENCH_OTHER });

function turn(server, target) {
  const before = processorTime(server.pid);
  const text = execFileSync('wrk', ['-t1', '-c64', `-d${seconds}s`, server.url + target], { encoding: 'utf8' });
  if (/Non-2xx|Socket errors/.test(text)) throw new Error(text);
  const hits = Number(/(\d+) requests in/.exec(text)[1]);
  return { rate: Number(/Requests\/sec:\s+([\d.]+)/.exec(text)[1]), cpu: ((processorTime(server.pid) - before) * 1e6) / hits };
}

/* Returns, for each kind, the median of its ratio to "no log" in the same round. */
function compare(servers, target) {
  const rounds = Array.from({ length: turns }, (_, round) => {
    const order = kinds.map((_kind, i) => (i + round) % kinds.length);
    const one = [];
    for (const i of order) one[i] = turn(servers[i], target);
    return one;
  });
  return kinds.map(({ name }, i) => ({
    target,
    name,
    hits_per_second: Math.round(median(rounds.map((round) => round[i].rate))),
    cpu_us: Number(median(rounds.map((round) => round[i].cpu)).toFixed(2)),
    rate_ratio: Number(median(rounds.map((round) => round[i].rate / round[0].rate)).toFixed(3)),
    cpu_ratio: Number(median(rounds.map((round) => round[i].cpu / round[0].cpu)).toFixed(3)),
  }));
}

const servers = [];
for (const { arguments: words, binary } of kinds) {
  const own = process.env.TERRANE_BINARY;
  if (binary) process.env.TERRANE_BINARY = binary;
  servers.push(await startServer({ arguments: words }));
  if (binary) process.env.TERRANE_BINARY = own;
}
try {
  for (const target of ['/tiles/height/3/4/2.png', '/version']) {
    for (const { url } of servers) await (await fetch(url + target, { headers: { connection: 'close' } })).arrayBuffer();
    console.table(compare(servers, target));
  }
  for (const i of [1, 2]) {
    const lost = (await readMetrics(servers[i].url)).value('access_log_lost_total');
    console.log(`${kinds[i].name}: ${(statSync(kinds[i].arguments[1]).size / 1e6).toFixed(0)} MB written, ${lost} lines lost`);
  }
} finally {
  await Promise.all(servers.map((server) => server.stop()));
}
