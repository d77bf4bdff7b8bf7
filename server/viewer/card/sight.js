/* Looking around from a place: what is seen stays clear on the map, and what is hidden is darkened.
 * Of single places the server says it metre by metre (/sight). */

import * as L from 'leaflet/dist/leaflet-src.esm.js';
import { getJson, pinned } from '../app/api.js';
import { exactText } from '../app/place.js';
import { distanceText } from '../app/units.js';
import { removeChip, showChip } from '../map/chips.js';
import { toLatLng } from '../map/map.js';
import { groundAround } from './ground.js';
import { viewshed } from './viewshed.js';
import { tr } from '../texts/texts.js';

const CHIP = 'sight';
/* The radius of the circle, in samples. */
export const REACH = 128;
const HIDDEN = [10, 16, 30, 150];
const SEEN = [255, 214, 92, 46];

/* The metres between samples for each distance that is offered. */
export const STEPS = [8, 32, 128, 512];
export const reach = (step) => distanceText(step * REACH);

function picture(seen, width) {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = width;
  canvas.className = 'viewshed';
  const context = canvas.getContext('2d');
  const image = context.createImageData(width, width);
  seen.forEach((value, index) => {
    if (value < 2) image.data.set(value ? SEEN : HIDDEN, 4 * index);
  });
  context.putImageData(image, 0, 0);
  return canvas;
}

/* The height of the square's ground at a column and row with fractions. */
function groundAt({ heights, width }, column, row) {
  const [x, y] = [Math.floor(column), Math.floor(row)];
  const mix = (a, b, part) => a + part * (b - a);
  const line = (index) => mix(heights[index], heights[index + 1], column - x);
  return mix(line(y * width + x), line((y + 1) * width + x), row - y);
}

/* `surface`: metres, what the eye stands on, at full detail. A coarser ground may lie higher. */
function lookAround(ground, place, step, surface, eye) {
  const column = place.x / step - ground.left;
  const row = place.y / step - ground.top;
  const height = Math.max(surface, groundAt(ground, column, row)) + eye;
  const seen = viewshed(ground.heights, ground.width, { column, row, height }, REACH);
  const count = (wanted) => seen.reduce((sum, value) => sum + Number(value === wanted), 0);
  return { seen, share: count(1) / (count(0) + count(1)) };
}

/* A sample stands for the square around it. */
function boundsOf({ left, top, width }, step) {
  const corner = (column, row) => toLatLng({ x: (column - 0.5) * step, y: (row - 0.5) * step });
  return L.latLngBounds(corner(left, top), corner(left + width, top + width));
}

export function createSight(app) {
  const map = app.map.leaflet;
  const drawn = L.layerGroup().addTo(map);
  let line = null;

  const clear = () => {
    drawn.clearLayers();
    line = null;
  };

  return {
    /* Draws what is seen from a place, `eye` metres above `surface`, and gives it in words. */
    async show(place, surface, eye, step, signal) {
      const ground = await groundAround(app.world, place, step, REACH, signal);
      const { seen, share } = lookAround(ground, place, step, surface, eye);
      clear();
      /* Leaflet's overlay for an SVG element serves for any element. */
      const overlay = L.svgOverlay(picture(seen, ground.width), boundsOf(ground, step));
      drawn.addLayer(overlay);
      showChip(CHIP, tr('What is seen'), clear);
      const percent = Math.round(100 * share);
      return {
        text: tr('From {0}\u202fm above the ground, {1}\u202f% of what lies within '
          + '{2} is seen, by heights {3} apart.', eye, percent, reach(step), distanceText(step)),
      };
    },
    /* Asks whether one place sees another, draws the line, and gives it in words. */
    async check(from, to, fromEye, signal) {
      const end = ({ x, y }, metres) => [exactText(x), exactText(y), exactText(metres)].join(',');
      const answer = await getJson(
        `${pinned(app.world)}/sight?from=${end(from, fromEye)}&to=${end(to, 0)}`, signal);
      line?.remove();
      const color = answer.clear ? '#2f9e44' : '#d6402b';
      line = L.layerGroup([
        L.polyline([toLatLng(from), toLatLng(to)], { color, weight: 2, interactive: false }),
        ...(answer.blocked === null ? [] : [L.circleMarker(toLatLng(answer.blocked), {
          radius: 5, color: '#fff', weight: 2, fillColor: color, fillOpacity: 1, interactive: false,
        })]),
      ]);
      drawn.addLayer(line);
      showChip(CHIP, tr('What is seen'), clear);
      const far = distanceText(answer.distance);
      return { text: answer.clear ? tr('That place is seen, {0} away.', far)
        : tr('That place is hidden: ground {0} from here stands '
          + 'in the way ({1} to the place).', distanceText(answer.blocked.distance), far) };
    },
    clear() {
      removeChip(CHIP);
      clear();
    },
  };
}
