/* Which names would be cut: by the edge of the map, or by what stands on it, as the panel, the open
 * drawer, controls and pins. Those are not shown while they lie there. */

import { createRest } from '../app/rest.js';
import { toLatLng } from '../map/map.js';

const REST_MS = 80;

/* Markers without a word, as the ring of a place, lie below the names instead. */
const COVERS = ['#panel', '#drawer', '#toolbar', '#overview', '#chips li', '#beacon', '#welcome',
  '.leaflet-control', '.pin', '.handle', '.leaflet-tooltip', '.swipe', '.swipe > *'].join();

/* The upright rectangle around a label's text in pixels of the window, as its `box` tells. */
function boundsOf({ angle, box }, { x, y }) {
  const turn = (angle ?? 0) * Math.PI / 180;
  const [cos, sin] = [Math.cos(turn), Math.sin(turn)];
  const wide = (box.width * Math.abs(cos) + box.height * Math.abs(sin)) / 2;
  const high = (box.width * Math.abs(sin) + box.height * Math.abs(cos)) / 2;
  const drop = box.drop ?? 0;
  const [left, top] = [x - drop * sin, y + drop * cos];
  return { left: left - wide, right: left + wide, top: top - high, bottom: top + high };
}

const isWithin = (a, b) =>
  a.left >= b.left && a.right <= b.right && a.top >= b.top && a.bottom <= b.bottom;
const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/* isCovered(label), for the map as it stands now. */
export function createCover(map) {
  const own = map.getContainer().getBoundingClientRect();
  const boxes = [...document.querySelectorAll(COVERS)]
    .map((element) => element.getBoundingClientRect())
    .filter(({ width }) => width > 0); /* what is hidden has none */
  return (label) => {
    const { x, y } = map.latLngToContainerPoint(toLatLng(label));
    const bounds = boundsOf(label, { x: x + own.left, y: y + own.top });
    return !isWithin(bounds, own) || boxes.some((box) => meet(box, bounds));
  };
}

/* Calls changed() soon after the map has moved or other things have come to stand on it. While the
 * map is dragged that is not for each of its frames, which wait for it. */
export function watchCovers(app, changed) {
  const { later } = createRest(REST_MS, changed);
  app.map.leaflet.on('move zoomend resize', later);
  for (const event of ['covers', 'drawer', 'extras', 'shown']) app.on(event, later);
  const observer = new ResizeObserver(later);
  for (const id of ['panel', 'drawer']) observer.observe(document.getElementById(id));
}
