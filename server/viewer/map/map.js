/* The map: Leaflet with the server's tile scheme, and tiles that replace each other without
 * flashing. A Leaflet "latlng" here is (−y, x) in metres. */

import * as L from 'leaflet/dist/leaflet-src.esm.js';
import { PLACE_MAX, ZOOM_MAX, metresPerPixel } from '../app/place.js';
import { tr } from '../texts/texts.js';
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

/* The world's edge is that of a tile at each zoom but 0, whose last tiles reach beyond it: the
 * server has those that lie within. */
function isWhole({ x, y, z }) {
  const metres = 2 ** (25 - z);
  const low = Math.ceil((2 ** 24 - PLACE_MAX) / metres);
  const high = Math.floor((2 ** 24 + PLACE_MAX) / metres) - 1;
  return Math.min(x, y) >= low && Math.max(x, y) <= high;
}

const WholeTiles = L.TileLayer.extend({
  _isValidTile({ x, y, z }) {
    return isWhole({ x, y, z: z + this.options.zoomOffset });
  },
});

/* A layer of the tiles of an address with {z}, {x}, {y} and {r}. */
export function createTiles(template, options) {
  return new WholeTiles(template, {
    minZoom: 0, maxZoom: ZOOM_MAX, updateWhenIdle: false, ...options,
  });
}

/* The tile layers of one address, added and removed together. Tiles that are there at once need no
 * backdrop. */
function createSheet(template, atOnce, on) {
  const backdrop = createTiles(template.replace('{r}', ''), {
    minZoom: BACKDROP_ZOOMS,
    tileSize: 256 << BACKDROP_ZOOMS,
    zoomOffset: -BACKDROP_ZOOMS,
    keepBuffer: 1,
    className: 'backdrop',
  });
  const tiles = createTiles(template, { keepBuffer: 4, updateWhenZooming: false });
  const broken = new Set();
  const mended = ({ tile }) => {
    if (broken.delete(tile) && broken.size === 0) on.mended();
  };
  const layers = atOnce ? [tiles] : [backdrop, tiles];
  for (const layer of layers) {
    layer.on('tileload tileunload', mended);
    layer.on('tileerror', ({ tile }) => {
      broken.add(tile);
      on.broken();
    });
  }
  tiles.on('loading', on.loading);
  tiles.on('load', on.loaded);
  return { group: L.layerGroup(layers), tiles, broken };
}

/* The place in the middle of the map. Leaflet knows it by pixels once the map was moved or its size
 * has changed, and zooming doubles the difference each time. A place that was asked for is held as
 * it is therefore, and the map is put there again, until it shows another. */
function createCentre(map) {
  const SAME = 0.75; /* pixels */
  let held = null;
  let zooming = false;
  let restoring = false;
  let pixel = 0; /* metres, at the larger of the zooms before and after */
  const distance = () => {
    const { x, y } = toPlace(map.getCenter());
    return Math.max(Math.abs(x - held.x), Math.abs(y - held.y));
  };
  const show = (place, zoom) => {
    held = { x: place.x, y: place.y };
    map.setView(toLatLng(held), zoom, { reset: true });
  };
  map.on('zoomstart', () => {
    zooming = true;
    pixel = metresPerPixel(map.getZoom());
  });
  map.on('zoomend', () => {
    zooming = false;
  });
  map.on('moveend', () => {
    if (held === null || zooming) return;
    const away = distance();
    const now = metresPerPixel(map.getZoom());
    const near = SAME * Math.max(pixel, now);
    pixel = 0;
    if (away > near) held = null;
    else if (away > 0.01 * now && !restoring) {
      restoring = true; /* once: at the edge of the world Leaflet may put it elsewhere again */
      show(held, map.getZoom());
      restoring = false;
    }
  });
  return {
    show,
    /* {x, y, exact}: `exact` if it is a place that was asked for. */
    place() {
      return { ...(held ?? toPlace(map.getCenter())), exact: held !== null };
    },
  };
}

