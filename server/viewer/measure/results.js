/* What was measured, as rows of words and numbers, and as a table of the points. */

import { h, iconButton } from '../app/dom.js';
import { coordinateText, heightText, readable } from '../app/place.js';
import { areaText, lengthText } from '../app/units.js';
import { tr } from '../texts/texts.js';

/* Facts are [name, value], and true if the value needs the whole row. */
function rows(facts) {
  return facts.flatMap(([name, value, wide]) => [h('dt', {}, name),
    h('dd', wide ? { class: 'wide' } : {}, value)]);
}

const percent = (share) => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)}\u202f%`;

/* Rise over run, as an angle. */
const slopeText = (gradient) => `${(Math.atan(gradient) * 180 / Math.PI).toFixed(1)}°`;

/* Of a line; `profile` is null until the server has said it. */
export function lineFacts(length, profile) {
  const facts = [[tr('Length'), lengthText(length)]];
  if (profile === null) return rows(facts);
  const { ascent, descent, walked, wet, heights, lowest, highest, steepest } = profile;
  facts.push([tr('Walked'), lengthText(walked)],
    [tr('Ascent'), heightText(ascent)], [tr('Descent'), heightText(descent)],
    [tr('Lowest'), heightText(heights[lowest])], [tr('Highest'), heightText(heights[highest])],
    [tr('Mean slope'), slopeText((ascent + descent) / profile.length)],
    [tr('Steepest'), slopeText(steepest)]);
  const share = percent(wet / profile.length);
  if (wet > 0) facts.push([tr('Under water'), `${lengthText(wet)} (${share})`, true]);
  return rows(facts);
}

export const CROSSED_SHORT = tr('crosses itself');
export const CROSSED = tr('The border crosses itself: move a point. Until then it has no area.');

/* Of an area; `heights` is null until the server has said them. The parts of one whose border is
 * `crossed` by itself would be less each other. */
export function areaFacts({ area, perimeter, crossed }, heights) {
  const facts = [crossed ? [tr('Area'), CROSSED_SHORT, true] : [tr('Area'), areaText(area)],
    [tr('Perimeter'), lengthText(perimeter)]];
  if (heights !== null && heights.count > 0) {
    facts.push([tr('Mean height'), heightText(heights.mean)],
      [tr('Lowest'), heightText(heights.lowest)],
      [tr('Highest'), heightText(heights.highest)]);
  }
  return rows(facts);
}

/* How far apart the samples are, and what of the ground is left out. */
export function profileNote(profile) {
  const step = lengthText(profile.length / (profile.distances.length - 1));
  return profile.spacing > 0 ? tr('A height every {0}. Ground finer than that is left out.', step)
    : tr('A height every {0}, at full detail.', step);
}

export function areaNote(heights, crossed) {
  if (crossed) return CROSSED;
  return heights.count > 0
    ? tr('{0} heights, one every {1}.', readable(String(heights.count)), lengthText(heights.step))
    : tr('The area is narrower than the grid of heights, one every {0}.', lengthText(heights.step));
}

/* The points with the lengths of the legs to them; remove(index) is asked for by a button. */
export function pointTable(points, lengths, zoom, remove) {
  const row = ({ x, y }, i) => h('tr', {},
    h('th', { scope: 'row' }, i + 1),
    h('td', {}, [x, y].map((metres) => readable(coordinateText(metres, zoom))).join(', ')),
    h('td', {}, i > 0 ? lengthText(lengths[i - 1]) : ''),
    h('td', {}, iconButton('remove', tr('Remove point {0}', i + 1), () => remove(i))));
  return h('table', {},
    h('thead', {}, h('tr', {},
      [tr('Point'), 'x, y', tr('Leg')].map((name) => h('th', { scope: 'col' }, name)),
      h('td', {}))),
    h('tbody', {}, points.map(row)));
}
