/* A clock for the limits of tests, which goes slower where other programs have the processors.
 *
 * Linux counts for each thread how long it ran and how long it waited for a processor although it could run:
 * /proc/PID/task/TID/schedstat, in nanoseconds. About once a second the clock looks at all threads of this process and
 * of those that descend from it, and leaves out the time that they waited so: all of it while less than one of them
 * could run, and its share where several waited or ran at once. Threads that wait for anything else count in neither,
 * so that a test that hangs sees the time of a quiet machine. Where there are no such files, the clock is an ordinary
 * one. */
'use strict';

const { readFileSync, readdirSync } = require('node:fs');

const TICK_MS = 10; /* of /proc/PID/stat */
const NANOSECONDS = 1e6; /* of a millisecond */

let counted = new Map(); /* what each thread had run and waited by the last look */
let share = 1;
let time = 0; /* of the clock at the last look, in milliseconds */
let lookedAt = Date.now();

/* A process or thread may end while it is looked at. */
function look(read, path, otherwise) {
  try {
    return read(path, 'utf8');
  } catch {
    return otherwise;
  }
}

/* The folders of all threads of this process and its descendants. */
function threads() {
  const processes = [process.pid];
  const found = [];
  for (const pid of processes) {
    for (const id of look(readdirSync, `/proc/${pid}/task`, [])) {
      const folder = `/proc/${pid}/task/${id}`;
      found.push(folder);
      processes.push(...look(readFileSync, `${folder}/children`, '').split(' ').filter(Boolean));
    }
  }
  return found;
}

/* Milliseconds that programs ran whose end this process has seen. */
function endedChildren() {
  const stat = look(readFileSync, '/proc/self/stat', '');
  const [user, system] = stat.slice(stat.lastIndexOf(')') + 2).split(' ').slice(13, 15).map(Number);
  return ((user + system) || 0) * TICK_MS;
}

function advance(milliseconds) {
  time += milliseconds;
  lookedAt = Date.now();
}

/* Brings the clock up to date; it should be called about once a second. */
function update() {
  const counts = new Map();
  let [ran, waited] = [0, 0];
  for (const folder of threads()) {
    const [run = 0, wait = 0] = look(readFileSync, `${folder}/schedstat`, '').split(' ').map(Number);
    const [runBefore, waitBefore] = counted.get(folder) ?? [0, 0];
    counts.set(folder, [run, wait]);
    ran += Math.max(0, run - runBefore);
    waited += Math.max(0, wait - waitBefore);
  }
  counted = counts;
  const passed = Math.max(1, Date.now() - lookedAt);
  const atOnce = Math.max(1, (ran + waited) / NANOSECONDS / passed);
  share = Math.max(0, 1 - waited / NANOSECONDS / passed / atOnce);
  advance(passed * share);
}

/* The result of a call that blocks this process while other programs run. Nobody can look at them meanwhile: the
 * clock counts how long they ran. */
function during(call) {
  update();
  const before = endedChildren();
  try {
    return call();
  } finally {
    advance(Math.min(Date.now() - lookedAt, endedChildren() - before));
  }
}

const now = () => time + (Date.now() - lookedAt) * share;

module.exports = { update, during, now, share: () => share };
