/* Small charts, drawn as SVG: the distribution of numbers, and a line of them. */

import { svg } from '../app/dom.js';

const WIDTH = 300;
const HEIGHT = 84;

/* How many numbers fall into each of `bins` equal parts of low … high. */
export function countBins(values, low, high, bins) {
  const counts = new Array(bins).fill(0);
  const scale = bins / (high - low || 1);
  for (const value of values) {
    counts[Math.min(bins - 1, Math.max(0, Math.floor((value - low) * scale)))] += 1;
  }
  return counts;
}

export function extremes(values) {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}

function frame(label, ...content) {
  return svg('svg', {
    class: 'chart', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', role: 'img',
    'aria-label': label,
  }, ...content);
}

/* Bars over low … high. */
export function histogram(label, values, low, high, bins = 60) {
  const counts = countBins(values, low, high, bins);
  const most = Math.max(1, ...counts);
  const bars = counts.map((count, index) => {
    const x = (index * WIDTH) / bins;
    const y = HEIGHT - (count * (HEIGHT - 2)) / most;
    return count === 0 ? '' : `M${x} ${HEIGHT}V${y}h${WIDTH / bins - 0.6}V${HEIGHT}z`;
  }).join('');
  return frame(label, svg('path', { class: 'bars', d: bars || 'M0 0' }));
}

const level = (value, low, high) => HEIGHT - 2 - ((value - low) * (HEIGHT - 4)) / (high - low || 1);

/* A line from the left to the right; one at zero if that is between low and high. */
export function lineChart(label, values, low, high) {
  const step = WIDTH / Math.max(1, values.length - 1);
  const points = Array.from(values, (value, index) =>
    `${(index * step).toFixed(1)} ${level(value, low, high).toFixed(1)}`);
  const zero = low < 0 && high > 0
    ? [svg('path', { class: 'zero', d: `M0 ${level(0, low, high)}h${WIDTH}` })] : [];
  return frame(label, ...zero, svg('path', { class: 'line', d: `M${points.join('L')}` }));
}
