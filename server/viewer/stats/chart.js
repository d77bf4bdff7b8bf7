/* The distribution of a layer's values as a drawing: bars of equal bands, and the hypsometric curve,
 * which says what share of the ground lies higher. Values run upwards. */

import { svg } from '../app/dom.js';
import { valueText } from '../app/place.js';
import { ticks } from '../measure/chart.js';
import { bandsOf, curveOf } from './summary.js';

const SIZE = { width: 480, height: 240 };
const FRAME = { left: 84, right: 14, top: 10, bottom: 28 };
const ROOM = { width: SIZE.width - FRAME.left - FRAME.right,
  height: SIZE.height - FRAME.top - FRAME.bottom };
const ABOVE = '#b5a27a';
const BELOW = '#6fa8d0';

const across = (share) => FRAME.left + ROOM.width * share;

/* Values from low to high, or a single one in the middle. */
function scaleOf({ minimum, maximum }) {
  const range = maximum - minimum;
  return (value) => FRAME.top + ROOM.height * (range > 0 ? (maximum - value) / range : 0.5);
}

function axes({ minimum, maximum, unit }, down) {
  const values = maximum > minimum ? ticks(minimum, maximum, 4) : [minimum];
  return [
    ...values.flatMap((value) => [
      svg('path', { d: `M${FRAME.left} ${down(value)}h${ROOM.width}`, stroke: 'currentColor',
        opacity: 0.2 }),
      svg('text', { x: FRAME.left - 8, y: down(value) + 5, 'text-anchor': 'end' },
        valueText(value, unit)),
    ]),
    ...[0, 0.25, 0.5, 0.75, 1].map((share) => svg('text', {
      x: across(share), y: SIZE.height - 8, 'text-anchor': share === 1 ? 'end' : 'middle',
    }, `${100 * share}\u202f%`)),
  ];
}

/* Bars as long as the largest fills half of the frame; those below sea level are blue. */
function bars(layer, down, hasSea) {
  const bands = bandsOf(layer);
  const most = Math.max(...bands.map(({ share }) => share));
  return bands.filter(({ share }) => share > 0).map(({ from, to, share }) => {
    const [top, bottom] = layer.maximum > layer.minimum ? [down(to), down(from)]
      : [down(from) - 8, down(from) + 8];
    return svg('rect', { x: FRAME.left, y: top + 0.5, width: ROOM.width * 0.5 * share / most,
      height: Math.max(1, bottom - top - 1), fill: hasSea && to <= 0 ? BELOW : ABOVE });
  });
}

/* `hasSea`: whether values below 0 are under the sea. */
export function drawDistribution(layer, { label, hasSea }) {
  const down = scaleOf(layer);
  const points = curveOf(layer).map(([share, value]) =>
    `${across(share).toFixed(1)} ${down(value).toFixed(1)}`);
  return svg('svg', { viewBox: `0 0 ${SIZE.width} ${SIZE.height}`, role: 'img',
    'aria-label': label },
  svg('g', { 'font-size': 15, 'font-family': 'sans-serif', fill: 'currentColor', stroke: 'none' },
    ...bars(layer, down, hasSea),
    ...axes(layer, down),
    svg('path', { class: 'curve', d: `M${points.join('L')}` })));
}
