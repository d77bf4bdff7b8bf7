/* One GeoJSON file on the map: of the reader's machine, or from an address that is asked again and
 * again. While a new version is read the old one stays, and a version that is broken changes
 * nothing. */

import { createFeatureLayer, openName, reopen } from './features.js';
import { readGeoJson } from './geojson.js';
import { tr } from '../texts/texts.js';

const BYTES_MAX = 20 * 2 ** 20;
const TOO_LONG = tr('This has more than 20 MB.');
const PATIENCE_MS = 15000;

/* The text at an address, of bounded length. */
async function fetchText(url) {
  const response = await fetch(url, {
    headers: { Accept: 'application/geo+json, application/json' },
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  if (!response.ok) throw new Error(tr('The address answered {0}.', response.status));
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (const reader = response.body.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.length;
    if (bytes > BYTES_MAX) {
      reader.cancel().catch(() => {});
      throw new Error(TOO_LONG);
    }
    text += decoder.decode(value, { stream: true });
  }
}

/* The text of a file; one that is too long is not read. */
async function fileText(file) {
  if (file.size > BYTES_MAX) throw new Error(TOO_LONG);
  try {
    return await file.text();
  } catch {
    throw new Error(tr('The file cannot be read.')); /* as a folder */
  }
}

/* `allowed`: the origins that the page may ask; its policy forbids all others. */
function checkAddress(url, allowed) {
  const { origin, protocol } = new URL(url, document.baseURI);
  if (/^https?:$/.test(protocol) && allowed.includes(origin)) return;
  throw new Error(tr('This page may not ask {0}. Save the file and drop it here, '
    + 'or ask the operator of this server to name it with --markers.', origin));
}

/* What went wrong, for people. */
function reasonOf(error) {
  const isSilent = error instanceof TypeError || error.name === 'TimeoutError';
  return isSilent ? tr('The address does not answer.') : error.message;
}

/* `source` is {title, file} or {title, url, interval (seconds, 0 for never again)}. */
export function createCollection(source, { map, renderer, allowed, changed }) {
  const { title, file = null, url = null, interval = 0, fromServer = false } = source;
  const removed = new AbortController();
  let group = null;
  let content = null;
  let timer = 0;

  const collection = {
    title, url, interval, fromServer,
    features: [], degrees: null, couldBeDegrees: false, visible: true, error: null, loaded: false,
    /* Takes the coordinates for degrees or for metres, whatever the file says. */
    setDegrees(degrees) {
      collection.degrees = degrees;
      if (content !== null) read();
    },
    setVisible(visible) {
      collection.visible = visible;
      if (visible) group?.addTo(map);
      else group?.remove();
      changed();
    },
    remove() {
      removed.abort();
      clearTimeout(timer);
      group?.remove();
    },
  };

  /* Draws the present content. */
  const read = () => {
    try {
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
  };
  const getText = () => {
    if (file !== null) return fileText(file);
    checkAddress(url, allowed);
    return fetchText(url);
  };
  const refresh = async () => {
    try {
      const fresh = await getText();
      if (removed.signal.aborted) return;
      if (fresh !== content || collection.error) {
        content = fresh;
        read();
      }
    } catch (error) {
      if (removed.signal.aborted) return;
      collection.error = reasonOf(error);
      changed();
    }
    if (interval > 0) timer = setTimeout(whenVisible, interval * 1000);
  };
  /* Nobody looks at a page in the background. */
  const whenVisible = () => {
    if (!document.hidden) refresh();
    else {
      document.addEventListener('visibilitychange', whenVisible,
        { signal: removed.signal, once: true });
    }
  };

  refresh();
  return collection;
}
