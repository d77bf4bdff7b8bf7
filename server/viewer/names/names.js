/* The names on the map, from /labels of the world. They are asked for in squares of the map that do
 * not depend on the view, when the tiles in view have come; what was asked for is kept. Each name
 * is a marker of Leaflet, so names move and zoom with the map.
 *
 * While the names of another zoom are on their way, those that are known and have room stay. */

import * as L from 'leaflet/dist/leaflet-src.esm.js';
import { pinned, request } from '../app/api.js';
import { loadStyle } from '../app/dom.js';
import { PLACE_MAX, exactText, metresPerPixel } from '../app/place.js';
import { toLatLng, toPlace } from '../map/map.js';
import { createCover, watchCovers } from './cover.js';
import { isOn, shownLabels } from './layout.js';
import { boxOf, createLabel } from './lettering.js';

const SQUARE_PX = 1024;
const SQUARES_KEPT = 256;
/* Names reach so far into the view, or hide some that do. */
const AROUND_PX = 256;
const NEAR_PX = 4; /* a place so near to a name is meant by it */
const ZOOM_LEAST = 3; /* with less the server has none */

/* The square of indices that the view needs at a zoom. */
function squaresOf(map, zoom) {
  const side = SQUARE_PX * metresPerPixel(zoom);
  const size = map.getSize();
  const around = L.point(AROUND_PX, AROUND_PX);
  const corner = (point) => toPlace(map.containerPointToLatLng(point));
  const [low, high] = [corner(around.multiplyBy(-1)), corner(size.add(around))];
  const squares = [];
  for (let row = Math.floor(low.y / side); row * side < high.y; row += 1) {
    for (let column = Math.floor(low.x / side); column * side < high.x; column += 1) {
      const ends = [column, row, column + 1, row + 1].map((index) =>
        Math.min(Math.max(index * side, -PLACE_MAX), PLACE_MAX));
      if (ends[0] < ends[2] && ends[1] < ends[3]) squares.push(ends.map(exactText).join(','));
    }
  }
  return squares;
}

/* The squares that have come, by address; the one that was used longest ago goes first. */
function createSquares() {
  const kept = new Map();
  return {
    get(address) {
      const labels = kept.get(address);
      if (labels === undefined) return null;
      kept.delete(address);
      kept.set(address, labels);
      return labels;
    },
    async load(address, signal) {
      /* A pinned world keeps its samples for ever, but a server may name its features anew. */
      const { labels } = await (await request(address, { signal, cache: 'no-cache' })).json();
      kept.set(address, labels.map((label) => ({ ...label, box: boxOf(label) })));
      if (kept.size > SQUARES_KEPT) kept.delete(kept.keys().next().value);
    },
  };
}

export async function createNames(app) {
  await loadStyle('viewer/names/names.css');
  const map = app.map.leaflet;
  const pane = map.createPane('names');
  pane.style.zIndex = 450; /* above what is drawn and the ring of a place, below pins */
  pane.setAttribute('aria-hidden', 'true');
  const squares = createSquares();
  const markers = new Map(); /* by kind and id: {label, marker} */
  let known = []; /* the labels of the squares that were shown last, */
  let knownKey = ''; /* and the addresses of these, if all had come */
  let plan = { known: null, zoom: 0, labels: [] }; /* what was laid out last */
  let shown = false;
  let asked = { key: '', controller: new AbortController() };
  let version = '';

  const mark = (label) => {
    const icon = L.divIcon({ className: '', html: createLabel(label), iconSize: [0, 0] });
    return L.marker(toLatLng(label),
      { icon, pane: 'names', interactive: false, keyboard: false }).addTo(map);
  };
  /* They keep their places, so that nothing jumps when the map is moved. */
  const hideCovered = () => {
    if (markers.size === 0 || app.map.isHidden()) return;
    const isCovered = createCover(map);
    for (const { label, marker } of markers.values()) {
      marker.getElement().firstChild.classList.toggle('covered', isCovered(label));
    }
  };
  const show = (labels) => {
    const wanted = new Map(labels.map((label) => [`${label.kind} ${label.id}`, label]));
    for (const [key, { label, marker }] of markers) {
      const same = wanted.get(key);
      if (same && same.x === label.x && same.y === label.y && same.angle === label.angle) continue;
      marker.remove();
      markers.delete(key);
    }
    for (const [key, label] of wanted) {
      if (!markers.has(key)) markers.set(key, { label, marker: mark(label) });
    }
    hideCovered();
  };
  const isNear = (label) => {
    const { x, y } = map.latLngToContainerPoint(toLatLng(label));
    const size = map.getSize();
    return x > -AROUND_PX && y > -AROUND_PX && x < size.x + AROUND_PX && y < size.y + AROUND_PX;
  };
  const layOut = (zoom) => {
    if (plan.known !== known || plan.zoom !== zoom) {
      plan = { known, zoom, labels: shownLabels(known, zoom) };
    }
    show(plan.labels.filter(isNear));
  };
  const clear = () => {
    asked.controller.abort();
    asked = { key: '', controller: new AbortController() };
    known = [];
    knownKey = '';
    show([]);
  };

  /* Asks for what is missing, and lays all out when it has come. */
  const update = async () => {
    if (!shown || app.map.isHidden()) return;
    const { zoom } = app.map.view();
    const base = `${pinned(app.world)}/labels?`;
    if (version !== base) clear();
    version = base;
    const addresses = zoom < ZOOM_LEAST ? []
      : squaresOf(map, zoom).map((bbox) => `${base}bbox=${bbox}&zoom=${zoom}`);
    const missing = addresses.filter((address) => squares.get(address) === null);
    if (missing.length === 0) {
      if (knownKey !== addresses.join(' ')) known = addresses.flatMap(squares.get);
      knownKey = addresses.join(' ');
      layOut(zoom);
      return;
    }
    layOut(zoom);
    const key = missing.join(' ');
    if (app.map.isLoading() || asked.key === key) return;
    asked.controller.abort();
    const own = { key, controller: new AbortController() };
    asked = own;
    await Promise.allSettled(missing.map((address) =>
      squares.load(address, own.controller.signal)));
    if (asked !== own) return;
    asked = { ...own, key: '' };
    knownKey = '';
    known = addresses.flatMap((address) => squares.get(address) ?? []);
    layOut(zoom);
  };
  /* Leaflet asks for the tiles of a view after it has told of it. */
  let timer = 0;
  const updateSoon = () => {
    clearTimeout(timer);
    timer = setTimeout(update);
  };
  app.on('view', updateSoon);
  app.on('loaded', updateSoon);
  watchCovers(app, hideCovered);
  map.on('zoomanim', ({ zoom }) => shown && layOut(Math.round(zoom)));

  return {
    setShown(on) {
      shown = on;
      if (on) updateSoon();
      else clear();
    },
    /* The label that is written at a place, or null. */
    at(place) {
      const { zoom } = app.map.view();
      return [...markers.values()].map(({ label }) => label)
        .find((label) => isOn(label, place, zoom, NEAR_PX)) ?? null;
    },
  };
}
