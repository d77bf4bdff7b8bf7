/* What lies on the map of a sheet: the grid with its numbers, names, pins, a compass; and the scale
 * bar below. Places are {x, y} in metres; `onSheet(place)` gives their [x, y] on the map, in units. */

import { svg } from '../app/dom.js';
import { heightText } from '../app/place.js';
import { distanceText } from '../app/units.js';
import { isSummit } from '../names/layout.js';
import { lookOf } from '../names/lettering.js';
import { tr } from '../texts/texts.js';
import { textAt } from './legend.js';
import { scaleBar } from './paper.js';

const HALO = { 'paint-order': 'stroke', stroke: '#ffffffb3', 'stroke-linejoin': 'round' };
const LINE_PX = 13;
const NUMBERS_LEAST = 26; /* units of a cell whose number has room */
const SEGMENTS = 4;

export function gridMarks(cells, onSheet, cellUnits) {
  const path = cells.map(({ corners }) => `M${corners.map(([x, y]) =>
    onSheet({ x, y }).map((at) => at.toFixed(2)).join(' ')).join('L')}Z`).join('');
  const size = Math.min(11, cellUnits / 4.2);
  const numbers = cellUnits < NUMBERS_LEAST ? [] : cells.filter(({ label }) => label !== '')
    .map(({ label, ...place }) => {
      const [x, y] = onSheet(place);
      return textAt(x, y - cellUnits * 0.28, label, { 'text-anchor': 'middle', 'font-size': size,
        ...HALO, 'stroke-width': 2.5 });
    });
  return svg('g', { class: 'poster-grid' },
    svg('path', { d: path, fill: 'none', stroke: '#ffffff', 'stroke-width': 1.6,
      'stroke-opacity': 0.35 }),
    svg('path', { d: path, fill: 'none', stroke: '#1d2329', 'stroke-width': 0.6,
      'stroke-opacity': 0.75 }), ...numbers);
}

/* A label of /labels, lettered as on the map. A summit has a triangle at its place. */
function name(label, onSheet) {
  const { family, size, style, weight, colour, halo, spacing } = lookOf(label.kind);
  const [x, y] = onSheet(label);
  const line = (text, down) => svg('text', { y: down, 'text-anchor': 'middle' }, text);
  const lines = isSummit(label)
    ? [line('▲', 4), line(label.name, 4 + LINE_PX), line(heightText(label.height), 4 + 2 * LINE_PX)]
    : [line(label.name, 4)];
  return svg('g', { transform: `translate(${x} ${y}) rotate(${label.angle ?? 0})`, fill: colour,
    'font-family': family, 'font-size': size, 'font-style': style, 'font-weight': weight,
    'letter-spacing': spacing, 'paint-order': 'stroke', stroke: halo, 'stroke-width': 2.4,
    'stroke-opacity': 0.8, 'stroke-linejoin': 'round' }, ...lines);
}

export const nameMarks = (labels, onSheet) =>
  svg('g', { class: 'poster-names' }, ...labels.map((label) => name(label, onSheet)));

export function pinMarks(pins, onSheet) {
  return svg('g', { class: 'poster-pins' }, ...pins.map((pin) => {
    const [x, y] = onSheet(pin);
    return svg('g', { transform: `translate(${x} ${y})` },
      svg('path', { d: 'M0 0C-2.5-6-7-8.5-7-14a7 7 0 0 1 14 0c0 5.5-4.5 8-7 14z', fill: '#b3261e',
        stroke: '#ffffff', 'stroke-width': 1 }),
      svg('circle', { cy: -14, r: 2.6, fill: '#ffffff' }),
      textAt(10, -10, pin.name, { 'font-weight': 600, 'font-size': 12, ...HALO, 'stroke-width': 3 }));
  }));
}

/* An arrow to the north in the upper right corner: the map is never turned. */
export function compass(width) {
  return svg('g', { class: 'poster-compass', transform: `translate(${width - 34} 40)` },
    svg('circle', { r: 24, fill: '#ffffffd9', stroke: '#252b31' }),
    svg('path', { d: 'M0-17l6 25-6-4z', fill: '#252b31' }),
    svg('path', { d: 'M0-17l-6 25 6-4z', fill: '#ffffff', stroke: '#252b31', 'stroke-width': 0.8 }),
    textAt(0, 20, tr('N|north'), { 'text-anchor': 'middle', 'font-size': 10, 'font-weight': 700 }));
}

/* A bar in black and white, with its length at the end. */
export function scaleMarks(metresPerUnit, most) {
  const { metres, units } = scaleBar(metresPerUnit, most);
  const part = units / SEGMENTS;
  return svg('g', { class: 'poster-scale' },
    ...Array.from({ length: SEGMENTS }, (_, i) => svg('rect', { x: i * part, y: 3, width: part,
      height: 5, fill: i % 2 === 0 ? '#252b31' : '#ffffff', stroke: '#252b31', 'stroke-width': 0.8 })),
    textAt(0, 20, '0', { 'font-size': 10 }),
    textAt(units, 20, distanceText(metres), { 'font-size': 10, 'text-anchor': 'middle' }));
}
