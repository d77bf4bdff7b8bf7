/* Ends tests that hang: node.sh loads this file into each process that runs a file of tests.
 *
 * A test or hook has TERRANE_TEST_SECONDS (20 unless set) by the clock of limit-clock.cjs, which goes slower where other
 * programs have the processors; and at most 30 times as long by the clock on the wall. One that legitimately takes
 * longer names its own limit, in milliseconds, and says why: test('…', { timeout: 60_000 }, …). That limit grows with
 * TERRANE_TEST_SECONDS as well.
 * A test beyond its limit fails, the processes that it started are killed by their pids, and the next test begins. A
 * server of the whole file may be what hangs: the second late test and every late hook also end the processes of the
 * file. Synchronous calls of other programs, during which no timer of this process runs, get three times the rest of
 * the limit, as how busy the machine will be is not known.
 *
 * A file that does nothing for as long, because it hangs while it is loaded or after its last test, is ended too.
 *
 * A test that passes and took more than 5 seconds, but names no limit, is reported.
 *
 * A server may close an idle connection while a synchronous call blocks this process: fetch() after such a call first
 * lets the event loop see that, or it would send its request to nobody. */
'use strict';

const { AsyncLocalStorage } = require('node:async_hooks');
const childProcess = require('node:child_process');
const { syncBuiltinESMExports } = require('node:module');
const nodeTest = require('node:test');
const { compileFunction } = require('node:vm');
const clock = require('./limit-clock.cjs');

const ORDINARY_MS = 20_000;
const SLOW_MS = 5000;
const MOST_TIMES = 30; /* the limit, on a machine that is as busy as can be: node.sh has it too */
const PROGRAM_TIMES = 3;
const LOOK_MS = 1000;
const factor = Number(process.env.TERRANE_TEST_SECONDS || 20) * 1000 / ORDINARY_MS;

const file = { children: new Set() }; /* what hooks and the file itself started */
const current = new AsyncLocalStorage(); /* the running test or hook */
const running = new Set(); /* all of them: { children, limit, began and wallBegan in milliseconds, expire() } */
let late = 0;
let idleSince = clock.now();

/* With the processes that it started, if it leads a process group, as a browser or nginx in a fleet does. */
function killChild(child) {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    child.kill('SIGKILL');
  }
}
const killAll = (children) => children.forEach(killChild);

/* Each child belongs to the test that starts it. Every way to start one ends in this method. */
function registerChildren({ prototype }) {
  const { spawn } = prototype;
  prototype.spawn = function register(...words) {
    const { children } = current.getStore() ?? file;
    children.add(this);
    this.once('exit', () => children.delete(this));
    return spawn.apply(this, words);
  };
}

/* What may take `limit` milliseconds, from now on. */
const begin = (limit, more) => ({ limit, began: clock.now(), wallBegan: Date.now(), ...more });
const spent = ({ began }) => clock.now() - began;
const isLate = (record) => spent(record) >= record.limit || Date.now() - record.wallBegan >= record.limit * MOST_TIMES;

/* A function that runs `work` like itself, but not for longer than the limit. */
function limited(name, { limit, mayBeSlow, isHook }, work) {
  return async (...words) => {
    let expire;
    const expired = new Promise((_, reject) => { expire = reject; });
    const record = begin(limit, { children: isHook ? file.children : new Set(), expire: () => {
      killAll(record.children);
      if (isHook || ++late > 1) killAll(file.children);
      const wall = Math.round((Date.now() - record.wallBegan) / 1000);
      expire(new Error(`${name}: still running after ${limit / 1000} s, ${wall} s on this machine (${process.argv[1]})`));
    } });
    running.add(record);
    looks.ref();
    try {
      const result = await Promise.race([current.run(record, () => work(...words)), expired]);
      if (!mayBeSlow && spent(record) > SLOW_MS * factor)
        console.error(`slow test: ${(spent(record) / 1000).toFixed(1)} s without a limit of its own: ${name} (${process.argv[1]})`);
      return result;
    } finally {
      running.delete(record);
      if (running.size === 0) looks.unref();
      idleSince = clock.now();
      /* What the test leaves behind ends with the file. */
      record.children.forEach((child) => file.children.add(child));
    }
  };
}

/* The reporter names the file of the code that calls test(): this function pretends to be in the file of tests. */
const callFromFile = compileFunction('return register(...words);', ['register', 'words'], { filename: process.argv[1] });

/* test(), before() and the like with a limit for their functions. */
function watched(kind, isHook) {
  const register = nodeTest[kind];
  return Object.assign((...words) => {
    const options = words.find((word) => word !== null && typeof word === 'object');
    const name = typeof words[0] === 'string' ? words[0] : `${kind}()`;
    const how = { limit: (options?.timeout ?? ORDINARY_MS) * factor, mayBeSlow: options?.timeout !== undefined, isHook };
    return callFromFile(register, words.map((word) => {
      if (typeof word === 'function') return limited(name, how, word);
      return word === options ? { ...options, timeout: undefined } : word;
    }));
  }, register);
}

let wasBlocked = false; /* by a synchronous call, and no fetch() has been made since */

/* fetch() after the event loop has polled all connections: it does so between two immediates. */
function fetchAfterPoll(fetch) {
  const turn = () => new Promise((resolve) => { setImmediate(resolve); });
  return async (...words) => {
    if (wasBlocked) {
      await turn();
      await turn();
      wasBlocked = false;
    }
    return fetch(...words);
  };
}

/* A synchronous call of a program ends with its test. */
function withTimeout(call) {
  return (program, ...rest) => {
    const options = rest.findLast((word) => word !== null && typeof word === 'object' && !Array.isArray(word));
    const record = current.getStore() ?? begin(ORDINARY_MS * factor);
    const left = Math.max(1, record.limit - spent(record)) * PROGRAM_TIMES / Math.max(clock.share(), 1 / MOST_TIMES);
    const timeout = Math.ceil(Math.min(left, record.limit * MOST_TIMES, options?.timeout ?? Infinity));
    const words = Array.isArray(rest[0]) ? [rest[0]] : [];
    wasBlocked = true;
    return clock.during(() => call(program, ...words, { killSignal: 'SIGKILL', ...options, timeout }));
  };
}

/* Only in a file's own process: the runner that starts these processes has this file as well. */
let looks;
if (process.env.NODE_TEST_CONTEXT) {
  nodeTest.test = watched('test', false);
  for (const hook of ['before', 'after', 'beforeEach', 'afterEach']) nodeTest[hook] = watched(hook, true);
  for (const call of ['spawnSync', 'execFileSync', 'execSync']) childProcess[call] = withTimeout(childProcess[call]);
  syncBuiltinESMExports();
  globalThis.fetch = fetchAfterPoll(globalThis.fetch);
  registerChildren(childProcess.ChildProcess);
  process.on('exit', () => killAll(file.children));
  looks = setInterval(() => {
    clock.update();
    [...running].filter(isLate).forEach((record) => record.expire());
    if (running.size > 0 || clock.now() - idleSince < ORDINARY_MS * factor) return;
    console.error(`${process.argv[1]}: hangs outside of its tests`);
    process.exit(1);
  }, LOOK_MS).unref();
}
