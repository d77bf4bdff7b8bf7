/* The way of the water from a place to the sea or a lake, drawn on the map. */

import * as L from 'leaflet/dist/leaflet-src.esm.js';
import { getJson, pinned } from '../app/api.js';
import { exactText, heightText } from '../app/place.js';
import { distanceText } from '../app/units.js';
import { removeChip, showChip } from '../map/chips.js';
import { toLatLng } from '../map/map.js';
import { tr } from '../texts/texts.js';

const CHIP = 'water';

const ENDS = { sea: tr('the sea'), lake: tr('a lake') };

export function createWater(app) {
  let line = null;

  const clear = () => {
    line?.remove();
    line = null;
  };
  const draw = (places) => {
    clear();
    const points = places.map(([x, y]) => toLatLng({ x, y }));
    const common = { interactive: false, lineJoin: 'round' };
    line = L.layerGroup([
      L.polyline(points, { ...common, weight: 6, color: '#fff', opacity: 0.75 }),
      L.polyline(points, { ...common, weight: 3, color: '#0b67b2' }),
    ]).addTo(app.map.leaflet);
    line.bounds = L.latLngBounds(points);
  };

  return {
    /* Draws the way, and gives it in words and its bounds on the map. */
    async show(place, signal) {
      const [x, y] = [place.x, place.y].map(exactText);
      const answer = await getJson(`${pinned(app.world)}/trace?x=${x}&y=${y}`, signal);
      if (answer.end === null) return { text: tr('Water stays here: this is no land.'),
        bounds: null };
      draw(answer.places);
      showChip(CHIP, tr('Way of the water'), clear);
      const end = answer.complete ? tr('reaches {0}', ENDS[answer.end.water]) : tr('goes on');
      return {
        text: tr('The water {0} after {1}, '
          + '{2} lower.', end, distanceText(answer.length), heightText(answer.fall)),
        bounds: line.bounds,
      };
    },
    clear() {
      removeChip(CHIP);
      clear();
    },
  };
}
