/* Where the texts of the lab stay: links with a world in them, what the browser keeps, and what comes back when the
 * server has dropped a preview. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { startServer } from '../tools/server.mjs';
import { loadedTiles, until, waitForHash } from './browser.mjs';
import {
  server, open, HILLS, editorText, isPreview, shownWorld, textOf, status, visit, openHills, number,
} from './lab.mjs';

const TERRA = readFileSync(new URL('../../config/worlds/terra.json', import.meta.url), 'utf8').replaceAll('\\"', '"');

test('a link has the whole world in it', () => visit(async (page) => {
  const [tile] = await openHills(page);
  await page.selectOption('#style', 'biome').catch(() => {});
  await page.click('.lab button:has-text("Share")');
  const link = await until(page, () => document.querySelector('.share input').value);
  assert.match(link, /#terra\/relief\/12\/0\/0\?lab=[\w-]+&labmap=\w+$/);
  await open(link, async (other) => {
    await loadedTiles(other, ({ world }) => world === tile.world);
    assert.equal((await editorText(other)).trim(), HILLS.trim());
    assert.equal(await other.textContent('#status'), '');
    await other.evaluate(() => {
      location.hash = location.hash.replace(/lab=.*/, 'lab=AAAAbroken');
    });
    await status(other, /This link is broken/);
    assert.equal((await editorText(other)).trim(), HILLS.trim());
  });
}));

