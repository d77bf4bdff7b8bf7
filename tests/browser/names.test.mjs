/* Names on the map of the page at /: which of them show, where they stand, when they are asked for, and that they stay
 * where they are. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shownLabels } from '../../server/viewer/names/layout.js';
import { WIDE, loadedTiles, pageOfFile, until, waitForHash, waitForText } from './browser.mjs';

const { server, visit } = pageOfFile(WIDE);
const HERE = '#terra/relief/9/-1200000/300000';

/* A label of 100 × 20 pixels at zoom 17, where a pixel is a metre. */
const label = (id, x, y, more = {}) =>
  ({ id, kind: 'river', rank: 9, size: 1, x, y, angle: null, box: { width: 100, height: 20 }, ...more });
const ids = (labels, zoom = 17) => shownLabels(labels, zoom).map(({ id }) => id).sort().join('');

test('a label is hidden by each better one that it overlaps, in any order', () => {
  const better = { rank: 8 };
  assert.equal(ids([label('a', 0, 0), label('b', 103, 0)]), 'ab'); /* 100 pixels and a gap of 2 lie between the middles */
  assert.equal(ids([label('a', 0, 0), label('b', 101, 0)]), 'a'); /* of equals that of lesser id */
  assert.equal(ids([label('a', 0, 0), label('b', 101, 0, better)]), 'b');
  assert.equal(ids([label('a', 0, 0), label('b', 101, 0, { size: 2 })]), 'b');
  assert.equal(ids([label('a', 0, 0), label('b', 101, 0, { kind: 'sea' })]), 'b');
  assert.equal(ids([label('a', 0, 0), label('b', 101, 0, { kind: 'peak', rank: 3, size: null, height: 9 })]), 'a');
  assert.equal(ids([label('a', 0, 0), label('b', 101, 0)], 18), 'ab'); /* twice as far apart */
  assert.equal(ids([label('a', 0, 0, { rank: 18 })]), '');
  /* b is hidden by a, and hides c nevertheless: what is around b decides of c, not what is around a. */
  const row = [label('a', 0, 0), label('b', 60, 0), label('c', 120, 0)];
  assert.equal(ids(row), 'a');
  assert.equal(ids(row.toReversed()), 'a');
});

test('texts that are turned take the room that they have turned', () => {
  const upright = { angle: 90 };
  assert.equal(ids([label('a', 0, 0, upright), label('b', 63, 0)]), 'ab'); /* halves of 10 and 50, and the gap */
  assert.equal(ids([label('a', 0, 0, upright), label('b', 61, 0)]), 'a');
  assert.equal(ids([label('a', 0, 0, upright), label('b', 0, 63)]), 'ab');
  /* Side by side at 45°, 23 pixels apart: their upright rectangles overlap widely. */
  const apart = (pixels) => [0, pixels * Math.SQRT1_2, -pixels * Math.SQRT1_2];
  const [, x, y] = apart(23);
  assert.equal(ids([label('a', 0, 0, { angle: 45 }), label('b', x, y, { angle: 45 })]), 'ab');
  const [, near, above] = apart(21);
  assert.equal(ids([label('a', 0, 0, { angle: 45 }), label('b', near, above, { angle: 45 })]), 'a');
});

/* The names in the window: {text, kind, left, top} of the places of their markers. */
const seen = () => [...document.querySelectorAll('.leaflet-names-pane .name')].map((element) => {
  const { left, top } = element.parentElement.getBoundingClientRect();
  return { text: element.textContent, kind: element.classList[1], left, top };
}).filter(({ left, top }) => left > 0 && top > 0 && left < innerWidth && top < innerHeight);
const someNames = (page) => until(page, seen, null, (names) => names.length > 5);
const asksLabels = (page) => {
  const asked = [];
  page.on('request', (request) => request.url().includes('/labels?') && asked.push(request.url()));
  return asked;
};

