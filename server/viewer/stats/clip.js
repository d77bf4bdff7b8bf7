/* How much of a line lies within a ring. Places are {x, y} in metres; a line is a list of [x, y …],
 * and the ring is closed and counts by the even–odd rule. Nothing here knows the page. */

import { boundsOf } from '../measure/geometry.js';

const isInside = (ring, x, y) => ring.reduce((inside, a, i) => {
  const b = ring[(i + 1) % ring.length];
  const crosses = (a.y > y) !== (b.y > y) && x < a.x + (b.x - a.x) * ((y - a.y) / (b.y - a.y));
  return crosses ? !inside : inside;
}, false);

/* The parts of the way from p to q, 0 … 1, at which it crosses sides of the ring, in order. */
function crossingParts(ring, [px, py], [qx, qy]) {
  const [dx, dy] = [qx - px, qy - py];
  const parts = [];
  for (const [i, a] of ring.entries()) {
    const b = ring[(i + 1) % ring.length];
    const [ex, ey] = [b.x - a.x, b.y - a.y];
    const turn = dx * ey - dy * ex;
    if (turn === 0) continue;
    const along = ((a.x - px) * ey - (a.y - py) * ex) / turn;
    const side = ((a.x - px) * dy - (a.y - py) * dx) / turn;
    if (along > 0 && along < 1 && side >= 0 && side <= 1) parts.push(along);
  }
  return parts.sort((a, b) => a - b);
}

function legWithin(ring, bounds, p, q) {
  if (Math.max(p[0], q[0]) < bounds.west || Math.min(p[0], q[0]) > bounds.east
    || Math.max(p[1], q[1]) < bounds.north || Math.min(p[1], q[1]) > bounds.south) return 0;
  const length = Math.hypot(q[0] - p[0], q[1] - p[1]);
  const ends = [0, ...crossingParts(ring, p, q), 1];
  return ends.slice(1).reduce((total, end, i) => {
    const middle = (ends[i] + end) / 2;
    const inside = isInside(ring, p[0] + (q[0] - p[0]) * middle, p[1] + (q[1] - p[1]) * middle);
    return inside ? total + length * (end - ends[i]) : total;
  }, 0);
}

/* Metres of a line within a ring. */
export function lengthWithin(ring, line) {
  const bounds = boundsOf(ring);
  return line.slice(1).reduce((total, q, i) => total + legWithin(ring, bounds, line[i], q), 0);
}
