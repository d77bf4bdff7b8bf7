/* Moves the map so that a place is not behind the drawer or the panel: on phones they cover most of
 * it. */

import { freeBox } from './free.js';
import { toLatLng } from './map.js';

const MARGIN = 24; /* pixels around the place that stay free as well */
const COVERS = ['drawer', 'panel'];

const holds = ({ left, right, top, bottom }, { x, y }) =>
  x > left - MARGIN && x < right + MARGIN && y > top - MARGIN && y < bottom + MARGIN;

export function reveal(app, place) {
  const map = app.map.leaflet;
  const point = map.latLngToContainerPoint(toLatLng(place));
  const isCovered = COVERS.some((id) =>
    holds(document.getElementById(id).getBoundingClientRect(), point));
  if (!isCovered) return;
  const { left, top, right, bottom } = freeBox(map, COVERS);
  const animate = !matchMedia('(prefers-reduced-motion: reduce)').matches;
  map.panBy([point.x - (left + right) / 2, point.y - (top + bottom) / 2], { animate });
}

/* Moves the map so that Leaflet's bounds lie in the part that is free, at no larger zoom. */
export function revealBounds(app, bounds) {
  const map = app.map.leaflet;
  const { x: width, y: height } = map.getSize();
  const { left, top, right, bottom } = freeBox(map, COVERS);
  map.fitBounds(bounds, {
    maxZoom: app.map.view().zoom,
    paddingTopLeft: [left + MARGIN, top + MARGIN],
    paddingBottomRight: [width - right + MARGIN, height - bottom + MARGIN],
  });
}
