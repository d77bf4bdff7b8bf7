/* The browsers that all files of tests share: a crash is reported and does not end the run, and files that use one
 * browser do not see each other. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const path = (name) => fileURLToPath(new URL(name, import.meta.url));

/* Runs a program of its own with shared browsers. */
async function runShared(program) {
  const words = [path('shared.mjs'), process.execPath, '--input-type=module', '--eval',
    `import { openBrowser } from '${new URL('chromium.mjs', import.meta.url)}'; ${program}`];
  const child = spawn(process.execPath, words, { cwd: path('.'), stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { stdout, stderr, status };
}

test('the status is that of the command, and each connection has contexts of its own', { timeout: 60_000 }, async () => {
  const { stdout, stderr, status } = await runShared(`
    const [one, other] = [await openBrowser('plain'), await openBrowser('plain')];
    const page = await (await one.newContext()).newPage();
    await page.goto('data:text/html,<title>one</title>');
    console.log(one.contexts().length, other.contexts().length);
    await other.close();
    console.log(await page.title());
    await one.close();
    process.exitCode = 3;`);
  assert.deepEqual({ stdout, stderr, status }, { stdout: '1 0\none\n', stderr: '', status: 3 });
});

test('a browser that crashes is reported and started again', { timeout: 60_000 }, async () => {
  const { stdout, stderr, status } = await runShared(`
    const first = await openBrowser('plain');
    const gone = new Promise((resolve) => { first.once('disconnected', resolve); });
    (await first.newBrowserCDPSession()).send('Browser.crash').catch(() => {});
    await gone;
    const second = await openBrowser('plain');
    const page = await (await second.newContext()).newPage();
    await page.goto('data:text/html,<title>again</title>');
    console.log(await page.title());
    await second.close();`);
  assert.equal(stdout, 'again\n');
  assert.match(stderr, /^The plain browser of all tests ended with (SIG\w+|status \d+); another one is started\.\n$/);
  assert.equal(status, 1, 'though the command had no error');
});
