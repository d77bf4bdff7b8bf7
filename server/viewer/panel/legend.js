/* What the colours of the map mean, in the panel: the parts of parts.js as elements. */

import { h } from '../app/dom.js';
import { metresPerPixel } from '../app/place.js';
import { tr } from '../texts/texts.js';
import { legendParts } from './parts.js';
import { gradient, ramp } from './ramp.js';

const note = (...text) => h('p', { class: 'legend-note' }, ...text);

function sample({ title, stops }) {
  const swatch = h('span', { class: 'swatch' });
  swatch.style.background = gradient(stops);
  return h('li', {}, swatch, title);
}

function line({ color, width, text }) {
  const rule = h('span', { class: 'line' });
  rule.style.borderTop = `${width}px solid ${color}`;
  return [rule, text];
}

const ELEMENTS = {
  ramp: ({ title, stops, unit }) => ramp(title, stops, unit),
  samples: ({ rows }) => h('ul', { class: 'biomes' }, rows.map(sample)),
  lines: ({ rows }) => note(...rows.flatMap(line)),
  note: ({ text }) => note(text),
};

/* The legend of what the app shows, in a <details> that begins open for maps other than relief. */
export function createLegend(app, element) {
  const body = h('div', { class: 'legend-body' });
  let known = '';
  let touched = false;
  element.append(h('summary', { onclick: () => { touched = true; } }, tr('Legend')), body);

  const show = () => {
    const { world, style } = app;
    if (world === null) return;
    const perPixel = metresPerPixel(Math.round(app.map.view().zoom));
    const spacing = devicePixelRatio > 1 ? perPixel / 2 : perPixel;
    const now = `${world.address} ${world.fingerprint} ${style} ${spacing}`;
    if (now === known) return;
    known = now;
    if (!touched) element.open = style !== 'relief';
    const parts = legendParts(world, style, spacing);
    body.replaceChildren(...parts.map((part) => ELEMENTS[part.kind](part)));
    element.hidden = parts.length === 0;
  };
  app.on('shown', show);
  app.on('view', show);
}
