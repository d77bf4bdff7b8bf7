/* Moves the map so that a place is not behind the drawer or the panel: on phones they cover most of
 * it. */

import { toLatLng } from '../map/map.js';

const MARGIN = 24; /* pixels around the place that stay free as well */

const holds = ({ left, right, top, bottom }, { x, y }) =>
  x > left - MARGIN && x < right + MARGIN && y > top - MARGIN && y < bottom + MARGIN;

/* The middle of what the drawer leaves free: beside it, or, where it is as wide as the window,
 * above. */
function freeCentre(drawer, panel) {
  return drawer.width > innerWidth / 2 ? { x: innerWidth / 2, y: (panel.bottom + drawer.top) / 2 }
    : { x: (panel.right + drawer.left) / 2, y: innerHeight / 2 };
}

export function reveal(app, place) {
  const map = app.map.leaflet;
  const point = map.latLngToContainerPoint(toLatLng(place));
  const [drawer, panel] = ['drawer', 'panel']
    .map((id) => document.getElementById(id).getBoundingClientRect());
  if (!holds(drawer, point) && !holds(panel, point)) return;
  const { x, y } = freeCentre(drawer, panel);
  const animate = !matchMedia('(prefers-reduced-motion: reduce)').matches;
  map.panBy([point.x - x, point.y - y], { animate });
}
