/* The legend of a sheet: the parts of panel/parts.js as a drawing, in rows from left to right. */

import { svg } from '../app/dom.js';
import { amount, labelled, positions } from '../panel/ramp.js';

const RAMP = { width: 236, height: 44 };
const SAMPLE = { width: 164, height: 18 };
const NOTE_HEIGHT = 18;
const NOTE_LETTER = 5.7; /* units of a letter, with some to spare */
const BAR = { width: 212, height: 9, top: 17 };
const INK = '#252b31';
const FAINT = '#525b64';
const EDGE = { stroke: '#00000055', 'stroke-width': 0.5 };

export const textAt = (x, y, text, attributes = {}) =>
  svg('text', { x, y, fill: INK, 'font-size': 11, ...attributes }, text);

let gradients = 0;

/* A rectangle in the colours of stops. */
function colours(stops, box) {
  if (stops.length === 1) return [svg('rect', { ...box, fill: stops[0][1], ...EDGE })];
  const id = `poster-gradient-${(gradients += 1)}`;
  const at = positions(stops);
  return [
    svg('linearGradient', { id }, ...stops.map(([, color], i) =>
      svg('stop', { offset: at[i], 'stop-color': color }))),
    svg('rect', { ...box, fill: `url(#${id})`, ...EDGE }),
  ];
}

function rampItem({ title, stops, unit }) {
  const at = positions(stops);
  const anchor = (place) => (place === 0 ? 'start' : place === 1 ? 'end' : 'middle');
  const values = labelled(stops, at).map((i) =>
    textAt(at[i] * BAR.width, BAR.top + BAR.height + 11, amount(stops[i][0], at[i] < 1 ? '' : unit),
      { 'text-anchor': anchor(at[i]), 'font-size': 9, fill: FAINT }));
  return { ...RAMP, content: [textAt(0, 11, title),
    ...colours(stops, { x: 0, y: BAR.top, width: BAR.width, height: BAR.height }), ...values] };
}

const sampleItem = ({ title, stops }) => ({ ...SAMPLE, content: [
  ...colours(stops, { x: 0, y: 2, width: 12, height: 12, rx: 2 }), textAt(18, 12, title)] });

const lineItem = ({ text, color, width }) => ({ ...SAMPLE, content: [
  svg('path', { d: 'M0 8h14', stroke: color, 'stroke-width': width }), textAt(18, 12, text)] });

const noteItem = ({ text }) => ({ width: text.length * NOTE_LETTER + 24, height: NOTE_HEIGHT,
  content: [textAt(0, 12, text, { fill: FAINT })] });

const ITEMS = {
  ramp: (part) => [rampItem(part)],
  samples: ({ rows }) => rows.map(sampleItem),
  lines: ({ rows }) => rows.map(lineItem),
  note: (part) => [noteItem(part)],
};

/* {element, height} of a legend that is so many units wide. Each part begins with a row of its own
 * if the one before has another height. */
export function legendOf(parts, width) {
  const element = svg('g', { class: 'poster-legend' });
  let [x, y, rowHeight] = [0, 0, 0];
  for (const item of parts.flatMap((part) => ITEMS[part.kind](part))) {
    if (x > 0 && (x + item.width > width || item.height !== rowHeight)) {
      y += rowHeight;
      x = 0;
    }
    rowHeight = item.height;
    element.append(svg('g', { transform: `translate(${x} ${y})` }, ...item.content));
    x += item.width;
  }
  return { element, height: y + rowHeight };
}