/* The reader's server knows nothing of the preview, as one that was started again. */
test('a copied link of a preview has its world in it, and outlives the server', { timeout: 30_000 }, () => visit(async (page) => {
  await openHills(page);
  await number(page, /^300$/).dblclick();
  await page.keyboard.insertText('400');
  const shown = async () => (await (await fetch(`${server.url}/worlds/${await shownWorld(page)}`)).json()).layers?.find(({ name }) => name === 'height').formula;
  while (await shown() !== '400 * hills') await page.waitForTimeout(50);
  await page.click('#drawer-close');
  await page.fill('#seed', '99');
  await page.press('#seed', 'Enter');
  await waitForHash(page, /^#preview-\w+~99\//);
  const { fingerprint } = await (await fetch(`${server.url}/worlds/${await shownWorld(page)}`)).json();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.focus('#map');
  await page.keyboard.press('Enter');
  await page.getByText('Addresses', { exact: true }).click();
  await textOf(page, '.addresses code', /#terra\/relief\/12\/0\/0\?lab=/);
  await page.click('#link');
  await textOf(page, '#status', /^Link copied\.$/);
  const link = new URL(await page.evaluate(() => navigator.clipboard.readText()));
  const bare = (await page.evaluate(() => location.hash)).replace(/^#/, '');
  const restarted = await startServer();
  try {
    await open(`${restarted.url}/${link.hash}`, async (other) => {
      await loadedTiles(other, (tile) => tile.fingerprint === fingerprint);
      assert.equal(await other.textContent('#status'), '');
    });
    await open(`${restarted.url}/#${bare}`, (other) => textOf(other, '#status', /does not have this world of the lab any more. “Copy the link” makes/),
      { expected: /status of 404/ });
  } finally {
    await restarted.stop();
  }
}));

/* Other previews push out the one of the page; a server that was started again has none, either. */
test('a reload posts the world of its window again when the server has dropped it', { timeout: 60_000 }, async () => {
  const small = await startServer({ arguments: ['--previews', '1'] });
  try {
    await open(`${small.url}/#caves/relief/12/0/0`, async (page) => {
      await loadedTiles(page);
      await page.click('#tool-lab');
      await status(page, /This is the file of/);
      await openHills(page);
      await number(page, /^300$/).dblclick();
      await page.keyboard.insertText('450');
      const layersOf = async () => (await (await fetch(`${small.url}/worlds/${await shownWorld(page)}`)).json()).layers;
      while (!(await layersOf())?.some(({ formula }) => formula === '450 * hills')) await page.waitForTimeout(50);
      const name = await shownWorld(page);
      const others = async (seed) => (await fetch(`${small.url}/preview`, { method: 'POST', body: HILLS.replace('7', seed) })).status;
      assert.deepEqual([await others('8'), await others('9')], [201, 201]);
      assert.equal((await fetch(`${small.url}/worlds/${name}`)).status, 404);
      await page.reload();
      await loadedTiles(page, ({ world }) => world === name);
      assert.equal(await page.textContent('#status'), '');
    }, { expected: /status of 40[04]/ });
  } finally {
    await small.stop();
  }
});

/* With the page alone: a continent is broken up into islands that have a beach of their own; the biome is on the map, in
 * the legend and to be found, and whoever opens the link sees the same world. */
test('a newcomer forks terra, makes an archipelago with a beach, and shares it', { timeout: 60_000 }, () => visit(async (page) => {
  const search = async (text) => {
    await page.keyboard.press('Control+f');
    await page.keyboard.type(text);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
  };
  const replace = async (text, by) => {
    assert(TERRA.includes(text), `terra has no ${text}`);
    await search(text);
    await page.keyboard.insertText(by);
  };
  await page.selectOption('.lab select', 'terra');
  await until(page, () => document.querySelector('.lab-editor').shadowRoot.textContent.includes('"Terra"'));
  await page.locator('.lab-editor .cm-content').click();
  await replace('"Terra"', '"My isles"');
  await replace('rotate(fbm(wavelength=20971520', 'rotate(fbm(wavelength=786432');
  await replace(', 9) - 0.14', ', 9) - 0.3');
  await search('"biomes": [');
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await page.keyboard.insertText('{ "name": "white_beach", "title": "White beach", "color": "#fff6d0", "when": "height > 0 && height < 9 && plan < 25" },');
  const isMine = async () => (await page.title()).startsWith('My isles') &&
    (await (await fetch(`${server.url}/worlds/${await shownWorld(page)}`)).json()).biomes[0].name === 'white_beach';
  while (!await isMine()) await page.waitForTimeout(50);
  await status(page, /^\d+ layers/);

  await page.click('.lab button:has-text("Share")');
  const link = await until(page, () => document.querySelector('.share input').value);
  const { fingerprint } = await (await fetch(`${server.url}/worlds/${await shownWorld(page)}`)).json();
  await open(link, async (other) => {
    await loadedTiles(other, (tile) => tile.fingerprint === fingerprint);
    await other.click('#drawer-close');
    await other.selectOption('#style', 'biome');
    await until(other, () => document.querySelector('#legend').textContent.includes('White beach'));
    await other.click('#tool-find');
    await other.locator('[data-name=white_beach]').click();
    await other.locator('.find .main').click();
    await other.getByRole('button', { name: 'Open the card of place 1' }).click();
    await until(other, () => document.querySelector('#card-biome')?.textContent, null, (text) => text === 'White beach');
  });
}, { viewport: { width: 900, height: 600 } }));

test('what is written is kept, and not replaced without a question', () => visit(async (page) => {
  await openHills(page);
  await number(page, /^300$/).click();
  await page.keyboard.press('Alt+ArrowUp');
  await status(page, /^3 layers/);
  await page.goto('about:blank');
  await page.goto(`${server.url}/#terra/relief/9/0/0`);
  await loadedTiles(page, ({ world }) => world === 'terra');
  await page.click('#tool-lab');
  await status(page, /“Hills” is as you left it/);
  await loadedTiles(page, isPreview);
  assert.match(await editorText(page), /"310 \* hills"/);

  await page.selectOption('.lab select', 'dunes');
  await textOf(page, '.question', /“Hills” has changes/);
  await page.click('[data-answer=keep]');
  assert.match(await editorText(page), /"310 \* hills"/);
  await page.selectOption('.lab select', 'perlin');
  const download = page.waitForEvent('download');
  await page.click('[data-answer=save]');
  assert.equal((await download).suggestedFilename(), 'hills.json');
  await until(page, () => document.querySelector('.lab-editor').shadowRoot.textContent.includes('"Perlin"'));
  await page.click('button[aria-label=Undo]');
  assert.match(await editorText(page), /"310 \* hills"/);
}));

test('a question stays for the world that was chosen last, and so does what is compared', () => visit(async (page) => {
  await openHills(page);
  await number(page, /^300$/).click();
  await page.keyboard.press('Alt+ArrowUp');
  await status(page, /^3 layers/);
  const sources = () => [...document.querySelectorAll('.leaflet-lab-before-pane img')].map((image) => image.src).join();
  await page.click('.lab button:has-text("Compare")');
  const before = await until(page, sources);
  await page.selectOption('.lab select', 'dunes');
  await textOf(page, '.question', /“Hills” has changes/);
  await page.selectOption('.lab select', 'perlin');
  await page.waitForTimeout(100);
  await page.click('[data-answer=replace]');
  await until(page, () => document.querySelector('.lab-editor').shadowRoot.textContent.includes('"Perlin"'));
  assert.equal(await page.isVisible('.question'), false);
  await until(page, sources, null, (now) => now !== '' && !now.split(',').some((src) => before.includes(src)));
}));

/* Two windows write at the same time: each finds its own text again, and a new one the other's too. */
test('each window has a text of its own', () => visit(async (page) => {
  const change = async (window, keys) => {
    await number(window, /^300$/).click();
    for (let press = 0; press < keys; press += 1) await window.keyboard.press('Alt+ArrowUp');
    await status(window, /^3 layers/);
  };
  const shows = (window, text) => until(window, (wanted) => document.querySelector('.lab-editor')?.shadowRoot.textContent
    .includes(wanted), text);
  const reopen = async (window) => {
    await window.reload();
    await window.click('#tool-lab');
  };
  const openAnother = async () => {
    const window = await page.context().newPage();
    await window.goto(`${server.url}/#caves/relief/12/0/0`);
    await window.click('#tool-lab');
    return window;
  };
  await openHills(page);
  await change(page, 1);
  await page.waitForTimeout(600); /* longer than the page waits to keep it */
  const other = await openAnother();
  await shows(other, '310 * hills'); /* the text that was written last */
  await number(other, /^310$/).click();
  for (let press = 0; press < 4; press += 1) await other.keyboard.press('Alt+ArrowUp');
  await other.waitForTimeout(600);
  await reopen(page);
  await shows(page, '310 * hills');
  await reopen(other);
  await shows(other, '350 * hills');
  await page.goto('about:blank');
  await other.close({ runBeforeUnload: true });

  const third = await openAnother();
  await shows(third, '350 * hills');
  const kept = () => third.$$eval('.lab select optgroup option', (all) => all.map(({ text, value }) => ({ text, value })));
  assert.ok((await kept()).every(({ text }) => text.startsWith('Hills, ')));
  /* What is chosen leaves the list, and what was there before comes into it. */
  for (let turn = 0; turn < 8 && !(await editorText(third)).includes('310 * hills'); turn += 1) {
    const all = await kept();
    await third.selectOption('.lab select', all[turn % all.length].value, { timeout: 1000 }).catch(() => {});
    await third.waitForTimeout(200);
    if (await third.isVisible('.question')) await third.click('[data-answer=replace]');
    await third.waitForTimeout(200);
  }
  await shows(third, '310 * hills');
}));