/* Sheets lie on each other until the newest is complete. */
function createSheets(map, on) {
  let sheets = [];
  let shown = null;
  let hidden = false;
  /* A sheet that has all its tiles, or that goes, says nothing of the others. */
  const bar = L.DomUtil.create('div', 'loading-bar', map.getContainer());
  bar.hidden = true;
  const showBar = () => {
    bar.hidden = hidden || sheets.every(({ tiles }) => !tiles.isLoading());
  };
  const onSheet = {
    ...on,
    loading: showBar,
    loaded() {
      showBar();
      on.loaded?.();
    },
    mended() {
      if (sheets.every(({ broken }) => broken.size === 0)) on.mended();
    },
  };
  const settle = (sheet) => {
    const older = sheets.splice(0, Math.max(0, sheets.indexOf(sheet)));
    for (const { group } of older) group.remove();
    showBar();
  };
  return {
    show(template, atOnce) {
      const wanted = `${template} ${atOnce}`;
      if (wanted === shown) return;
      shown = wanted;
      for (const { group } of sheets.splice(1)) group.remove();
      const sheet = createSheet(template, atOnce, onSheet);
      sheet.tiles.once('load', () => settle(sheet));
      setTimeout(settle, HANDOVER_MS, sheet);
      sheets.push(sheet);
      if (!hidden) sheet.group.addTo(map);
    },
    setHidden(wanted) {
      hidden = wanted;
      for (const { group } of sheets) if (hidden) group.remove(); else group.addTo(map);
      showBar();
    },
    clear() {
      shown = null;
      for (const { group } of sheets.splice(0)) group.remove();
      showBar();
    },
    isHidden: () => hidden,
    isLoading: () => sheets.length === 0 || sheets.at(-1).tiles.isLoading(),
    broken() {
      return sheets.flatMap(({ broken }) => [...broken]);
    },
  };
}

/* The addresses of the tiles that the view needs. */
function tilesInView(map, template) {
  const { min, max } = map.getPixelBounds();
  const [first, last] = [min, max].map((corner) => corner.divideBy(256).floor());
  const common = { z: Math.round(map.getZoom()), r: L.Browser.retina ? '@2x' : '' };
  const addresses = [];
  for (let { y } = first; y <= last.y; y += 1) {
    for (let { x } = first; x <= last.x; x += 1) {
      if (isWhole({ ...common, x, y })) {
        addresses.push(L.Util.template(template, { ...common, x, y }));
      }
    }
  }
  return addresses;
}

/* `on` has: moved() after the view changed, aimed() when the readout's place may be another,
 * clicked(place, event), broken() for each tile that did not come, mended() when none is missing
 * any more, and perhaps loaded() when all tiles in view have come or failed. */
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
  L.control.zoom({ position: 'bottomright', zoomInTitle: tr('Zoom in'),
    zoomOutTitle: tr('Zoom out') }).addTo(map);
  L.control.scale({ position: 'bottomleft', imperial: false, maxWidth: 140 }).addTo(map);
  /* Leaflet gives the map the focus at each press of the mouse, which browsers may take for a key. */
  element.addEventListener('pointerdown', () => element.classList.add('by-pointer'),
    { capture: true, passive: true });
  element.addEventListener('keydown', () => element.classList.remove('by-pointer'),
    { capture: true, passive: true });
  element.addEventListener('blur', () => element.classList.remove('by-pointer'));
  const sheets = createSheets(map, on);
  const centre = createCentre(map);
  const aim = createAim(map, on.aimed);
  map.on('moveend', on.moved);
  map.on('click', ({ latlng, originalEvent }) => on.clicked(toPlace(latlng), originalEvent));

  return {
    /* Leaflet's own map, for what tools draw on it: with toLatLng() and toPlace(). */
    leaflet: map,
    /* Shows the tiles of an address with {z}, {x}, {y} and {r}; `atOnce`: without fading in, for
     * which Leaflet has no option of a single layer. */
    showTiles(template, { atOnce = false } = {}) {
      map._fadeAnimated = L.Browser.any3d && !atOnce;
      sheets.show(template, atOnce);
    },
    /* Removes all tiles at once; without it they stay, and more are asked for, until others come. */
    clearTiles() {
      sheets.clear();
    },
    /* Has the browser fetch the tiles of an address that the view needs; whether all came. */
    async prefetch(template) {
      const tiles = await Promise.all(tilesInView(map, template).map((address) => {
        const image = new Image();
        image.src = address;
        return image.decode().then(() => true, () => false);
      }));
      return tiles.every(Boolean);
    },
    /* Asks again for the tiles that did not come; false if none is missing. */
    retryTiles() {
      const broken = sheets.broken();
      for (const tile of broken) tile.setAttribute('src', tile.getAttribute('src'));
      return broken.length > 0;
    },
    /* Moves the map to a place, which it keeps exactly while it is only zoomed. */
    setView: centre.show,
    view() {
      /* In the middle of a flight the zoom is none of the tiles. */
      return { ...centre.place(), zoom: Math.round(map.getZoom()) };
    },
    /* Whether something covers the map: then it is not seen and has no tiles. */
    setHidden(hidden) {
      element.classList.toggle('covered', hidden);
      sheets.setHidden(hidden);
    },
    isHidden: sheets.isHidden,
    /* Whether tiles in view are on their way, or none was asked for yet. */
    isLoading: sheets.isLoading,
    /* Sets the place that the readout is about; null: the map's centre. */
    setAim(place) {
      aim.give(place && toLatLng(place));
    },
    /* The place that the readout is about. */
    aim() {
      return toPlace(aim.latLng());
    },
  };
}
