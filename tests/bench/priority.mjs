/* The priority of render threads, weighed: how long cached tiles take (hits, 500 a second), and how long uncached ones
 * (cold, two at a time), for one policy after the other: beside no other program, beside busy ones of the same session,
 * and beside busy ones of other sessions. Linux shares the processors between sessions first (autogroup), then within
 * each by weight.
 *
 * The policies take turns in several rounds. Other work on the machine makes hits longer and none shorter, so the figures
 * of hits are the lower quartile of the rounds; those of cold tiles are medians. The clients have nice -15, so that little
 * of their own waiting is measured. Needs root.
 * usage: priority.mjs STORM   with TERRANE_BINARY; prints tables, or with JSON=1 one JSON document */

import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import os from 'node:os';

import { startServer } from '../tools/server.mjs';
import { storm } from '../faults/storms.mjs';
import { fixed, table } from './table.mjs';

const [program] = process.argv.slice(2);
const SECONDS = Number(process.env.PRIORITY_SECONDS ?? 1.5);
const ROUNDS = Number(process.env.PRIORITY_ROUNDS ?? 8);
const BUSY = 4; /* processes */
const COLD = 2; /* connections */
const BUSY_MS = 600_000; /* they end by themselves, if this program is killed */
const HITS = Array.from({ length: 16 }, (_, i) => `/tiles/relief/9/${250 + i}/256.png`);
const GROUPS = '/sys/fs/cgroup/cpu'; /* version 1 */
const GROUP = `${GROUPS}/terrane-bench-${process.pid}`;
/* Of the render threads. With `whole`, event loops have the system's slice, else the one that the daemon sets. */
const POLICIES = [
  { name: 'SCHED_OTHER, whole slices', chrt: '-o', nice: 0, whole: true }, /* a fair share */
  { name: 'SCHED_IDLE, whole slices', chrt: '-i', nice: 0, whole: true }, /* what the ratios of hits are to */
  { name: 'SCHED_BATCH, nice 5, whole slices', chrt: '-b', nice: 5, whole: true },
  { name: 'SCHED_IDLE', chrt: '-i', nice: 0 },
  { name: 'SCHED_BATCH, nice 19', chrt: '-b', nice: 19 },
  { name: 'SCHED_BATCH, nice 10', chrt: '-b', nice: 10 },
  { name: 'SCHED_BATCH, nice 5', chrt: '-b', nice: 5 },
  { name: 'cgroup, weight 1/10', chrt: '-o', nice: 0, shares: 102 },
  { name: 'cgroup, weight 1/3', chrt: '-o', nice: 0, shares: 341 },
];
const [FAIR, BEFORE] = POLICIES.map(({ name }) => name);
const SCENES = [['alone'], ['same session', false], ['other sessions', true]];

/* [{ thread, policy }] of a daemon, by proc(5): field 41 of stat. */
const threadsOf = (pid) => readdirSync(`/proc/${pid}/task`).map((thread) => ({
  thread, policy: readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8').replace(/^.*\) /s, '').split(' ')[38],
}));

/* A daemon with its render threads, which at its start are those that do not run under SCHED_OTHER. */
async function startDaemon(whole) {
  const server = await startServer({ arguments: ['--loops', '2', '--renderers', '2', '--cache-memory', '64M'] });
  for (const path of HITS) await (await fetch(server.url + path)).arrayBuffer();
  const renderers = threadsOf(server.pid).filter(({ policy }) => policy !== '0').map(({ thread }) => thread);
  for (const { thread, policy } of threadsOf(server.pid)) if (whole && policy === '0') execFileSync('chrt', ['-o', '-p', '0', thread]);
  return { ...server, renderers };
}

