/* Chromium for tests, in two kinds. All files of tests share one browser of each kind while shared.mjs runs them; a file
 * that runs alone launches its own. */

import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium } from 'playwright-core';

const CHROMIUM = '/usr/bin/chromium';
const SHELL = '/usr/bin/chromium-headless-shell'; /* takes half of the time, but twice of it for WebGL */
export const PATIENCE_MS = 120000; /* beside other tests, on a machine that may be busy */

/* Names that lead to this machine in the browser alone, as those of a network do. */
export const NAMES = ['nas.local', 'terrane', 'maps.example'];

const WORDS = [
  '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync',
  `--host-resolver-rules=${NAMES.map((name) => `MAP ${name} 127.0.0.1`).join(',')}`,
];

/* WebGL without a graphics card: drawn by the processor. */
export const WEBGL = ['--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'];

/* The further arguments of each kind of browser. */
export const KINDS = { plain: [], webgl: WEBGL };

/* Playwright's options of a browser with further arguments. $CHROMIUM is another browser for all tests. */
export function launchOptions(further) {
  const draws = WEBGL.some((word) => further.includes(word));
  const args = [...WORDS.filter((word) => !draws || word !== '--disable-gpu'), ...further];
  const usual = !draws && existsSync(SHELL) ? SHELL : CHROMIUM;
  return { executablePath: process.env.CHROMIUM ?? usual, args, timeout: PATIENCE_MS };
}

export const launchBrowser = (further = []) => chromium.launch(launchOptions(further));

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
