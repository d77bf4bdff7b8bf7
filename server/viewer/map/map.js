/* The map: Leaflet with the server's tile scheme, and tiles that replace each other without
 * flashing. A Leaflet "latlng" here is (−y, x) in metres. */

import * as L from 'leaflet/dist/leaflet-src.esm.js';
import { PLACE_MAX, ZOOM_MAX } from '../app/place.js';
import { createAim } from './aim.js';

/* At zoom z a tile of 256 pixels spans 2^(25−z) m and tile (z, 0, 0) begins at −2²⁴ m, so
 * pixel = 2^z · (metres · 2⁻¹⁷ + 128). Without an edge: indices go on beyond 0 … 2^z−1. */
const crs = L.Util.extend({}, L.CRS.Simple, {
  transformation: L.transformation(2 ** -17, 128, -(2 ** -17), 128),
});
const edge = L.latLngBounds([-PLACE_MAX, -PLACE_MAX], [PLACE_MAX, PLACE_MAX]);

export const toLatLng = ({ x, y }) => L.latLng(-y, x);
export const toPlace = ({ lat, lng }) => ({ x: lng, y: -lat });

/* A backdrop tile stands for 8 × 8 tiles: a few of them cover what is not loaded yet. */
const BACKDROP_ZOOMS = 3;
/* Old tiles give way to new ones when those have come, but not later than this. */
const HANDOVER_MS = 4000;

/* The two tile layers of one address, added and removed together. */
function createSheet(template, on) {
  const common = { minZoom: 0, maxZoom: ZOOM_MAX, bounds: edge, updateWhenIdle: false };
  const backdrop = L.tileLayer(template.replace('{r}', ''), {
    ...common,
    minZoom: BACKDROP_ZOOMS,
    tileSize: 256 << BACKDROP_ZOOMS,
    zoomOffset: -BACKDROP_ZOOMS,
    keepBuffer: 1,
    className: 'backdrop',
  });
  const tiles = L.tileLayer(template, { ...common, keepBuffer: 4, updateWhenZooming: false });
  const broken = new Set();
  const mended = ({ tile }) => {
    if (broken.delete(tile) && broken.size === 0) on.mended();
  };
  for (const layer of [backdrop, tiles]) {
    layer.on('tileload tileunload', mended);
    layer.on('tileerror', ({ tile }) => {
      broken.add(tile);
      on.broken();
    });
  }
  return { group: L.layerGroup([backdrop, tiles]), tiles, broken };
}

/* Sheets lie on each other until the newest is complete. */
function createSheets(map, on) {
  let sheets = [];
  let shown = null;
  const settle = (sheet) => {
    const older = sheets.splice(0, Math.max(0, sheets.indexOf(sheet)));
    for (const { group } of older) group.remove();
  };
  return {
    show(template) {
      if (template === shown) return;
      shown = template;
      for (const { group } of sheets.splice(1)) group.remove();
      const sheet = createSheet(template, on);
      sheet.tiles.once('load', () => settle(sheet));
      setTimeout(settle, HANDOVER_MS, sheet);
      sheets.push(sheet);
      sheet.group.addTo(map);
    },
    broken() {
      return sheets.flatMap(({ broken }) => [...broken]);
    },
  };
}

/* `on` has: moved() after the view changed, aimed() when the readout's place may be another,
 * clicked(place, event), broken() for each tile that did not come, mended() when none is missing
 * any more. */
export function createMap(element, on) {
  const map = L.map(element, {
    crs,
    minZoom: 0,
    maxZoom: ZOOM_MAX,
    maxBounds: edge,
    maxBoundsViscosity: 1,
    zoomControl: false,
    attributionControl: false,
    wheelPxPerZoomLevel: 90,
  });
  L.control.zoom({ position: 'bottomright' }).addTo(map);
  L.control.scale({ position: 'bottomleft', imperial: false, maxWidth: 140 }).addTo(map);
  const sheets = createSheets(map, on);
  const aim = createAim(map, on.aimed);
  map.on('moveend', on.moved);
  map.on('click', ({ latlng, originalEvent }) => on.clicked(toPlace(latlng), originalEvent));

  return {
    /* Leaflet's own map, for what tools draw on it: with toLatLng() and toPlace(). */
    leaflet: map,
    /* Shows the tiles of an address with {z}, {x}, {y} and {r}. */
    showTiles(template) {
      sheets.show(template);
    },
    /* Asks again for the tiles that did not come; false if none is missing. */
    retryTiles() {
      const broken = sheets.broken();
      for (const tile of broken) tile.setAttribute('src', tile.getAttribute('src'));
      return broken.length > 0;
    },
    setView(place, zoom) {
      map.setView(toLatLng(place), zoom, { animate: false });
    },
    view() {
      /* In the middle of a flight the zoom is none of the tiles. */
      return { ...toPlace(map.getCenter()), zoom: Math.round(map.getZoom()) };
    },
    /* The place that the readout is about. */
    aim() {
      return toPlace(aim.latLng());
    },
  };
}
