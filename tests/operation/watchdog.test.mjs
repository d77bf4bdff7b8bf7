/* How the runner ends tests that hang and reports slow ones. */

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import os from 'node:os';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { eventually } from '../http/busy.mjs';
import { temporaryFolder } from '../tools/folder.mjs';

const tool = (name) => fileURLToPath(new URL(`../tools/${name}`, import.meta.url));
const clock = createRequire(import.meta.url)('../tools/limit-clock.cjs');

/* What `node --test` prints of a file with this code, where a test has so many seconds. */
function run(code, seconds) {
  const folder = temporaryFolder({ 'x.test.mjs': `import { spawn } from 'node:child_process';\nimport { test } from 'node:test';\n${code}` });
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const words = ['--require', tool('watchdog.cjs'), '--test', '--test-reporter=tap', folder.file('x.test.mjs')];
  return spawnSync(process.execPath, words, { encoding: 'utf8', env: { ...env, TERRANE_TEST_SECONDS: String(seconds) } }).stdout;
}

const exists = (pid) => spawnSync('kill', ['-0', pid]).status === 0;

test('a test that hangs fails by its name, its program is ended, and the next one runs', () => {
  const output = run(`
    test('waits for a program', () => new Promise(() => { console.log('pid', spawn('sleep', ['1000']).pid, '.'); }));
    test('follows', () => {});`, 1);
  assert.match(output, /waits for a program: still running after 1 s, \d+ s on this machine/);
  assert.match(output, /^# pass 1$/m);
  assert.match(output, /^# fail 1$/m);
  assert.ok(!exists(/pid (\d+) \./.exec(output)[1]));
});

test('a slow test is reported, unless it names a limit', () => {
  /* The limit of 2 s makes half a second slow. */
  const output = run(`
    function work() {
      const begin = process.cpuUsage();
      for (let used = process.cpuUsage(begin); used.user + used.system < 7e5; used = process.cpuUsage(begin));
    }
    test('is slow', work);
    test('is slow and says so', { timeout: 60000 }, work);
    test('is fast', () => {});`, 2);
  assert.match(output, /^# pass 3$/m);
  assert.deepEqual([...output.matchAll(/slow test: \d+\.\d s without a limit of its own: (.*) \(.*x\.test\.mjs\)/g)].map(([, name]) => name), ['is slow']);
});

/* The server closes the connection while the test is blocked. */
test('a connection that ended during a synchronous call is not used again', () => {
  const server = `require('node:net').createServer((socket) => {
    socket.on('data', () => socket.write('HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nok'));
    socket.setTimeout(200, () => socket.end());
  }).listen(0, '127.0.0.1', function listening() { console.log(this.address().port); });`;
  const output = run(`
    import { spawnSync } from 'node:child_process';
    import { once } from 'node:events';
    test('asks twice', async () => {
      const child = spawn(process.execPath, ['-e', ${JSON.stringify(server)}]);
      const [port] = await once(child.stdout, 'data');
      const ask = async () => (await fetch('http://127.0.0.1:' + Number(port))).text();
      await ask();
      await new Promise((resolve) => { setTimeout(resolve, 20); }); /* the connection is idle then */
      spawnSync('sleep', ['1']);
      await ask();
      child.kill();
    });`, 20);
  assert.match(output, /^# pass 1$/m, output);
});

test('the clock of limits goes slower where more programs run than there are processors', async () => {
  const busy = Array.from({ length: 3 * os.availableParallelism() }, () => spawn('sh', ['-c', 'while :; do :; done']));
  try {
    clock.update();
    const [began, wallBegan] = [clock.now(), Date.now()];
    await eventually(() => {
      clock.update();
      return Date.now() - wallBegan > 200 && clock.now() - began < 0.7 * (Date.now() - wallBegan);
    }, 'a slower clock');
  } finally {
    busy.forEach((child) => child.kill('SIGKILL'));
  }
});
