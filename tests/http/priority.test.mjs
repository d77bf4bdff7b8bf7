/* The priority of each thread of the daemon is what the manual says. */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import os from 'node:os';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { startServer } from '../tools/server.mjs';

const manual = readFileSync(new URL('../../server/README.md', import.meta.url), 'utf8');
const policies = { SCHED_OTHER: 0, SCHED_BATCH: 3, SCHED_IDLE: 5 };

/* { nice, policy } of each thread, by proc(5): fields 19 and 41 of stat. */
function threadsOf(pid) {
  return readdirSync(`/proc/${pid}/task`).map((thread) => {
    const fields = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8').replace(/^.*\) /s, '').split(' ');
    return { nice: Number(fields[16]), policy: Number(fields[38]) };
  });
}

/* Of a server with three render threads: these are `wanted`, all others as the program is. */
async function checkThreads(words, wanted) {
  const server = await startServer({ arguments: ['--loops', '2', '--renderers', '3', ...words] });
  try {
    const isRenderer = (thread) => thread.policy === wanted.policy && thread.nice === wanted.nice;
    let threads = threadsOf(server.pid);
    /* A thread may get its first time after the server has begun to listen. */
    for (let tries = 0; tries < 400 && threads.filter(isRenderer).length < 3; tries++) {
      await setTimeout(50);
      threads = threadsOf(server.pid);
    }
    const renderers = threads.filter(isRenderer);
    assert.equal(renderers.length, 3, JSON.stringify(threads));
    assert.ok(threads.length >= 3 + 2 + 1);
    for (const thread of threads.filter((one) => !renderers.includes(one))) assert.deepEqual(thread, { nice: os.getPriority(), policy: policies.SCHED_OTHER });
  } finally {
    assert.equal(await server.stop(), 0);
  }
}

test('render threads have the policy and nice of the manual, all other threads those of the program', () => {
  const [, policy, nice] = /Render threads run under `(SCHED_\w+)` with (\d+) more nice/.exec(manual);
  return checkThreads([], { nice: Math.min(os.getPriority() + Number(nice), 19), policy: policies[policy] });
});

test('with --render-priority normal they have the nice value of the program', () => (
  checkThreads(['--render-priority', 'normal'], { nice: os.getPriority(), policy: policies.SCHED_BATCH })));

test('with --render-priority idle they run under the policy of the manual for idle time', () => {
  const [, policy] = /`render_priority` `idle`\nthey run under `(SCHED_\w+)`/.exec(manual);
  return checkThreads(['--render-priority', 'idle'], { nice: os.getPriority(), policy: policies[policy] });
});
