/* Which labels of a map show at a zoom, so that none overlaps another one. A label is hidden by each
 * better one that it overlaps, even if that is hidden itself. So what shows depends on the labels
 * around alone, not on the part of the map in view: nothing jumps when the map is moved. Nothing
 * here knows the page. */

import { metresPerPixel } from '../app/place.js';

/* The order of the kinds of one rank: that of /labels, but for summits. */
const KINDS = ['sea', 'range', 'island', 'strait', 'bay', 'fjord', 'river', 'lake', 'plateau', 'desert',
  'forest', 'plain', 'stream', 'cape', 'mouth', 'pass', 'peak', 'hill'];
const GAP_PX = 2; /* between two labels, at least */

export const isSummit = ({ kind }) => kind === 'peak' || kind === 'hill';

/* The better one first: summits are the last, then by rank, kind, size or height, and id. */
function compare(a, b) {
  return isSummit(a) - isSummit(b) || a.rank - b.rank
    || KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind)
    || (b.size ?? b.height) - (a.size ?? a.height)
    || a.id.length - b.id.length || (a.id < b.id ? -1 : 1); /* numbers of up to 64 bits, as texts */
}

/* A label as a rectangle on the map, which may be turned: its middle in pixels from `origin`, the
 * directions of its sides, and half of their lengths. */
function rectangle({ x, y, angle, box }, origin, perPixel) {
  const turn = (angle ?? 0) * Math.PI / 180;
  const [cos, sin] = [Math.cos(turn), Math.sin(turn)];
  const drop = box.drop ?? 0;
  return {
    x: (x - origin.x) / perPixel - drop * sin,
    y: (y - origin.y) / perPixel + drop * cos,
    axes: [[cos, sin], [-sin, cos]],
    halves: [(box.width + GAP_PX) / 2, (box.height + GAP_PX) / 2],
  };
}

/* How far a rectangle reaches from its middle along a direction. */
const reach = ({ axes, halves }, [x, y]) => halves[0] * Math.abs(axes[0][0] * x + axes[0][1] * y)
  + halves[1] * Math.abs(axes[1][0] * x + axes[1][1] * y);

/* Two rectangles are apart if they are so along a side of one of them. */
function overlap(a, b) {
  const [x, y] = [b.x - a.x, b.y - a.y];
  return [...a.axes, ...b.axes].every((axis) =>
    Math.abs(x * axis[0] + y * axis[1]) < reach(a, axis) + reach(b, axis));
}

/* The labels of /labels that show at a zoom, the best first. Each has a `box` as well: {width,
 * height}, the pixels of its text, and `drop`, how far below its place the middle of that is. */
export function shownLabels(labels, zoom) {
  const perPixel = metresPerPixel(zoom);
  const sorted = labels.filter(({ rank }) => rank <= zoom).sort(compare);
  const rectangles = sorted.map((label) => rectangle(label, sorted[0], perPixel));
  return sorted.filter((_, i) =>
    !rectangles.slice(0, i).some((better) => overlap(better, rectangles[i])));
}

/* Whether a place is on the text of a label, or at most so many pixels beside it. */
export function isOn(label, place, zoom, apart) {
  const { x, y, axes, halves } = rectangle(label, place, metresPerPixel(zoom));
  return axes.every((axis, i) => Math.abs(x * axis[0] + y * axis[1]) <= halves[i] + apart);
}
