/* A ramp of colours as a bar with its values below: stops are [value, colour], as in a style. */

import { h } from '../app/dom.js';
import { valueText } from '../app/place.js';
import { tr } from '../texts/texts.js';

/* A stop that stands nearer to the next one than this share of the whole is hard to see. */
const NEAREST = 0.03;
/* Labels are this share of the bar apart, at least; those at its ends lie all to one side. */
const LABEL = 0.22;
const FIRST = 0.27;
const LAST = 0.31;

/* Units at each value, as areas may be told in square kilometres; others stand at the last one. */
const SHORT = ['°', 'm²'];

const channels = (color) => [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
const pair = (channel) => Math.round(channel).toString(16).padStart(2, '0');
const hex = (numbers) => `#${numbers.map(pair).join('')}`;

/* The colour of a value between two stops. */
function between([from, first], [to, second], value) {
  const share = (value - from) / (to - from);
  const [a, b] = [channels(first), channels(second)];
  return hex(a.map((channel, i) => channel + (b[i] - channel) * share));
}

/* The stops within a range, with its ends where the ramp goes on beyond them; all stops if the range
 * has no part of the ramp. */
export function cropStops(stops, [low, high]) {
  const inside = stops.filter(([value]) => value >= low && value <= high);
  const end = (value) => {
    const next = stops.findIndex(([stop]) => stop > value);
    if (next <= 0 || inside.some(([stop]) => stop === value)) return [];
    return [[value, between(stops[next - 1], stops[next], value)]];
  };
  const cropped = [...end(low), ...inside, ...end(high)];
  return cropped.length < 2 ? stops : cropped;
}

/* Where each stop stands on the bar, 0 … 1: by its value or, where some would be too near to each
 * other to be seen, all at the same distance; two at one value are an edge. */
export function positions(stops) {
  const values = stops.map(([value]) => value);
  const [low, high] = [values[0], values.at(-1)];
  if (high === low) return values.map((_, i) => i);
  const steps = values.slice(1).map((value, i) => value - values[i]);
  if (steps.every((step) => step === 0 || step >= NEAREST * (high - low))) {
    return values.map((value) => (value - low) / (high - low));
  }
  const places = steps.reduce((all, step) => [...all, all.at(-1) + (step > 0 ? 1 : 0)], [0]);
  return places.map((place) => place / places.at(-1));
}

/* The stops to label: the ends, edges, and what else has room. */
export function labelled(stops, at) {
  const last = stops.length - 1;
  const edge = (i) => i > 0 && stops[i][0] === stops[i - 1][0];
  const order = stops.map((_, i) => i)
    .sort((a, b) => Number(edge(b)) - Number(edge(a)) || a - b);
  const chosen = last > 0 ? [0, last] : [0];
  for (const i of order) {
    const room = (other) => (other === last ? LAST : other === 0 ? FIRST : LABEL);
    if (chosen.every((other) => Math.abs(at[other] - at[i]) >= room(other))) chosen.push(i);
  }
  return chosen.sort((a, b) => a - b);
}

/* Areas in square kilometres where they are large. */
export function amount(value, unit) {
  if (unit === '°') return `${valueText(value)}°`;
  return unit === 'm²' && Math.abs(value) >= 1e6 ? valueText(value / 1e6, 'km²')
    : valueText(value, unit);
}

function label(text, place) {
  const element = h('span', {}, text);
  element.style.left = `${100 * place}%`;
  if (place === 0) element.className = 'first';
  else if (place === 1) element.className = 'last';
  return element;
}

export function gradient(stops) {
  if (stops.length === 1) return stops[0][1];
  const at = positions(stops);
  const parts = stops.map(([, color], i) => `${color} ${(100 * at[i]).toFixed(2)}%`);
  return `linear-gradient(to right, ${parts.join(', ')})`;
}

/* A bar named by its title, with its values. */
export function ramp(title, stops, unit) {
  const at = positions(stops);
  const bar = h('div', { class: 'bar' });
  bar.style.background = gradient(stops);
  const ends = [stops[0], stops.at(-1)].map(([value]) => amount(value, unit));
  return h('figure', { class: 'ramp', role: 'img',
    'aria-label': tr('{0}: {1} to {2}', title, ends[0], ends[1]) },
    h('figcaption', {}, title), bar,
    h('div', { class: 'values' },
      labelled(stops, at).map((i) =>
        label(amount(stops[i][0], at[i] < 1 && !SHORT.includes(unit) ? '' : unit), at[i]))));
}
