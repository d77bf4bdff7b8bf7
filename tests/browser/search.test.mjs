/* The search box: names, biomes, conditions, worlds and seeds; places are in panel.test.mjs. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PHONE, WIDE, loadedTiles, pageOfFile, until, waitForHash, waitForText } from './browser.mjs';

const { visit, server } = pageOfFile({ ...WIDE, reducedMotion: 'reduce' });
const LAND = '#terra/relief/9/-180000/-50000';
const ask = async (target) => (await fetch(server.url + target)).json();

const rows = (page) => page.$$eval('#search-list [role=option]', (all) => all.map((row) =>
  [row.querySelector('span').textContent, row.querySelector('small').textContent]));
const listed = (page, accept) => until(page, () => [...document.querySelectorAll('#search-list span')]
  .map(({ textContent }) => textContent), null, accept);

/* What is at the middle of the map, once it rests at another place than that of `before`. */
async function arrived(page, before) {
  const at = await until(page, () => location.hash, null, (hash) => hash.split('?')[0] !== before);
  await page.waitForTimeout(300);
  const [world, , , x, y] = (await page.evaluate(() => location.hash) || at).slice(1).split('?')[0].split('/');
  return ask(`/worlds/${world}/at?x=${x}&y=${y}`);
}

test('names are listed by their beginning, and one is chosen by keys', () => visit('#terra/relief/9/-180000/-50000', async (page) => {
  await loadedTiles(page);
  const { places: [place] } = await ask('/locate?name=mo&x=-180000&y=-50000&radius=250000');
  await page.fill('#goto', 'mo');
  const names = await listed(page, (all) => all.includes(place.name));
  assert.ok(names.every((name) => /^Mo|\bMo/i.test(name)), names.join());
  const shown = await rows(page);
  assert.match(shown[names.indexOf(place.name)][1], new RegExp(`^${place.kind}, .*km (north|south|east|west)`));
  assert.equal(await page.getAttribute('#goto', 'aria-expanded'), 'true');
  for (let i = 0; i <= names.indexOf(place.name); i += 1) await page.keyboard.press('ArrowDown');
  const active = await page.getAttribute('#goto', 'aria-activedescendant');
  assert.equal(await page.textContent(`#${active} span`), place.name);
  await page.keyboard.press('Enter');
  await waitForHash(page, new RegExp(`^#terra/relief/${place.zoom}/${Math.trunc(place.x / 1000)}[\\d.]*/${Math.trunc(place.y / 1000)}`));
  assert.equal(await page.isVisible('#search-list'), false);
}));

test('a biome and a condition are looked for, the nearest first', () => visit(LAND, async (page) => {
  await loadedTiles(page);
  await page.fill('#goto', 'savanna');
  await page.press('#goto', 'Enter');
  await waitForText(page, '#status', /^Savanna: .*m (north|south|east|west)/);
  assert.equal((await arrived(page, LAND)).biome, 'savanna');
  const before = await page.evaluate(() => location.hash);
  await page.fill('#goto', 'height>1000,slope<10');
  await page.press('#goto', 'Enter');
  await waitForText(page, '#status', /^height>1000.*m (north|south|east|west)/);
  const { height, slope } = await arrived(page, before);
  assert.ok(height > 990 && slope < 12, `${height} m, ${slope}°`);
  await page.fill('#goto', 'hight>1000');
  await page.press('#goto', 'Enter');
  await waitForText(page, '#status', /hight/);
}, { expected: /status of 40\d/ }));

test('worlds and seeds are gone to, and tools are opened by what they do', () => visit(LAND, async (page) => {
  await loadedTiles(page);
  await page.fill('#goto', 'seed 42');
  await page.press('#goto', 'Enter');
  await waitForHash(page, /^#terra~42\/relief\/9\/-180000\/-50000$/);
  await page.fill('#goto', 'canyons');
  await page.press('#goto', 'Enter');
  await waitForHash(page, /^#canyons\//);
  for (const [text, title] of [['blender', 'Take away'], ['how far', 'Measure'], ['print a map', 'Poster']]) {
    await page.fill('#goto', text);
    await page.press('#goto', 'Enter');
    await waitForText(page, '#drawer-title', new RegExp(`^${title}$`));
  }
}));

test('Escape closes the list, then takes the text back, and the list follows the text', () => visit(LAND, async (page) => {
  await loadedTiles(page);
  await page.fill('#goto', 'can');
  await listed(page, (all) => all.includes('Canyons'));
  await page.keyboard.press('Escape');
  assert.equal(await page.isVisible('#search-list'), false);
  assert.equal(await page.getAttribute('#goto', 'aria-expanded'), 'false');
  assert.equal(await page.inputValue('#goto'), 'can');
  await page.keyboard.press('Escape'); /* once more takes the text back, which can be undone */
  assert.equal(await page.inputValue('#goto'), '');
  await page.keyboard.press('Control+z');
  assert.equal(await page.inputValue('#goto'), 'can');
  await page.fill('#goto', '1000, 2000');
  await listed(page, (all) => all.length === 1);
  assert.equal((await rows(page))[0][1], 'place');
}));

test('a finger chooses a row on a phone', () => visit(LAND, async (page) => {
  await loadedTiles(page);
  await page.tap('#fold');
  await page.tap('#goto');
  await page.fill('#goto', 'can');
  await page.tap('#search-list [role=option]:has-text("Canyons")');
  await waitForHash(page, /^#canyons\//);
}, { ...PHONE, reducedMotion: 'reduce' }));

test('the list moves nothing that follows it, and closes where a place is gone to', () => visit(LAND, async (page) => {
  await loadedTiles(page);
  const top = () => page.evaluate(() => document.getElementById('dice').getBoundingClientRect().top);
  const before = await top();
  await page.fill('#goto', 'forest');
  await page.waitForSelector('#search-list li');
  assert.equal(await top(), before);
  /* Typed and sent at once: what is found for the text must not open the list again. */
  await page.fill('#goto', '56640, -41015');
  await page.press('#goto', 'Enter');
  await waitForHash(page, /\/56640\/-41015$/);
  await page.waitForTimeout(500); /* the server is asked after 200 ms */
  assert.equal(await page.isHidden('#search-list'), true);
  await page.click('#dice');
  await waitForHash(page, /~\d+\//);
}));
