/* The rectangle that is taken away, in metres, and what it is in pixels or samples. Nothing here
 * knows the page. */

import { PLACE_MAX, ZOOM_MAX, metresPerPixel } from '../app/place.js';
import { tr } from '../texts/texts.js';

/* What can be taken: `most` pixels or steps a side; a square is a chunk of the server. */
export const FORMATS = {
  png: { name: 'PNG', title: tr('Picture (PNG)'), type: 'image/png', most: 8192, square: false },
  webp: { name: 'WebP', title: tr('Picture (WebP)'), type: 'image/webp', most: 8192,
    square: false },
  tif: { name: 'GeoTIFF', title: tr('Heights, as for GIS (GeoTIFF)'), most: 1024, square: true },
  glb: { name: 'GLB', title: tr('Model, as for Blender (GLB)'), most: 1024, square: true },
};

/* The rectangle with these two opposite corners: {west, north, east, south}. */
export function rectangleOf(a, b) {
  return { west: Math.min(a.x, b.x), north: Math.min(a.y, b.y),
    east: Math.max(a.x, b.x), south: Math.max(a.y, b.y) };
}

export const centreOf = ({ west, north, east, south }) =>
  ({ x: (west + east) / 2, y: (north + south) / 2 });

/* The corner opposite to `corner` in the smallest square that reaches as far as a place. */
export function oppositeOf(corner, place) {
  const [x, y] = [place.x - corner.x, place.y - corner.y];
  const side = Math.max(Math.abs(x), Math.abs(y));
  return { x: corner.x + Math.sign(x || 1) * side, y: corner.y + Math.sign(y || 1) * side };
}

/* The square about the same centre, as wide as the rectangle's shorter side. */
export function squareOf(area) {
  const half = Math.min(area.east - area.west, area.south - area.north) / 2;
  const { x, y } = centreOf(area);
  return { west: x - half, north: y - half, east: x + half, south: y + half };
}

/* A rectangle in whole pixels of a zoom: metres a pixel, the pixels' own coordinates of its
 * north-west corner, columns and rows, and the rectangle in metres, which is that of the pixels. */
export function gridOf(area, zoom, square) {
  const step = metresPerPixel(zoom);
  const [left, top] = [area.west, area.north].map((metres) => Math.round(metres / step));
  const width = Math.max(1, Math.round(area.east / step) - left);
  const height = Math.max(1, Math.round(area.south / step) - top);
  const [columns, rows] = square ? Array(2).fill(Math.min(width, height)) : [width, height];
  return { zoom, step, left, top, columns, rows,
    west: left * step, north: top * step,
    east: (left + columns) * step, south: (top + rows) * step };
}

/* The rectangle in each zoom: {grid, fits}, from the coarsest on. */
export function choicesOf(area, { most, square }) {
  return Array.from({ length: ZOOM_MAX + 1 }, (_, zoom) => {
    const grid = gridOf(area, zoom, square);
    return { grid, fits: Math.max(grid.columns, grid.rows) <= most };
  });
}

/* Why a rectangle cannot be taken, or an empty text. */
export function complaintAbout(area, { most }) {
  const sides = [area.east - area.west, area.south - area.north];
  if (!(Math.min(...sides) > 0)) return tr('The rectangle is empty.');
  if (Object.values(area).some((metres) => Math.abs(metres) > PLACE_MAX)) {
    return tr('The world ends at 2⁴⁰ m.');
  }
  const widest = most * metresPerPixel(0);
  return Math.max(...sides) > widest
    ? tr('The rectangle can be at most {0} km wide.', widest / 1000) : '';
}
