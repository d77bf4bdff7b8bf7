/* The profile as a drawing: SVG, for the page and as a file. Colours are attributes, so that the
 * file looks like the page; text has the colour of what is around it. */

import { svg } from '../app/dom.js';
import { heightText } from '../app/place.js';
import { lengthText } from '../app/units.js';

const SIZE = { width: 480, height: 220 };
const FRAME = { left: 76, right: 8, top: 8, bottom: 26 };
/* What the frame leaves for the ground. */
const ROOM = { width: SIZE.width - FRAME.left - FRAME.right,
  height: SIZE.height - FRAME.top - FRAME.bottom };
const GROUND = { fill: '#b5a27a', stroke: '#7d6b42' };
const WATER = '#6fa8d0';

/* Round numbers from low to high, about `count` of them: 1, 2 or 5 times a power of ten apart. */
export function ticks(low, high, count) {
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((digit) => digit * power).find((wide) => wide >= rough);
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.floor(high / step) - first + 1 },
    (_, i) => Number(((first + i) * step).toPrecision(12)));
}

/* The heights that are shown: all ground and water surfaces, and at least 10 m. */
function rangeOf({ heights, levels }) {
  const surfaces = heights.map((height, i) => Math.max(height, levels[i]));
  const [low, high] = [Math.min(...heights), Math.max(...surfaces)];
  const room = high - low < 10 ? 5 : (high - low) / 12;
  return { low: low - room, high: high + room };
}

/* From metres to units of the drawing. */
function scalesOf(profile) {
  const { low, high } = rangeOf(profile);
  const inside = (metres) => Math.min(high, Math.max(low, metres));
  return {
    low, high,
    across: (metres) => FRAME.left + ROOM.width * metres / profile.length,
    down: (metres) => FRAME.top + ROOM.height * (high - inside(metres)) / (high - low),
  };
}

/* The area between a line of heights and the bottom of the frame. */
function areaPath(distances, values, { across, down }) {
  const bottom = SIZE.height - FRAME.bottom;
  const points = values.map((value, i) =>
    `${across(distances[i]).toFixed(1)} ${down(value).toFixed(1)}`);
  return `M${FRAME.left} ${bottom}L${points.join(' ')} ${SIZE.width - FRAME.right} ${bottom}Z`;
}

function gridLines(profile, { low, high, across, down }) {
  const [right, bottom] = [SIZE.width - FRAME.right, SIZE.height - FRAME.bottom];
  const heights = ticks(low, high, 4).flatMap((metres) => [
    svg('path', { d: `M${FRAME.left} ${down(metres)}H${right}`, stroke: 'currentColor',
      opacity: 0.2 }),
    svg('text', { x: FRAME.left - 8, y: down(metres) + 5, 'text-anchor': 'end' },
      heightText(metres)),
  ]);
  const distances = ticks(0, profile.length, 4).map((metres) => svg('text', {
    x: across(metres), y: bottom + 19,
    'text-anchor': metres === 0 ? 'start' : across(metres) > right - 40 ? 'end' : 'middle',
  }, lengthText(metres)));
  return [...heights, ...distances];
}

/* A thin line where the measured line turns. */
function cornerLines(corners, { across }) {
  return corners.map((metres) => svg('path', {
    d: `M${across(metres)} ${FRAME.top}V${SIZE.height - FRAME.bottom}`,
    stroke: 'currentColor', opacity: 0.35, 'stroke-dasharray': '3 4',
  }));
}

/* The drawing of a profile (ground.js); `corners`: metres along the line where it turns. The
 * water's surface is drawn below the ground as well, so shores are where both cross. */
export function drawChart(profile, corners) {
  const scales = scalesOf(profile);
  const area = (values, paint) =>
    svg('path', { d: areaPath(profile.distances, values, scales), ...paint });
  const wet = profile.levels.some((level, i) => level > profile.heights[i]);
  return svg('svg', { viewBox: `0 0 ${SIZE.width} ${SIZE.height}` },
    svg('g', { 'font-size': 16, 'font-family': 'sans-serif', fill: 'currentColor', stroke: 'none' },
      ...(wet ? [area(profile.levels, { fill: WATER, class: 'water' })] : []),
      area(profile.heights, { ...GROUND, class: 'ground' }),
      ...cornerLines(corners, scales),
      ...gridLines(profile, scales)));
}

/* The same as a file: dark on white, in a size of its own. */
export function chartFile(profile, corners) {
  const drawing = drawChart(profile, corners);
  const attributes = { width: SIZE.width, height: SIZE.height, color: '#222' };
  for (const [name, value] of Object.entries(attributes)) drawing.setAttribute(name, value);
  drawing.prepend(svg('rect', { width: SIZE.width, height: SIZE.height, fill: '#fff' }));
  return new Blob([new XMLSerializer().serializeToString(drawing)], { type: 'image/svg+xml' });
}

/* The share of the drawing's width at which a distance stands, and back. */
export function shareOf(metres, length) {
  return (FRAME.left + ROOM.width * metres / length) / SIZE.width;
}
export function metresAt(share, length) {
  const metres = (share * SIZE.width - FRAME.left) / ROOM.width * length;
  return Math.min(length, Math.max(0, metres));
}
