/* Going to a place that is not near: a flight where people have nothing against movement, else a
 * jump. Very far places are jumped to as well, for a flight would show nothing of the way. */

import { toLatLng } from './map.js';

const SCREENS_MOST = 400;

/* A step of the history, as app.go() is. `arrived` is called when the map is there. */
export function flyTo(app, place, zoom, arrived) {
  const map = app.map.leaflet;
  const target = toLatLng(place);
  const pixels = map.project(target).distanceTo(map.project(map.getCenter()));
  const screens = pixels / Math.max(map.getSize().x, 1);
  if (matchMedia('(prefers-reduced-motion: reduce)').matches || screens > SCREENS_MOST) {
    app.go(place, zoom);
    arrived();
    return;
  }
  history.pushState(null, '', app.addressOf({ ...place, zoom }));
  map.once('moveend', () => {
    /* Not if somebody has moved the map meanwhile. */
    const missed = map.project(map.getCenter()).distanceTo(map.project(target));
    if (missed >= 2) return;
    app.map.setView(place, zoom);
    arrived();
  });
  map.flyTo(target, zoom, { duration: Math.min(0.6 + 0.3 * Math.log2(1 + screens), 2) });
}
