/* Frames a second of the page's 3-D while the eye flies, in Chromium whose WebGL is drawn by the processor.
 *
 * A frame is one in which WebGL was told to draw. A key is held: the first seconds let the tiles come and the page
 * choose its level of detail, then frames are counted for SECONDS. BENCH_OTHER names a second binary, which takes turns
 * with the first. */

import { until } from '../browser/browser.mjs';
import { KINDS, WEBGL, launchBrowser } from '../browser/chromium.mjs';
import { binaries, withFreshServer } from './pages.mjs';
import { fixed, table } from './table.mjs';

const SECONDS = Number(process.env.FRAMES_SECONDS ?? 10);
const WARM_UP_MS = 10000;
const VIEWPORT = { width: 900, height: 600 };
const PLACES = [
  ['canyons', '#canyons/relief/12/0/0?pitch=60'],
  ['coast of terra', '#terra/relief/11/0/0?pitch=60'],
  ['archipelago', '#archipelago/relief/11/0/0?pitch=60'],
];

/* Runs in the page before its own scripts: the times of frames. */
function noteFrames() {
  globalThis.frameTimes = [];
  let drawn = false;
  for (const name of ['drawElements', 'drawElementsInstanced']) {
    const draw = WebGL2RenderingContext.prototype[name];
    WebGL2RenderingContext.prototype[name] = function (...words) {
      drawn = true;
      return draw.apply(this, words);
    };
  }
  const tick = (now) => {
    if (drawn) globalThis.frameTimes.push(now);
    drawn = false;
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
}

/* The milliseconds between frames while W is held. */
async function fly(context, address) {
  const page = await context.newPage();
  page.setDefaultTimeout(120000);
  await page.addInitScript(noteFrames);
  await page.goto(address);
  await until(page, () => document.querySelector('.scene-map[aria-busy="false"]') !== null);
  await page.focus('.scene-map canvas');
  await page.keyboard.down('w');
  await page.waitForTimeout(WARM_UP_MS);
  const from = await page.evaluate(() => performance.now());
  await page.waitForTimeout(SECONDS * 1000);
  const times = await page.evaluate((start) => globalThis.frameTimes.filter((time) => time >= start), from);
  await page.keyboard.up('w');
  return times.slice(1).map((time, i) => time - times[i]).sort((a, b) => a - b);
}

async function measureFrames(log) {
  const browser = await launchBrowser({ ...KINDS.webgl, further: WEBGL });
  const results = [];
  try {
    for (const [place, hash] of PLACES) {
      for (const [binary, program] of binaries()) {
        log(`3-D over ${place}`);
        const gaps = await withFreshServer(browser, program, VIEWPORT, (context, url) => fly(context, `${url}/${hash}`));
        results.push({ place, binary, a_second: gaps.length / SECONDS,
          median_ms: gaps[Math.floor(gaps.length / 2)], slowest_ms: gaps.at(-1) });
      }
    }
  } finally {
    await browser.close();
  }
  return results;
}

const framesTable = (results) => table(
  `3-D while the eye flies: Chromium at ${VIEWPORT.width} × ${VIEWPORT.height}, WebGL drawn by the processor`,
  results.map((row) => ({
    place: row.place, binary: row.binary, 'frames a second': fixed(row.a_second, 1),
    'median, ms': fixed(row.median_ms, 0), 'slowest, ms': fixed(row.slowest_ms, 0),
  })),
);

const results = await measureFrames((text) => process.stderr.write(`measuring ${text}\n`));
process.stdout.write(process.env.JSON ? `${JSON.stringify(results, null, 2)}\n` : framesTable(results));
