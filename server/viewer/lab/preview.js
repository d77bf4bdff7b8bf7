/* Previews: posts the text of a world file and shows the world that the server makes of it. A newer
 * text takes back an older one. */

import { Unreachable, getWorld } from '../app/api.js';
import { createLatest } from '../app/app.js';
import { tr } from '../texts/texts.js';

/* Long enough for a word typed without a pause, short enough to follow a hand. */
const REST_MS = 40;
/* A preview that the server dropped is posted again, but not more often than this. */
const AGAIN_MS = 3000;

/* What the server says of a text: {world, warnings}, {errors}, {off: why}, or {refused: why}. */
export async function postPreview(text, signal) {
  let response;
  try {
    response = await fetch('preview', {
      method: 'POST', headers: { 'Content-Type': 'application/json' }, body: text, signal,
    });
  } catch (error) {
    throw signal?.aborted ? error : new Unreachable();
  }
  const answer = await response.json().catch(() => ({}));
  if (response.status === 201) {
    return { world: await getWorld(answer.name, null, signal), warnings: answer.warnings ?? [] };
  }
  if (response.status === 422 && answer.errors) return { errors: answer.errors };
  const why = answer.detail ?? tr('The server answered {0}.', response.status);
  const sentence = why.replace(/^./u, (first) => first.toUpperCase());
  return [403, 404, 405].includes(response.status) ? { off: sentence } : { refused: sentence };
}

/* Waits until all tiles have come that the map begins to load with `show()`; it may have them. */
function untilTilesCome(leaflet, show) {
  return new Promise((resolve) => {
    let tiles = null;
    const watch = ({ layer }) => {
      if (layer.getTileSize && layer.options.className !== 'backdrop') tiles ??= layer;
    };
    leaflet.on('layeradd', watch);
    show();
    leaflet.off('layeradd', watch);
    if (tiles === null) resolve();
    else tiles.once('load', resolve);
  });
}

/* `on` has result(what postPreview() gives, or {failed: message}) and tiles(milliseconds from the
 * post to the last visible tile). */
export function createPreviews(app, on) {
  const latest = createLatest();
  let open = false;
  let timer = 0;
  let text = null;        /* that was posted last */
  let waiting = null;     /* the text that has no answer yet */
  let postponed = null;   /* such a text, of a lab that was closed */
  let world = null;       /* of the last text without errors */
  let shownText = null;   /* that text */
  let posted = 0;

  const isShown = () => world !== null && app.world === world;
  const present = async (shown, style, begun) => {
    world = shown;
    await untilTilesCome(app.map.leaflet, () => app.show(world, style));
    if (world === shown) on.tiles(performance.now() - begun);
  };

  const post = async (newText, style) => {
    text = waiting = newText;
    postponed = null;
    posted = performance.now();
    const begun = posted;
    try {
      const result = await latest((signal) => postPreview(text, signal));
      if (result === null) return;
      waiting = null;
      if (result.world && (open || isShown())) {
        shownText = newText;
        present(result.world, style, begun);
      }
      on.result(result);
    } catch (error) {
      on.result({ failed: error.message });
    }
  };

  app.on('broken', () => {
    if (!isShown() || performance.now() - posted < AGAIN_MS) return;
    post(text).then(() => app.map.retryTiles());
  });

  return {
    /* Posts the text when it has rested for a moment. */
    schedule(newText) {
      waiting = newText;
      clearTimeout(timer);
      timer = setTimeout(post, REST_MS, newText);
    },
    /* At once; `style` is that of the map then, by default the present one. */
    post(newText, style) {
      clearTimeout(timer);
      return post(newText, style);
    },
    /* While the lab is closed no new preview is shown: what has no answer then waits until it is
     * open again. */
    setOpen(wanted) {
      open = wanted;
      if (open && postponed !== null) post(postponed);
      if (open) return;
      clearTimeout(timer);
      latest(async () => null);
      postponed = waiting;
    },
    /* Whether the map shows the preview. */
    isShown,
    /* The text of the preview that the map shows, with any seed, or null. */
    shownText: () => (world !== null && app.world.name === world.name ? shownText : null),
  };
}
