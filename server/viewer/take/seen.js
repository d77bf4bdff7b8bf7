/* The part of the map that nothing covers: beside the panel and the drawer or, on phones, between
 * them. */

import * as L from 'leaflet/dist/leaflet-src.esm.js';
import { toPlace } from '../map/map.js';
import { rectangleOf } from './area.js';

const MARGIN_PX = 28; /* room for handles */
const WIDE = 0.6;     /* what is so wide, of the map, leaves room above or below it only */

/* The rectangle of pixels that is left of `free` beside a box. */
function beside(free, box, width) {
  const middle = (low, high) => (low + high) / 2;
  if (box.width > WIDE * width) {
    if (middle(box.top, box.bottom) < middle(free.top, free.bottom)) {
      return { ...free, top: Math.max(free.top, box.bottom) };
    }
    return { ...free, bottom: Math.min(free.bottom, box.top) };
  }
  if (middle(box.left, box.right) < middle(free.left, free.right)) {
    return { ...free, left: Math.max(free.left, box.right) };
  }
  return { ...free, right: Math.min(free.right, box.left) };
}

/* The whole rectangle of the map that the window shows, in metres. */
export function wholeView(map) {
  const bounds = map.getBounds();
  return rectangleOf(toPlace(bounds.getNorthWest()), toPlace(bounds.getSouthEast()));
}

/* That of it which is free, with some room around it. */
export function freeView(map) {
  const own = map.getContainer().getBoundingClientRect();
  const covers = ['#panel', '#drawer', '#toolbar'].map((name) => document.querySelector(name))
    .filter((element) => element && !element.hidden);
  const whole = { left: own.left, right: own.right, top: own.top, bottom: own.bottom };
  const free = covers.reduce((rest, element) =>
    beside(rest, element.getBoundingClientRect(), own.width), whole);
  const at = (x, y) => toPlace(map.containerPointToLatLng(L.point(x - own.left, y - own.top)));
  return rectangleOf(at(free.left + MARGIN_PX, free.top + MARGIN_PX),
    at(free.right - MARGIN_PX, free.bottom - MARGIN_PX));
}
