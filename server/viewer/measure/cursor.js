/* The chart in the drawer, with a cursor that is moved by the mouse, a finger or the arrow keys.
 * For assistive technology it is a slider along the line. */

import { h } from '../app/dom.js';
import { heightText } from '../app/place.js';
import { lengthText } from '../app/units.js';
import { drawChart, metresAt, shareOf } from './chart.js';
import { tr } from '../texts/texts.js';

/* What the arrow keys move the cursor by: samples. */
const KEYS = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -32, PageUp: 32,
  Home: -Infinity, End: Infinity };

/* The number of the sample nearest to a distance. */
function sampleAt({ distances }, metres) {
  const after = distances.findIndex((distance) => distance >= metres);
  if (after <= 0) return after === 0 ? 0 : distances.length - 1;
  return distances[after] - metres < metres - distances[after - 1] ? after : after - 1;
}

/* "3.2 km: 812 m, 4 m under water" */
function sampleText(profile, i) {
  const depth = profile.levels[i] - profile.heights[i];
  return `${lengthText(profile.distances[i])}: ${heightText(profile.heights[i])}${
    depth > 0 ? tr(', {0} under water', lengthText(depth)) : ''}`;
}

/* `moved(index)` hears which sample the cursor is on, null for none. */
export function createChart(moved) {
  const line = h('div', { class: 'chart-cursor', hidden: true });
  const picture = h('div');
  const text = h('output', { class: 'chart-text' });
  const slider = h('div', { class: 'chart', tabindex: 0, role: 'slider',
    'aria-label': tr('Cursor along the line') }, picture, line);
  let profile = null;
  let at = null;

  const set = (index) => {
    at = index;
    line.hidden = index === null;
    if (index !== null) {
      line.style.left = `${100 * shareOf(profile.distances[index], profile.length)}%`;
      slider.setAttribute('aria-valuenow', index);
      slider.setAttribute('aria-valuetext', sampleText(profile, index));
    }
    text.textContent = index === null ? tr('The chart’s cursor moves on the map.')
      : sampleText(profile, index);
    moved(index);
  };
  const follow = ({ clientX }) => {
    const { left, width } = slider.getBoundingClientRect();
    if (profile) set(sampleAt(profile, metresAt((clientX - left) / width, profile.length)));
  };
  slider.addEventListener('pointermove', follow);
  slider.addEventListener('pointerdown', follow);
  slider.addEventListener('pointerleave', () => profile && set(null));
  slider.addEventListener('keydown', (event) => {
    const step = KEYS[event.key];
    if (step === undefined || profile === null) return;
    event.preventDefault();
    const last = profile.distances.length - 1;
    set(Math.min(last, Math.max(0, (at ?? 0) + step)));
  });

  return {
    element: h('div', {}, slider, text),
    show(newProfile, corners) {
      profile = newProfile;
      picture.replaceChildren(drawChart(profile, corners));
      slider.setAttribute('aria-valuemin', 0);
      slider.setAttribute('aria-valuemax', profile.distances.length - 1);
      slider.setAttribute('aria-valuenow', 0);
      set(null);
    },
    /* Moves the cursor to the sample at a distance along the line; null hides it. */
    point: (metres) => profile && set(metres === null ? null : sampleAt(profile, metres)),
  };
}
