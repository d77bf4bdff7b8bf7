/* What was measured, as rows of words and numbers, and as a table of the points. */

import { h, iconButton } from '../app/dom.js';
import { coordinateText, heightText, readable } from '../app/place.js';
import { areaText, lengthText } from '../app/units.js';

/* Facts are [name, value], and true if the value needs the whole row. */
function rows(facts) {
  return facts.flatMap(([name, value, wide]) => [h('dt', {}, name),
    h('dd', wide ? { class: 'wide' } : {}, value)]);
}

const percent = (share) => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)}\u202f%`;

/* Of a line; `profile` is null until the server has said it. */
export function lineFacts(length, profile) {
  const facts = [['Length', lengthText(length)]];
  if (profile === null) return rows(facts);
  const { ascent, descent, walked, wet, heights, lowest, highest } = profile;
  facts.push(['Walked', lengthText(walked)],
    ['Ascent', heightText(ascent)], ['Descent', heightText(descent)],
    ['Lowest', heightText(heights[lowest])], ['Highest', heightText(heights[highest])]);
  const share = percent(wet / profile.length);
  if (wet > 0) facts.push(['Under water', `${lengthText(wet)} (${share})`, true]);
  return rows(facts);
}

export const CROSSED_SHORT = 'crosses itself';
export const CROSSED = 'The border crosses itself: move a point. Until then it has no area.';

/* Of an area; `heights` is null until the server has said them. The parts of one whose border is
 * `crossed` by itself would be less each other. */
export function areaFacts({ area, perimeter, crossed }, heights) {
  const facts = [crossed ? ['Area', CROSSED_SHORT, true] : ['Area', areaText(area)],
    ['Perimeter', lengthText(perimeter)]];
  if (heights !== null && heights.count > 0) {
    facts.push(['Mean height', heightText(heights.mean)], ['Lowest', heightText(heights.lowest)],
      ['Highest', heightText(heights.highest)]);
  }
  return rows(facts);
}

/* How far apart the samples are, and what of the ground is left out. */
export function profileNote(profile) {
  const step = lengthText(profile.length / (profile.distances.length - 1));
  return profile.spacing > 0 ? `A height every ${step}. Ground finer than that is left out.`
    : `A height every ${step}, at full detail.`;
}

export function areaNote(heights, crossed) {
  if (crossed) return CROSSED;
  return heights.count > 0
    ? `${readable(String(heights.count))} heights, one every ${lengthText(heights.step)}.`
    : `The area is narrower than the grid of heights, one every ${lengthText(heights.step)}.`;
}

/* The points with the lengths of the legs to them; remove(index) is asked for by a button. */
export function pointTable(points, lengths, zoom, remove) {
  const row = ({ x, y }, i) => h('tr', {},
    h('th', { scope: 'row' }, i + 1),
    h('td', {}, [x, y].map((metres) => readable(coordinateText(metres, zoom))).join(', ')),
    h('td', {}, i > 0 ? lengthText(lengths[i - 1]) : ''),
    h('td', {}, iconButton('remove', `Remove point ${i + 1}`, () => remove(i))));
  return h('table', {},
    h('thead', {}, h('tr', {},
      ['Point', 'x, y', 'Leg'].map((name) => h('th', { scope: 'col' }, name)), h('td', {}))),
    h('tbody', {}, points.map(row)));
}