/* The view of 1280 × 800 pixels of 256 m. */
test('the map has the names of /labels at their places, and none overlaps another one', () => visit(HERE, async (page) => {
  await loadedTiles(page);
  const names = await someNames(page);
  const [west, north] = [-1200000 - 640 * 256, 300000 - 400 * 256];
  const bbox = [west, north, west + 1280 * 256, north + 800 * 256];
  const { labels } = await (await fetch(`${server.url}/worlds/terra/labels?bbox=${bbox}&zoom=9`)).json();
  for (const { text, kind, left, top } of names) {
    /* A long river has its name more than once. */
    const same = labels.find((each) => text.includes(each.name) && each.kind === kind &&
      Math.hypot((each.x - west) / 256 - left, (each.y - north) / 256 - top) < 1.5);
    assert.ok(same, `${kind} ${text}`);
    if (kind === 'peak') assert.match(text, new RegExp(`${Math.round(same.height)}$`.replace(/(\d)(\d{3}\$)/, '$1.$2').replace('$', '\u202fm$')));
  }
  assert.ok(names.length > 0.8 * labels.length, `${names.length} of ${labels.length}`);
  /* The page orders names as the server does, but for summits, of which the page takes the higher ones first. */
  const areas = labels.filter(({ kind }) => kind !== 'peak' && kind !== 'hill');
  const points = areas.toReversed().map((each) => ({ ...each, box: { width: 0, height: 0 } }));
  assert.deepEqual(shownLabels(points, 20).map(({ id }) => id), areas.map(({ id }) => id));
  const clash = await page.evaluate(() => {
    const level = [...document.querySelectorAll('.name')].filter(({ style }) => style.rotate === '');
    const boxes = level.map((element) => [element.textContent, element.getBoundingClientRect()]);
    return boxes.flatMap(([a, one], i) => boxes.slice(i + 1).filter(([, two]) =>
      one.left < two.right && two.left < one.right && one.top < two.bottom && two.top < one.bottom).map(([b]) => `${a}, ${b}`));
  });
  assert.deepEqual(clash, []);
}));

test('water is lettered in italics, ranges are spaced, rivers are turned, and no name has a ground of its own', () => visit('#terra/relief/7/-100000/50000', async (page) => {
  await someNames(page);
  const looks = await page.evaluate(() => Object.fromEntries([...document.querySelectorAll('.name')].map((element) => {
    const { fontStyle, letterSpacing, rotate, backgroundColor, padding } = getComputedStyle(element);
    return [element.classList[1], [fontStyle, parseFloat(letterSpacing) || 0, rotate, `${backgroundColor} ${padding}`]];
  })));
  assert.ok('plain' in looks, Object.keys(looks).join());
  for (const [kind, [, , , box]] of Object.entries(looks)) assert.equal(box, 'rgba(0, 0, 0, 0) 0px', kind);
  assert.equal(looks.sea[0], 'italic');
  assert.equal(looks.river[0], 'italic');
  assert.match(looks.river[2], /deg$/);
  assert.ok(looks.range[1] >= 2 && looks.range[0] === 'normal', String(looks.range));
}));

