/* What the window shows of the map, as rectangles in metres. */

import { freeBox } from '../map/free.js';
import { toPlace } from '../map/map.js';
import { rectangleOf } from './area.js';

const MARGIN = 28; /* pixels: room for handles */

/* The whole rectangle of the map that the window shows. */
export function wholeView(map) {
  const bounds = map.getBounds();
  return rectangleOf(toPlace(bounds.getNorthWest()), toPlace(bounds.getSouthEast()));
}

/* That of it which nothing covers, with some room around it. */
export function freeView(map) {
  const { left, top, right, bottom } = freeBox(map);
  const at = (x, y) => toPlace(map.containerPointToLatLng([x, y]));
  return rectangleOf(at(left + MARGIN, top + MARGIN), at(right - MARGIN, bottom - MARGIN));
}
