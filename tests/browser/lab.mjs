/* What the tests of the lab share: a page of its own for each file, and the lab opened on a small world. */

import { readFileSync } from 'node:fs';
import { loadedTiles, pageOfFile, until } from './browser.mjs';

export const { server, open, visit: visitPage } = pageOfFile();

/* Chromium writes a refused preview to the console. */
export const REFUSED = { expected: /status of (422|403)/ };
export const HILLS = `{
  "title": "Hills",
  "generator": 1,
  "seed": 7,
  "layers": {
    "hills": "fbm(wavelength=8192, octaves=4, persistence=0.5)",
    "height": { "formula": "300 * hills", "unit": "m", "range": [-400, 400] }
  },
  "biomes": [
    { "name": "sea", "color": "#2a6fb0", "when": "height < 0" },
    { "name": "land", "color": "#9bc53d" }
  ]
}
`;

export const worldFile = (name) =>
  readFileSync(new URL(`../../config/worlds/${name}.json`, import.meta.url), 'utf8');
export const editorText = (page) => page.evaluate(() => [...document.querySelector('.lab-editor').shadowRoot
  .querySelectorAll('.cm-line')].map((line) => line.textContent).join('\n'));
export const isPreview = ({ world }) => world.startsWith('preview-');
export const shownWorld = (page) => page.evaluate(() => location.hash.slice(1).split('/')[0]);
export const textOf = (page, selector, pattern) => until(page, (wanted) => document.querySelector(wanted)?.textContent ?? '',
  selector, (text) => pattern.test(text));
export const status = (page, pattern) => textOf(page, '.lab-world .lab-status', pattern);

/* Opens the lab on a small world. */
export const visit = (check, options = {}, hash = '#caves/relief/12/0/0') =>
  visitPage(hash, async (page) => {
    await loadedTiles(page);
    await page.click('#tool-lab');
    await status(page, /This is the file of/);
    await check(page);
  }, options);

/* Puts a text into the editor as a file that is opened. */
export async function openFile(page, text, name = 'hills.json') {
  await page.setInputFiles('.lab input[type=file]', { name, mimeType: 'application/json', buffer: Buffer.from(text) });
}

export async function openHills(page) {
  await openFile(page, HILLS);
  await status(page, /^3 layers\.$/);
  return loadedTiles(page, isPreview);
}

export const number = (page, text) => page.locator('.lab-editor .formula-number', { hasText: text }).first();
