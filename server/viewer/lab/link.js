/* Links with a whole world in them, for worlds of the lab: a server drops a preview that was not used
 * for long, and all of them when it ends. The page of whoever opens the link posts the text again. */

import { request } from '../app/api.js';
import { formatPermalink, worldAddress } from '../app/permalink.js';
import { postPreview } from './preview.js';
import { pack } from './share.js';
import { keptTexts, withSeed } from './store.js';

/* The text of a world's file; with a seed that is another than its own. */
export async function fetchWorldFile(name, seed, signal) {
  const response = await request(`worlds/${worldAddress(name, null)}/world.json`, { signal });
  const text = await response.text();
  return seed === null ? text : withSeed(text, seed);
}

/* The address of the page with the world of a text in it, at the place that is shown, or at another
 * one with further extras. */
export async function linkOf(app, text, place = null, extras = {}) {
  const hash = formatPermalink({
    world: app.worlds.default, seed: null, style: 'relief', ...app.map.view(),
    ...(place && { x: place.x, y: place.y, exact: true }),
    extras: { ...app.extras, ...extras, lab: await pack(text), labmap: app.style },
  });
  return new URL(hash, location.href).href;
}

/* The same of the preview that the page shows: its text is that of the lab, if it shows it, or else
 * the server's. Throws Refusal when the server has dropped it. */
export async function linkOfPreview(app, place, extras) {
  const { name, chosenSeed } = app.world;
  const text = app.previewText() ?? await fetchWorldFile(name, null);
  return linkOf(app, chosenSeed === null ? text : withSeed(text, chosenSeed), place, extras);
}

/* The name that the server gives a preview: half of the SHA-256 of its text. Null where the browser
 * has no hashes, as on pages over HTTP from another computer. */
async function nameOf(text) {
  const hash = await globalThis.crypto.subtle?.digest('SHA-256', new TextEncoder().encode(text));
  if (!hash) return null;
  const digits = [...new Uint8Array(hash, 0, 16)].map((byte) => byte.toString(16).padStart(2, '0'));
  return `preview-${digits.join('')}`;
}

/* Posts the text of a preview that the server has dropped, if this browser keeps it: its writer has
 * opened the page again. Gives whether the server has the preview now. */
export async function postKept(name) {
  for (const text of keptTexts()) {
    if (await nameOf(text) === name) return Boolean((await postPreview(text)).world);
  }
  return false;
}
