/* Where the world lies in MapLibre's square. MapLibre draws a Mercator square of finite size; the
 * world has no edge that a visitor reaches. So the square is laid on a part of the world, 2²⁹ m
 * wide, and laid anew around the eye when that comes near the square's edge.
 *
 * The square is 2⁴ times as wide as the server's tile of zoom 0, and its middle is always a corner
 * of such tiles. So MapLibre's tile (z + 4, x, y) is the server's tile (z, x + (nx − 8) · 2^z, y +
 * (ny − 8) · 2^z), where (0, nx, ny) is the tile south-east of the middle. MapLibre's own zoom is
 * that of tiles of 512 pixels, one less than the server's. It has no tiles above zoom 25, of which
 * one is needed beyond those of the server.
 *
 * The world is flat, so Mercator's x and y are its metres at every "latitude", but MapLibre takes
 * heights for those of the earth: at the equator 40075016.7 m are as long as the square is wide,
 * elsewhere the metre grows by 1 / cos(latitude). The first factor is in the encoding of heights
 * (heightFactor), the second in the exaggeration of the terrain (latitudeFactor): a metre up is as
 * long as a metre along.
 *
 * Places are {x, y} in metres, y to the south. `square` is {nx, ny}. Nothing here knows MapLibre.
 */

import { PLACE_MAX, ZOOM_MAX } from '../app/place.js';

const ZOOMS = 4;
const TILE = 2 ** 25;                 /* metres: the server's tile of zoom 0 */
const WIDTH = TILE * 2 ** ZOOMS;
const EQUATOR = 40075016.68557849;    /* metres: what MapLibre takes the square's width for */
/* Metres from the middle, where the square is laid anew. Lengths do not change to the east and
 * west. */
const EDGE = { x: WIDTH / 4, y: WIDTH / 16 };

/* Tiles of zoom 1 are the largest that end where the world ends. */
export const TILE_ZOOMS = { min: ZOOMS + 1, max: ZOOM_MAX + ZOOMS };

/* MapLibre's metres for one of the world, at the equator of the square. */
export const heightFactor = EQUATOR / WIDTH;

export const toMapZoom = (zoom) => zoom + ZOOMS - 1;
export const fromMapZoom = (zoom) => zoom - ZOOMS + 1;

/* The square whose middle is nearest to a place. */
export function squareAround({ x, y }) {
  return { nx: Math.round(x / TILE + 0.5), ny: Math.round(y / TILE + 0.5) };
}

const middle = (n) => (n - 0.5) * TILE;

/* Whether a place is too near the edge of the square, or beyond it. */
export function leaves({ nx, ny }, { x, y }) {
  return Math.abs(x - middle(nx)) > EDGE.x || Math.abs(y - middle(ny)) > EDGE.y;
}

/* A place as MapLibre's [longitude, latitude]. */
export function toLngLat(square, { x, y }) {
  const [east, south] = [(x - middle(square.nx)) / WIDTH, (y - middle(square.ny)) / WIDTH];
  return [360 * east, (-180 / Math.PI) * Math.atan(Math.sinh(2 * Math.PI * south))];
}

export function toPlace(square, { lng, lat }) {
  const south = -Math.asinh(Math.tan((lat * Math.PI) / 180)) / (2 * Math.PI);
  return { x: middle(square.nx) + (lng / 360) * WIDTH, y: middle(square.ny) + south * WIDTH };
}

/* Places as Mercator coordinates, 0 … 1, and what a metre is there, upwards too. */
export function toMercator(square, { x, y }) {
  return [(x - middle(square.nx)) / WIDTH + 0.5, (y - middle(square.ny)) / WIDTH + 0.5];
}
export const metreInMercator = 1 / WIDTH;

/* What makes a metre up as long as a metre along, at a latitude. */
export const latitudeFactor = (lat) => Math.cos((lat * Math.PI) / 180);

/* The server's tile for one of MapLibre's. */
export function serverTile(square, z, x, y) {
  const zoom = z - ZOOMS;
  const shift = (n) => (n - 2 ** (ZOOMS - 1)) * 2 ** zoom;
  return { z: zoom, x: x + shift(square.nx), y: y + shift(square.ny) };
}

/* The part of the square that lies in the world: [west, south, east, north] in degrees. */
export function boundsOf(square) {
  const clamp = (n, sign) => {
    const edge = middle(n) + sign * (WIDTH / 2);
    return Math.max(-PLACE_MAX, Math.min(PLACE_MAX, edge));
  };
  const [west, north] = toLngLat(square, { x: clamp(square.nx, -1), y: clamp(square.ny, -1) });
  const [east, south] = toLngLat(square, { x: clamp(square.nx, 1), y: clamp(square.ny, 1) });
  return [west, south, east, north];
}

/* The metres that a pixel of the window shows at MapLibre's zoom, at the centre. */
export const metresPerPixel = (mapZoom) => WIDTH / (512 * 2 ** mapZoom);