test('names stay where they are while the map is moved, and the better ones while it is zoomed', () => visit(HERE, async (page) => {
  const before = await someNames(page);
  await page.mouse.move(500, 400);
  await page.mouse.down();
  await page.mouse.move(700, 500, { steps: 5 });
  await page.waitForTimeout(400); /* held still, so that it does not fly on */
  await page.mouse.up();
  await loadedTiles(page);
  /* Those in the part that both views have, away from its edge. */
  const inside = ({ left, top }) => left > 220 && left < 1260 && top > 120 && top < 780;
  const moved = before.map(({ left, top, ...name }) => ({ ...name, left: left + 200, top: top + 100 })).filter(inside);
  const after = await until(page, seen, null, (names) => names.some(({ left }) => left < 180));
  const shown = after.filter(inside);
  assert.ok(moved.length > 5);
  assert.deepEqual(shown.map(({ text }) => text).sort(), moved.map(({ text }) => text).sort());
  for (const { text, left, top } of moved) {
    assert.ok(shown.some((each) => each.text === text && Math.hypot(each.left - left, each.top - top) < 2), text);
  }
  /* Twice as far from the middle at the next zoom. The last zoom of a name may be the present one. */
  const middle = after.filter(({ left, top, kind }) => Math.abs(left - 640) < 310 && Math.abs(top - 400) < 190 && kind !== 'peak');
  const asked = asksLabels(page);
  await page.focus('#map');
  await page.keyboard.press('+');
  await waitForHash(page, /^#terra\/relief\/10\//);
  while (asked.length === 0) await page.waitForTimeout(20);
  const closer = await until(page, seen, null, (names) => names.some(({ text }) => !after.some((each) => each.text === text)));
  const stayed = middle.filter(({ text, left, top }) => closer.some((each) => each.text === text
    && Math.hypot(each.left - 2 * left + 640, each.top - 2 * top + 400) < 3));
  assert.ok(middle.length >= 3 && stayed.length >= middle.length - 1, `${stayed.length} of ${middle.length}`);
}));

test('names are asked for when the tiles have come', () => visit('#terra/relief/9/0/0', async (page) => {
  await someNames(page);
  const asked = asksLabels(page);
  const held = [];
  await page.route(/\/tiles\/relief/, (route) => held.push(route));
  await page.evaluate(() => { location.hash = '#terra/relief/9/3000000/3000000'; });
  await until(page, () => document.querySelectorAll('img.leaflet-tile:not(.leaflet-tile-loaded)').length > 0);
  while (held.length < 12) await page.waitForTimeout(20);
  await page.waitForTimeout(200);
  assert.deepEqual(asked, []);
  await page.unroute(/\/tiles\/relief/);
  for (const route of held) route.continue().catch(() => {});
  while (asked.length === 0) await page.waitForTimeout(20);
  await loadedTiles(page);
}));

test('names are switched off in the link, and worlds without names have no switch', () => visit('#terra/relief/9/0/0', async (page) => {
  await someNames(page);
  await page.uncheck('#names');
  await waitForHash(page, '#terra/relief/9/0/0?names=0');
  assert.equal(await page.locator('.name').count(), 0);
  const asked = asksLabels(page);
  await page.reload();
  await loadedTiles(page);
  await waitForText(page, '#height', /\d/);
  assert.equal(await page.isChecked('#names'), false);
  assert.deepEqual(asked, []);
  await page.check('#names');
  await waitForHash(page, '#terra/relief/9/0/0');
  await someNames(page);

  await page.evaluate(() => { location.hash = '#wood/wood/11/0/0'; });
  await waitForHash(page, '#wood/wood/11/0/0');
  await loadedTiles(page, ({ world }) => world === 'wood');
  asked.length = 0;
  await page.reload();
  await loadedTiles(page);
  await waitForText(page, '#height', /\d/);
  assert.equal(await page.isHidden('#names-field'), true);
  assert.deepEqual(asked, []);
}));

test('a map whose colours are code shows no names, and has no switch for them', () => visit(HERE, async (page) => {
  await someNames(page);
  await page.selectOption('#style', 'terrarium');
  await until(page, () => document.querySelector('#names-field').hidden
    && [...document.querySelectorAll('.leaflet-names-pane *')].every((each) => !each.checkVisibility()));
  await page.selectOption('#style', 'relief');
  await someNames(page);
  assert.equal(await page.isVisible('#names-field'), true);
}));

test('names that did not come are asked for at the next view, and no message stays', () => visit('#terra/relief/9/0/0?names=0', async (page) => {
  await loadedTiles(page);
  await page.route(/\/labels\?/, (route) => route.abort());
  const failed = page.waitForEvent('requestfailed');
  await page.check('#names');
  await failed;
  await page.unroute(/\/labels\?/);
  await page.focus('#map');
  await page.keyboard.press('ArrowRight');
  await someNames(page);
  assert.equal(await page.textContent('#status'), '');
}, { expected: /Failed to load resource/ }));

test('the card has the name that is written at its place', () => visit('#terra/relief/9/-993120/548160', async (page) => {
  const names = await someNames(page);
  const clear = ({ left, top }) => left > 300 && left < 800 && top > 60 && top < 740;
  const { text, kind, left, top } = names.find((each) => clear(each) && each.kind !== 'peak');
  await page.mouse.click(left, top);
  await until(page, () => document.querySelector('#card-name')?.textContent, null, (shown) => shown === `${text} ${kind}`);
  /* A name that the edge of the window or of the open drawer would cut is gone. */
  const atEdge = await page.evaluate(() => [...document.querySelectorAll('.name')].filter((element) => {
    const { top, bottom, left, right } = element.getBoundingClientRect();
    return left > 300 && right < 860 && ((top < -3 && bottom > 0) || (top < innerHeight && bottom > innerHeight + 3));
  }).map((element) => getComputedStyle(element).opacity));
  assert.ok(atEdge.length > 0 && atEdge.every((opacity) => opacity === '0'), atEdge.join());
  const cut = () => {
    const { left } = document.querySelector('#drawer').getBoundingClientRect();
    return [...document.querySelectorAll('.name')].filter((element) => {
      const box = element.getBoundingClientRect();
      return box.left < left - 4 && box.right > left + 4 && box.top > 14 && box.bottom < 400;
    }).map((element) => getComputedStyle(element).opacity);
  };
  await until(page, cut, null, (opacities) => opacities.length > 0 && opacities.every((opacity) => opacity === '0'));
  const empty = await page.evaluate(() => {
    const boxes = [...document.querySelectorAll('.name')].map((element) => element.getBoundingClientRect());
    const isFree = (x, y) => boxes.every((box) => x < box.left - 20 || x > box.right + 20 || y < box.top - 20 || y > box.bottom + 20);
    for (let y = 560; y < 780; y += 10) if (isFree(400, y)) return y;
    return null;
  });
  assert.notEqual(empty, null);
  await page.mouse.click(400, empty);
  await until(page, () => document.querySelector('#card-name') === null);
  await page.keyboard.press('Escape');
  await until(page, () => [...document.querySelectorAll('.name')].filter((element) => {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    return left > 820 && right < 1160 && top > 20 && bottom < 760;
  }).map((element) => getComputedStyle(element).opacity), null, (opacities) =>
    opacities.length > 2 && opacities.every((opacity) => opacity === '1'));
}));