function apply({ chrt, nice, shares }, threads) {
  if (shares) writeFileSync(`${GROUP}/cpu.shares`, String(shares));
  for (const thread of threads) {
    execFileSync('chrt', [chrt, '-p', '0', thread]);
    execFileSync('renice', ['-n', String(nice), '-p', thread], { stdio: 'ignore' });
    if (existsSync(GROUP)) writeFileSync(`${shares ? GROUP : GROUPS}/tasks`, thread);
  }
}

const startBusy = (own) => Array.from({ length: own === undefined ? 0 : BUSY }, () => {
  const child = spawn(process.execPath, ['-e', `while (performance.now() < ${BUSY_MS});`], { detached: own, stdio: 'ignore' });
  os.setPriority(child.pid, 0);
  return child;
});

/* Milliseconds. The time of a cold tile is computed from how many came: those that starve would not show in a
 * percentile. */
async function measure(port) {
  const run = (rate, connections, kind, targets) => storm(program, port, { seconds: SECONDS, connections, rate, kind, targets });
  const [hits, cold] = await Promise.all([run(500, 8, 'targets', HITS), run(0, COLD, 'cold')]);
  const { p50_ms: p50 = Infinity, p99_ms: p99 = Infinity } = hits.answers[200] ?? {};
  return { hits_p50: p50, hits_p99: p99, cold: (COLD * SECONDS * 1000) / (cold.answers[200]?.count ?? 0) };
}

const quantile = (values, part) => [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) * part)];

async function measureScene(daemons, policies, own) {
  const turns = Object.fromEntries(policies.map(({ name }) => [name, []]));
  const busy = startBusy(own);
  try {
    for (let turn = 0; turn < ROUNDS * policies.length; turn++) {
      const policy = policies[turn % policies.length];
      const daemon = daemons[policy.whole ? 1 : 0];
      apply(policy, daemon.renderers);
      turns[policy.name].push(await measure(daemon.port));
    }
  } finally {
    for (const one of busy) one.kill('SIGKILL');
  }
  const figure = (name, key) => quantile(turns[name].map((one) => one[key]), key === 'cold' ? 0.5 : 0.25);
  return policies.map(({ name }) => ({
    name, hits_p50: figure(name, 'hits_p50'), hits_p99: figure(name, 'hits_p99'), cold: figure(name, 'cold'),
    hits_ratio: figure(name, 'hits_p99') / figure(BEFORE, 'hits_p99'), cold_ratio: figure(name, 'cold') / figure(FAIR, 'cold'),
  }));
}

try { mkdirSync(GROUP); } catch { /* not with this version, or not allowed */ }
const policies = POLICIES.filter(({ shares }) => !shares || existsSync(GROUP));
const result = { date: new Date().toISOString(), cores: os.availableParallelism(), kernel: os.release(), scenes: [] };
const daemons = [await startDaemon(false), await startDaemon(true)];
os.setPriority(-15); /* inherited by the clients */
try {
  for (const [scene, own] of SCENES) {
    const rows = await measureScene(daemons, policies, own);
    result.scenes.push({ scene, load: os.loadavg(), rows });
  }
} finally {
  for (const daemon of daemons) await daemon.stop();
  if (existsSync(GROUP)) rmdirSync(GROUP);
}
if (process.env.JSON) process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
else for (const { scene, load, rows } of result.scenes) {
  const beside = scene === 'alone' ? 'nothing else' : `${BUSY} busy processes of ${scene === 'same session' ? 'the same session' : scene}`;
  const milliseconds = (value) => (value === Infinity ? `> ${SECONDS * 1000}` : fixed(value, 1));
  process.stdout.write(table(`Render threads beside ${beside}; load ${load.map((n) => n.toFixed(0)).join(' ')}`, rows.map((row) => ({
    policy: row.name, 'hits p50, ms': milliseconds(row.hits_p50), 'p99, ms': milliseconds(row.hits_p99), 'to SCHED_IDLE': fixed(row.hits_ratio, 2),
    'cold, ms': milliseconds(row.cold), 'to a fair share': fixed(row.cold_ratio, 2),
  }))));
}
