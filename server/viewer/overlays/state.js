/* The grids and markers that lie over the map, for the drawer and for what shows them without it:
 * the address (?chunks=64&tilegrid=1&geojson=…) and the markers of the server's operator. */

import * as L from 'leaflet/dist/leaflet-src.esm.js';
import { createEvents } from '../app/events.js';
import { loadStyle } from '../app/dom.js';
import { createCollection } from './collection.js';
import { Grid, chunkCells, tileCells } from './grid.js';
import { tr } from '../texts/texts.js';

export const SIDE_MAX = 2 ** 24;
const COLLECTIONS_MAX = 32;
const CHUNKS = { colour: '#fff', width: 1, drop: 0 };
const TILES = { colour: '#ffd54f', width: 2, drop: 1 };

/* A side of chunks from text, or null. */
export function parseSide(text) {
  const side = /^\d{1,8}$/.test(text ?? '') ? Number(text) : 0;
  return side >= 1 && side <= SIDE_MAX ? side : null;
}

function createOverlays(app) {
  const events = createEvents();
  const map = app.map.leaflet;
  const renderer = L.canvas({ padding: 0.4 });
  const grids = { chunks: null, tiles: null };
  const changed = () => events.emit('changed');

  const setGrid = (name, cells, look) => {
    grids[name]?.remove();
    grids[name] = cells && new Grid(cells, look).addTo(map);
    changed();
  };
  const isOwn = ({ url, fromServer }) => url !== null && !fromServer;
  const writeAddresses = () => {
    const own = overlays.collections.filter(isOwn);
    app.setExtra('geojson', own.map(({ url, interval }) => `${interval}!${url}`).join(' ') || null);
  };
  const drop = (collection) => {
    overlays.collections.splice(overlays.collections.indexOf(collection), 1);
    collection.remove();
  };
  /* Shows the collections of the page's address, and no other addresses. */
  const followAddresses = () => {
    const wanted = [...(app.extras.geojson ?? '').matchAll(/(\d{1,5})!(\S+)/g)]
      .map(([, interval, url]) => ({ title: url, url, interval: Number(interval) }));
    const isSame = (a, b) => a.url === b.url && a.interval === b.interval;
    const obsolete = overlays.collections.filter((shown) =>
      isOwn(shown) && !wanted.some((each) => isSame(each, shown)));
    obsolete.forEach(drop);
    for (const source of wanted) {
      if (!overlays.collections.some((shown) => isSame(source, shown))) overlays.add(source);
    }
    if (obsolete.length > 0) changed();
  };

  const overlays = {
    on: events.on,
    side: null,          /* of chunks, in metres; null while their grid is not shown */
    tiles: false,
    collections: [],     /* the latest last */

    setChunks(side) {
      overlays.side = side;
      setGrid('chunks', side && chunkCells(side), CHUNKS);
      app.setExtra('chunks', side && String(side));
    },
    setTiles(shown) {
      overlays.tiles = shown;
      setGrid('tiles', shown && tileCells, TILES);
      app.setExtra('tilegrid', shown ? '1' : null);
    },
    /* Adds what createCollection() takes, unless there are too many. */
    add(source) {
      if (overlays.collections.length >= COLLECTIONS_MAX && !source.fromServer) {
        app.status.set('tool', tr('At most {0} files and addresses are shown.', COLLECTIONS_MAX));
        return;
      }
      const allowed = [location.href, app.worlds?.page?.markers].filter(Boolean)
        .map((address) => new URL(address, document.baseURI).origin);
      overlays.collections.push(createCollection(source, { map, renderer, allowed, changed }));
      writeAddresses();
      changed();
    },
    remove(collection) {
      drop(collection);
      app.status.set('tool', '');
      writeAddresses();
      changed();
    },
    /* Shows what the address says. */
    follow() {
      const { chunks, tilegrid } = app.extras;
      if (parseSide(chunks) !== overlays.side) overlays.setChunks(parseSide(chunks));
      if ((tilegrid === '1') !== overlays.tiles) overlays.setTiles(tilegrid === '1');
      followAddresses();
      const { markers, markers_interval: interval } = app.worlds?.page ?? {};
      if (markers && overlays.collections.every(({ fromServer }) => !fromServer)) {
        overlays.add({ title: tr('Markers of this server'), url: markers, interval,
          fromServer: true });
      }
    },
  };
  loadStyle('viewer/overlays/overlays.css').catch(() => {});
  return overlays;
}

let shared = null;

/* The overlays of the page: made when they are first wanted. */
export function overlaysOf(app) {
  shared ??= createOverlays(app);
  return shared;
}
