/* A label as an element, and how much room it takes. names.css says how each kind is lettered. */

import { h } from '../app/dom.js';
import { heightText } from '../app/place.js';
import { isSummit } from './layout.js';

const LINE_PX = 15; /* the height of a line of text */
const MARK_PX = 5; /* half of the triangle of a summit */

const context = document.createElement('canvas').getContext('2d');
const looks = new Map(); /* by class */
const widths = new Map(); /* by font, spacing and text */
const WIDTHS_MOST = 4000;

/* How names.css letters a kind: {font, family, size, style, weight, colour, halo, spacing}. */
export function lookOf(kind) {
  if (!looks.has(kind)) {
    const probe = h('span', { class: `name ${kind}`, hidden: true });
    document.body.append(probe);
    const { font, fontFamily, fontSize, fontStyle, fontWeight, color, textShadow, letterSpacing }
      = getComputedStyle(probe);
    const [halo = 'none'] = /rgba?\([^)]*\)/.exec(textShadow) ?? [];
    looks.set(kind, { font, family: fontFamily, size: parseFloat(fontSize), style: fontStyle,
      weight: fontWeight, colour: color, halo, spacing: parseFloat(letterSpacing) || 0 });
    probe.remove();
  }
  return looks.get(kind);
}

function widthOf(text, kind) {
  const key = `${kind} ${text}`;
  if (!widths.has(key)) {
    if (widths.size >= WIDTHS_MOST) widths.clear();
    const { font, spacing } = lookOf(kind);
    context.font = font;
    widths.set(key, context.measureText(text).width + spacing * [...text].length);
  }
  return widths.get(key);
}

/* The room of a label of /labels, as shownLabels() takes it. A summit has a triangle at its place,
 * and below that its name and its height. */
export function boxOf({ name, kind, height }) {
  const width = widthOf(name, kind);
  if (!isSummit({ kind })) return { width, height: LINE_PX };
  return { width: Math.max(width, widthOf(heightText(height), kind)),
    height: 2 * LINE_PX + 2 * MARK_PX, drop: LINE_PX };
}

/* The element of a label, whose place is where it begins. */
export function createLabel({ name, kind, height, angle }) {
  const texts = isSummit({ kind }) ? [h('b', {}, '▲'), name, h('small', {}, heightText(height))]
    : [name];
  const element = h('span', { class: `name ${kind}` }, texts);
  if (angle) element.style.rotate = `${angle}deg`;
  return element;
}
