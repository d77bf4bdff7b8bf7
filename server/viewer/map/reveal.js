/* Moves the map so that a place is not behind the drawer or the panel: on phones they cover most of
 * it. */

import * as L from 'leaflet/dist/leaflet-src.esm.js';
import { freeBox } from './free.js';
import { toLatLng } from './map.js';

const MARGIN = 24; /* pixels around the place that stay free as well */
const RING = 9; /* pixels from the middle of a mark to its rim */
const COVERS = ['drawer', 'panel'];

const holds = ({ left, right, top, bottom }, { x, y }) =>
  x > left - MARGIN && x < right + MARGIN && y > top - MARGIN && y < bottom + MARGIN;

const isCovered = (point) => COVERS.some((id) =>
  holds(document.getElementById(id).getBoundingClientRect(), point));

/* Whether a mark at the place is seen whole, behind neither the drawer nor the panel. */
export function isShown(app, place) {
  const map = app.map.leaflet;
  const point = map.latLngToContainerPoint(toLatLng(place));
  const { x: width, y: height } = map.getSize();
  const isWhole = Math.min(point.x, point.y, width - point.x, height - point.y) >= RING;
  return isWhole && !isCovered(point);
}

export function reveal(app, place) {
  const map = app.map.leaflet;
  const point = map.latLngToContainerPoint(toLatLng(place));
  if (!isCovered(point)) return;
  const { left, top, right, bottom } = freeBox(map, COVERS);
  const animate = !matchMedia('(prefers-reduced-motion: reduce)').matches;
  map.panBy([point.x - (left + right) / 2, point.y - (top + bottom) / 2], { animate });
}

/* The pixels of the map that are covered, as Leaflet's options of fitBounds(). */
function paddings(map) {
  const { x: width, y: height } = map.getSize();
  const { left, top, right, bottom } = freeBox(map, COVERS);
  return {
    paddingTopLeft: [left + MARGIN, top + MARGIN],
    paddingBottomRight: [width - right + MARGIN, height - bottom + MARGIN],
  };
}

/* Moves the map so that Leaflet's bounds lie in the part that is free, at no larger zoom. */
export function revealBounds(app, bounds) {
  const map = app.map.leaflet;
  map.fitBounds(bounds, { maxZoom: app.map.view().zoom, ...paddings(map) });
}

/* Whether the free part can hold Leaflet's bounds at the present zoom. */
export function fitsHere(app, bounds) {
  const map = app.map.leaflet;
  const { paddingTopLeft, paddingBottomRight } = paddings(map);
  const padding = L.point(paddingTopLeft).add(paddingBottomRight);
  return map.getBoundsZoom(bounds, false, padding) >= app.map.view().zoom;
}
