/* Runs a command while a browser of each kind stands ready for all files of tests that it runs, so that none of them
 * waits for Chromium to start, and a server without arguments, which keeps the tiles that several files show. Each file
 * connects to the browsers, see openBrowser(), and has contexts of its own. A browser that ends is reported and started
 * again: the tests that used it fail, and so does the run.
 * usage: node shared.mjs COMMAND ARGUMENT...   Its exit status is that of the command, or 1. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { renameSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { temporaryFolder } from '../tools/folder.mjs';
import { startServer } from '../tools/server.mjs';
import { KINDS, launchOptions } from './chromium.mjs';

const folder = temporaryFolder();
const addresses = {};
const browsers = {};
let crashes = 0;
let isEnding = false;

/* A reader finds the old text or the new one. */
function writeAddresses() {
  folder.write('new.json', addresses);
  renameSync(folder.file('new.json'), folder.file('browsers.json'));
}

async function start(kind) {
  browsers[kind] = await chromium.launchServer({ ...launchOptions(KINDS[kind]), host: '127.0.0.1' });
  addresses[kind] = browsers[kind].wsEndpoint();
  browsers[kind].once('close', (status, signal) => {
    if (isEnding) return;
    crashes += 1;
    console.error(`The ${kind} browser of all tests ended with ${signal ?? `status ${status}`}; another one is started.`);
    start(kind).then(writeAddresses).catch((error) => {
      console.error(error);
      child.kill();
    });
  });
}

const [server] = await Promise.all([startServer(), ...Object.keys(KINDS).map(start)]);
writeAddresses();
const [command, ...words] = process.argv.slice(2);
const child = spawn(command, words, {
  stdio: 'inherit',
  env: { ...process.env, TERRANE_BROWSERS: folder.file('browsers.json'), TERRANE_SHARED_SERVER: server.url },
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
const [status] = await once(child, 'exit');
isEnding = true;
await Promise.all(Object.values(browsers).map((browser) => browser.close()));
if (await server.stop() !== 0) {
  crashes += 1;
  console.error(`The server of all tests failed: ${server.complaints()}`);
}
process.exitCode = status === 0 && crashes === 0 ? 0 : status || 1;
