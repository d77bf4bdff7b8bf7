/* One GeoJSON file on the map: from a text, or from an address that is asked again and again. While
 * a new version is read the old one stays, and a version that is broken changes nothing. */

import { createFeatureLayer, openName, reopen } from './features.js';
import { readGeoJson } from './geojson.js';

const CHARACTERS_MAX = 20 * 2 ** 20;
const TOO_LONG = 'This has more than 20 MB.';
const PATIENCE_MS = 15000;

/* The text at an address, of bounded length. */
async function fetchText(url) {
  const response = await fetch(url, {
    headers: { Accept: 'application/geo+json, application/json' },
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  if (!response.ok) throw new Error(`The address answered ${response.status}.`);
  const decoder = new TextDecoder();
  let text = '';
  for (const reader = response.body.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    text += decoder.decode(value, { stream: true });
    if (text.length > CHARACTERS_MAX) throw new Error(TOO_LONG);
  }
}

/* `allowed`: the origins that the page may ask; its policy forbids all others. */
function checkAddress(url, allowed) {
  const { origin, protocol } = new URL(url, document.baseURI);
  if (/^https?:$/.test(protocol) && allowed.includes(origin)) return;
  throw new Error(`This page may not ask ${origin}. Save the file and drop it here, `
    + 'or ask the operator of this server to name it with --markers.');
}

export function createCollection(source, { map, renderer, allowed, changed }) {
  const { title, text = null, url = null, interval = 0, fromServer = false } = source;
  let group = null;
  let content = text;
  let timer = 0;
  let removed = false;

  const collection = {
    title, url, interval, fromServer,
    features: [], degrees: null, couldBeDegrees: false, visible: true, error: null, loaded: false,
    /* Takes the coordinates for degrees or for metres, whatever the file says. */
    setDegrees(degrees) {
      collection.degrees = degrees;
      collection.read();
    },
    setVisible(visible) {
      collection.visible = visible;
      if (visible) group?.addTo(map);
      else group?.remove();
      changed();
    },
    remove() {
      removed = true;
      clearTimeout(timer);
      group?.remove();
    },
    /* Draws the present content. */
    read() {
      try {
        if (content.length > CHARACTERS_MAX) throw new Error(TOO_LONG);
        const data = readGeoJson(content, collection.degrees);
        const next = createFeatureLayer(data.features, renderer);
        const name = group && openName(group);
        if (collection.visible) next.addTo(map);
        group?.remove();
        group = next;
        reopen(group, name);
        Object.assign(collection, { features: data.features, shownDegrees: data.degrees,
          couldBeDegrees: data.couldBeDegrees, error: null, loaded: true });
      } catch (error) {
        collection.error = error.message;
      }
      changed();
    },
  };

  const refresh = async () => {
    try {
      checkAddress(url, allowed);
      const fresh = await fetchText(url);
      if (removed) return;
      if (fresh !== content || collection.error) {
        content = fresh;
        collection.read();
      }
    } catch (error) {
      collection.error = error instanceof TypeError || error.name === 'TimeoutError'
        ? 'The address does not answer.' : error.message;
      changed();
    }
    if (!removed && interval > 0) timer = setTimeout(whenVisible, interval * 1000);
  };
  /* Nobody looks at a page in the background. */
  const whenVisible = () => {
    if (!document.hidden) refresh();
    else document.addEventListener('visibilitychange', whenVisible, { once: true });
  };

  if (url === null) collection.read();
  else refresh();
  return collection;
}
