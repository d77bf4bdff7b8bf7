/* Ends tests that hang: node.sh loads this file into each process that runs a file of tests.
 *
 * A test or hook has TERRANE_TEST_SECONDS (20 unless set). One that legitimately takes longer names its own limit, in
 * milliseconds, and says why: test('…', { timeout: 60_000 }, …). That limit grows with TERRANE_TEST_SECONDS as well.
 * A test beyond its limit fails, the processes that it started are killed by their pids, and the next test begins. A
 * server of the whole file may be what hangs: the second late test and every late hook also end the processes of the
 * file. Synchronous calls of other programs, during which no timer of this process runs, get the rest of the limit.
 *
 * A file that does nothing for as long, because it hangs while it is loaded or after its last test, is ended too. */
'use strict';

const { AsyncLocalStorage } = require('node:async_hooks');
const childProcess = require('node:child_process');
const { syncBuiltinESMExports } = require('node:module');
const nodeTest = require('node:test');
const { compileFunction } = require('node:vm');

const ORDINARY_MS = 20_000;
const factor = Number(process.env.TERRANE_TEST_SECONDS || 20) * 1000 / ORDINARY_MS;

const file = { children: new Set() }; /* what hooks and the file itself started */
const current = new AsyncLocalStorage(); /* the test: { children, end, file or not } */
let late = 0;
let running = 0;
let idleSince = Date.now();

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

/* A function that runs `work` like itself, but not for longer than the limit. */
function limited(name, limit, isHook, work) {
  return async (...words) => {
    const record = { children: isHook ? file.children : new Set(), end: Date.now() + limit };
    let timer;
    const expired = new Promise((_, reject) => {
      timer = setTimeout(() => {
        killAll(record.children);
        if (isHook || ++late > 1) killAll(file.children);
        reject(new Error(`${name}: still running after ${limit / 1000} s (${process.argv[1]})`));
      }, limit);
    });
    running++;
    try {
      return await Promise.race([current.run(record, () => work(...words)), expired]);
    } finally {
      clearTimeout(timer);
      running--;
      idleSince = Date.now();
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
    const limit = (options?.timeout ?? ORDINARY_MS) * factor;
    return callFromFile(register, words.map((word) => {
      if (typeof word === 'function') return limited(name, limit, isHook, word);
      return word === options ? { ...options, timeout: undefined } : word;
    }));
  }, register);
}

/* A synchronous call of a program ends with its test. */
function withTimeout(call) {
  return (program, ...rest) => {
    const options = rest.findLast((word) => word !== null && typeof word === 'object' && !Array.isArray(word));
    const end = current.getStore()?.end ?? Date.now() + ORDINARY_MS * factor;
    const timeout = Math.max(1, Math.min(end - Date.now(), options?.timeout ?? Infinity));
    const words = Array.isArray(rest[0]) ? [rest[0]] : [];
    return call(program, ...words, { killSignal: 'SIGKILL', ...options, timeout });
  };
}

/* Only in a file's own process: the runner that starts these processes has this file as well. */
if (process.env.NODE_TEST_CONTEXT) {
  nodeTest.test = watched('test', false);
  for (const hook of ['before', 'after', 'beforeEach', 'afterEach']) nodeTest[hook] = watched(hook, true);
  for (const call of ['spawnSync', 'execFileSync', 'execSync']) childProcess[call] = withTimeout(childProcess[call]);
  syncBuiltinESMExports();
  registerChildren(childProcess.ChildProcess);
  process.on('exit', () => killAll(file.children));
  setInterval(() => {
    if (running > 0 || Date.now() - idleSince < ORDINARY_MS * factor) return;
    console.error(`${process.argv[1]}: hangs outside of its tests`);
    process.exit(1);
  }, 1000).unref();
}
