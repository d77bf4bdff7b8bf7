/* The camera of the scene in the world's metres: where the eye is, and how it is put somewhere.
 * Altitudes are those of what is drawn: the exaggeration of the ground lifts the ground, not the
 * eye. */

import { Map as MapLibre } from 'maplibre-gl';
import { heightFactor, latitudeFactor, metresPerPixel, toLngLat, toPlace } from './square.js';

/* MapLibre's picture is as high as two thirds of its camera's distance from the centre. */
const DISTANCE_IN_HEIGHTS = 1.5;

export const PITCH_MAX = 85;
export const WALK_PITCH_MAX = 115;
const LEVEL = 0.02;   /* degrees */

/* MapLibre draws the ground twice in each frame: at first its depth, so that symbols can hide
 * behind hills. The scene has no symbols, and that took a fifth of a frame. */
function skipDepthOfSymbols({ painter }) {
  painter.drawFunctions = { ...painter.drawFunctions, terrainDepth() {} };
}

export function createMap(container, options) {
  const map = new MapLibre({
    container,
    maxPitch: PITCH_MAX,
    attributionControl: false,
    renderWorldCopies: false,
    refreshExpiredTiles: false,
    keyboard: false,
    fadeDuration: 0,
    rollEnabled: false,
    ...options,
  });
  skipDepthOfSymbols(map);
  return map;
}

/* MapLibre's metres for a metre, where the map is. */
const upward = (map) => heightFactor * latitudeFactor(map.getCenter().lat);

/* The altitude of what is drawn at a place, or null while it is unknown. */
export function groundAt(map, square, place) {
  const elevation = map.queryTerrainElevation(toLngLat(square, place));
  return elevation === null ? null : elevation / upward(map);
}

/* The metres between the camera and the place that it looks at, at MapLibre's zoom. */
export const distanceAt = (map, zoom) =>
  DISTANCE_IN_HEIGHTS * map.getContainer().clientHeight * metresPerPixel(zoom);

/* Metres along bearing and pitch: {x, y}, and `up`. */
function along(bearing, pitch, distance) {
  const [turn, tilt] = [bearing, pitch].map((degrees) => (degrees * Math.PI) / 180);
  const level = distance * Math.sin(tilt);
  return { x: level * Math.sin(turn), y: -level * Math.cos(turn), up: -distance * Math.cos(tilt) };
}

/* {x, y, altitude} of the camera. */
export function eyeOf(map, square) {
  const centre = toPlace(square, map.getCenter());
  const look = along(map.getBearing(), map.getPitch(), distanceAt(map, map.getZoom()));
  const altitude = map.getCenterElevation() / upward(map) - look.up;
  return { x: centre.x - look.x, y: centre.y - look.y, altitude };
}

/* Puts the camera at {x, y, altitude}; it looks `distance` metres along bearing and pitch. MapLibre
 * finds no tiles for a camera that is exactly as high as its centre. */
export function setEye(map, square, { x, y, altitude, bearing, ...eye }, distance) {
  const pitch = Math.abs(eye.pitch - 90) < LEVEL ? 90 - LEVEL : eye.pitch;
  const look = along(bearing, pitch, distance);
  map.jumpTo({
    center: toLngLat(square, { x: x + look.x, y: y + look.y }),
    elevation: (altitude + look.up) * upward(map),
    zoom: Math.log2(distanceAt(map, 0) / distance),
    bearing,
    pitch,
  });
}
