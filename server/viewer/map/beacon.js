/* An arrow at the edge of the map that points to a place out of view; a click on it goes there. */

import { h, icon } from '../app/dom.js';
import { wayTo, windName } from '../app/place.js';
import { distanceText } from '../app/units.js';
import { freeBox, pointAtEdge } from './free.js';
import { toLatLng } from './map.js';

const MARGIN = 26; /* pixels from the edge of the free part of the map to the arrow's middle */

export function createBeacon(app) {
  const map = app.map.leaflet;
  const arrow = icon('next', 18);
  const text = h('span', {});
  let target = null; /* {place, name, go} */
  const button = h('button', { type: 'button', id: 'beacon', class: 'text', hidden: true,
    onclick: () => target.go() }, arrow, text);
  document.getElementById('stage').before(button);

  const update = () => {
    if (target === null) return;
    const { left, top, right, bottom } = freeBox(map);
    const box = { left: left + MARGIN, top: top + MARGIN, right: right - MARGIN,
      bottom: bottom - MARGIN };
    const edge = pointAtEdge(box, map.latLngToContainerPoint(toLatLng(target.place)));
    button.hidden = edge === null;
    if (edge === null) return;
    const { distance, bearing } = wayTo(app.map.view(), target.place);
    text.textContent = `${target.name}, ${distanceText(distance)} ${windName(bearing)}`;
    /* All of it lies in the free part: at the right edge to the left of its point. */
    const width = button.offsetWidth;
    button.style.left = `${Math.min(Math.max(edge.x - width / 2, left), right - width)}px`;
    button.style.top = `${edge.y}px`;
    arrow.style.rotate = `${edge.degrees}deg`;
  };
  map.on('move zoomend moveend resize', update);
  app.on('drawer', () => setTimeout(update)); /* when it is open, or gone */

  return {
    /* Points to a place, unless it is in view; `wanted` is {place, name, go()}. */
    show(wanted) {
      target = wanted;
      update();
    },
    hide() {
      target = null;
      button.hidden = true;
    },
  };
}
