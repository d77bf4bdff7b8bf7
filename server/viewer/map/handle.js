/* A point on the map that is dragged, or moved by the arrow keys. */

import * as L from 'leaflet/dist/leaflet-src.esm.js';
import { toPlace } from './map.js';

const STEP_PX = 10; /* that an arrow key moves it; with Shift a pixel */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/* A Leaflet marker, which is not on the map yet. `on` has moving(place) while it is dragged,
 * moved(place) when it stays, and perhaps removed(), by Delete or Backspace. */
export function createHandle(map, { latLng, className, name, size = 14 }, on) {
  const icon = L.divIcon({ className: `handle ${className}`, iconSize: [size, size] });
  const marker = L.marker(latLng, { icon, draggable: true, autoPan: true });
  const place = () => toPlace(marker.getLatLng());

  const press = (event) => {
    const { key, shiftKey } = event;
    if (on.removed && (key === 'Delete' || key === 'Backspace')) {
      on.removed();
    } else if (ARROWS[key]) {
      const step = ARROWS[key].map((sign) => sign * (shiftKey ? 1 : STEP_PX));
      const point = map.latLngToContainerPoint(marker.getLatLng()).add(step);
      on.moved(toPlace(map.containerPointToLatLng(point)));
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  marker.on('drag', () => on.moving(place()));
  marker.on('dragend', () => on.moved(place()));
  marker.on('add', () => {
    const element = marker.getElement();
    element.setAttribute('aria-label', name);
    element.addEventListener('keydown', press);
  });
  return marker;
}
