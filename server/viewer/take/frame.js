/* The rectangle on the map: handles at its corners, and one in the middle that moves it. */

import * as L from 'leaflet/dist/leaflet-src.esm.js';
import { createHandle } from '../map/handle.js';
import { toLatLng } from '../map/map.js';
import { centreOf, oppositeOf, rectangleOf } from './area.js';
import { tr } from '../texts/texts.js';

const CORNERS = [
  { name: tr('North-west corner'), x: 'west', y: 'north', opposite: ['east', 'south'] },
  { name: tr('North-east corner'), x: 'east', y: 'north', opposite: ['west', 'south'] },
  { name: tr('South-east corner'), x: 'east', y: 'south', opposite: ['west', 'north'] },
  { name: tr('South-west corner'), x: 'west', y: 'south', opposite: ['east', 'north'] },
];
const HELP = tr('Arrow keys move it.');

/* changed(area, done) hears of each rectangle that the handles make; `done` is false during a drag.
 * isSquare() says whether it has to be one. */
export function createFrame(map, isSquare, changed) {
  const group = L.layerGroup();
  const box = L.rectangle([[0, 0], [0, 0]],
    { className: 'take-box', weight: 2, interactive: false });
  let area = null;

  const resize = ({ opposite }, place, done) => {
    const fixed = { x: area[opposite[0]], y: area[opposite[1]] };
    changed(rectangleOf(fixed, isSquare() ? oppositeOf(fixed, place) : place), done);
  };
  const move = (place, done) => {
    const { x, y } = centreOf(area);
    const [east, south] = [place.x - x, place.y - y];
    changed({ west: area.west + east, north: area.north + south,
      east: area.east + east, south: area.south + south }, done);
  };
  const handleOf = (name, className, act) => createHandle(map,
    { latLng: [0, 0], className, name: `${name}. ${HELP}`, size: 16 },
    { moving: (place) => act(place, false), moved: (place) => act(place, true) });
  const corners = CORNERS.map((corner) =>
    handleOf(corner.name, 'take-corner', (place, done) => resize(corner, place, done)));
  const middle = handleOf(tr('The whole rectangle'), 'take-middle', move);
  for (const layer of [box, ...corners, middle]) layer.addTo(group);

  /* A handle that is being dragged stays under the pointer. */
  const put = (handle, place) => {
    if (!handle.dragging?._draggable?._moving) handle.setLatLng(toLatLng(place));
  };
  return {
    show(newArea) {
      area = newArea;
      const { west, north, east, south } = area;
      box.setBounds([toLatLng({ x: west, y: north }), toLatLng({ x: east, y: south })]);
      CORNERS.forEach(({ x, y }, i) => put(corners[i], { x: area[x], y: area[y] }));
      put(middle, centreOf(area));
    },
    setShown(shown) {
      if (shown) group.addTo(map);
      else group.remove();
    },
  };
}
