/* Chromium for tests, in two kinds. All files of tests share one browser of each kind while shared.mjs runs them; a file
 * that runs alone launches its own. */

import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium } from 'playwright-core';

const CHROMIUM = '/usr/bin/chromium';
const SHELL = '/usr/bin/chromium-headless-shell'; /* takes half of the time of the other */
export const PATIENCE_MS = 120000; /* beside other tests, on a machine that may be busy */

/* Names that lead to this machine in the browser alone, as those of a network do. */
export const NAMES = ['nas.local', 'terrane', 'maps.example'];

const WORDS = [
  '--headless', '--no-sandbox', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync',
  `--host-resolver-rules=${NAMES.map((name) => `MAP ${name} 127.0.0.1`).join(',')}`,
];

/* WebGL without a graphics card: drawn by the processor. */
export const WEBGL = ['--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'];

/* The program and further arguments of each kind of browser. The headless shell draws many more frames of WebGL; what
 * lies beside WebGL on a page takes a fraction of the time when it does not go through the same renderer. */
export const KINDS = {
  plain: { program: existsSync(SHELL) ? SHELL : CHROMIUM, further: ['--disable-gpu'] },
  webgl: { program: CHROMIUM, further: [...WEBGL, '--disable-gpu-rasterization'] },
};

/* Playwright's options of a browser. $CHROMIUM is another program for all tests. */
export const launchOptions = ({ program, further }) =>
  ({ executablePath: process.env.CHROMIUM ?? program, args: [...WORDS, ...further], timeout: PATIENCE_MS });

export const launchBrowser = (kind = KINDS.plain) => chromium.launch(launchOptions(kind));

/* A browser of a kind: a connection to the shared one, or one that this process launches. The file that
 * $TERRANE_BROWSERS names has the addresses of the shared ones; it changes when one of them is started again. */
export async function openBrowser(kind) {
  const addresses = process.env.TERRANE_BROWSERS;
  if (!addresses) return launchBrowser(KINDS[kind]);
  for (const deadline = Date.now() + PATIENCE_MS;;) {
    try {
      return await chromium.connect(JSON.parse(readFileSync(addresses, 'utf8'))[kind], { timeout: PATIENCE_MS });
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(50);
    }
  }
}
