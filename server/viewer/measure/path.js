/* The points of a measurement, with undo, and as text in the address: line_x_y_x_y…, in metres, or
 * area_x_y_x_y…. */

import { exactText, parseCoordinate } from '../app/place.js';

/* Requests and addresses stay small with this many. */
export const POINTS_MAX = 500;

const KINDS = ['line', 'area'];

export function pathText(kind, points) {
  return [kind, ...points.flatMap(({ x, y }) => [x, y].map(exactText))].join('_');
}

/* {kind, points} of such a text; null if it is none. */
export function parsePath(text) {
  const [kind, ...words] = (text ?? '').split('_');
  const numbers = words.map(parseCoordinate);
  if (!KINDS.includes(kind) || numbers.length === 0 || numbers.length % 2 === 1 ||
    numbers.length > 2 * POINTS_MAX || numbers.includes(null)) return null;
  const points = numbers.flatMap((x, i) => (i % 2 === 0 ? [{ x, y: numbers[i + 1] }] : []));
  return { kind, points };
}

const same = (a, b) => a.length === b.length &&
  a.every(({ x, y }, i) => x === b[i].x && y === b[i].y);

/* A list of points that remembers what it was; changed() follows each change. */
export function createPath(changed) {
  let points = [];
  let before = [];
  const change = (next) => {
    if (same(points, next)) return;
    before.push(points);
    points = next;
    changed();
  };
  return {
    points: () => points,
    /* False when there are as many points as there may be. */
    insert(index, place) {
      if (points.length >= POINTS_MAX) return false;
      change(points.toSpliced(index, 0, place));
      return true;
    },
    move: (index, place) => change(points.with(index, place)),
    remove: (index) => change(points.toSpliced(index, 1)),
    replace: (next) => change(next),
    /* Begins with these points; nothing before them is remembered. */
    restart(next) {
      before = [];
      points = next;
      changed();
    },
    canUndo: () => before.length > 0,
    undo() {
      if (before.length === 0) return;
      points = before.pop();
      changed();
    },
  };
}
