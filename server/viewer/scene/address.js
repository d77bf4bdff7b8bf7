/* What the address says of the scene: `pitch`, `bearing` and, where they are not the usual ones,
 * `scale` (the zoom's difference to the whole number in the address), `exaggeration`, `walk` and
 * `sun` (the hour of the day). */

import { ZOOM_MAX } from '../app/place.js';

const PITCH = 60;
export const EXTRAS = ['pitch', 'bearing', 'scale', 'exaggeration', 'walk', 'sun'];

const clamp = (value, low, high) => Math.max(low, Math.min(high, value));

function read(text, usual, low, high) {
  return /^-?\d{1,3}(\.\d{1,3})?$/.test(text ?? '') ? clamp(Number(text), low, high) : usual;
}

export function readScene(extras) {
  return {
    pitch: read(extras.pitch, PITCH, 0, 120),
    bearing: read(extras.bearing, 0, -360, 360),
    scale: read(extras.scale, 0, -1, 1),
    exaggeration: read(extras.exaggeration, 1, 1, 4),
    walk: extras.walk !== undefined,
    sun: read(extras.sun, null, 0, 24),
  };
}

/* The zoom of the 2-D map that is nearest to one of the scene. */
export const wholeZoom = (zoom) => clamp(Math.round(zoom), 0, ZOOM_MAX);

const decimal = (value, digits) => String(Number(value.toFixed(digits)) + 0);

/* The extras of a view: texts by name; null where nothing need be said. */
export function writeScene({ pitch, bearing, zoom, exaggeration, walk, sun }) {
  const scale = decimal(clamp(zoom - wholeZoom(zoom), -1, 1), 2);
  return {
    pitch: decimal(pitch, 1),
    bearing: decimal(((bearing % 360) + 360) % 360, 1),
    scale: walk || scale === '0' ? null : scale,
    exaggeration: exaggeration === 1 ? null : decimal(exaggeration, 2),
    walk: walk ? '1' : null,
    sun: sun === null ? null : decimal(sun, 2),
  };
}
