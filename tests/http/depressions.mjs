/* Where water runs on a grid of heights, as programs for maps of real ground find it: D8 (O'Callaghan and Mark 1984) and
 * depressions filled from their outlets by priority flood (Barnes, Lehman and Mulla 2014). */

const NEIGHBOURS = [[1, 0], [-1, 0], [0, 1], [0, -1], [1, 1], [-1, 1], [1, -1], [-1, -1]];

/* Calls visit(index of the neighbour, distance in samples) for each neighbour within the grid. */
function forNeighbours(side, i, visit) {
  const [x, y] = [i % side, Math.floor(i / side)];
  for (const [dx, dy] of NEIGHBOURS)
    if (x + dx >= 0 && x + dx < side && y + dy >= 0 && y + dy < side)
      visit(i + dy * side + dx, dx && dy ? Math.SQRT2 : 1);
}

/* A queue whose first is the lowest: a binary heap of indices. */
class Heap {
  items = [];

  constructor(height) {
    this.height = height;
  }

  push(item) {
    let at = this.items.push(item) - 1;
    for (let up; at > 0 && this.height[item] < this.height[this.items[up = (at - 1) >> 1]]; at = up)
      this.items[at] = this.items[up];
    this.items[at] = item;
  }

  pop() {
    const [first, item] = [this.items[0], this.items.pop()];
    const { length } = this.items;
    if (length === 0) return first;
    let at = 0;
    for (let low = 1; low < length; low = 2 * at + 1) {
      if (low + 1 < length && this.height[this.items[low + 1]] < this.height[this.items[low]]) low++;
      if (this.height[this.items[low]] >= this.height[item]) break;
      this.items[at] = this.items[low];
      at = low;
    }
    this.items[at] = item;
    return first;
  }
}

/* The neighbour to which the slope is steepest; -1 in a pit. */
function steepest(heights, side, i) {
  let [best, to] = [0, -1];
  forNeighbours(side, i, (j, distance) => {
    const slope = (heights[i] - heights[j]) / distance;
    if (slope > best) [best, to] = [slope, j];
  });
  return to;
}

/* The heights when every depression is filled to its lowest outlet, and from where each sample was reached. */
function fill(heights, side, isOutlet) {
  const filled = Float32Array.from(heights);
  const from = new Int32Array(heights.length).fill(-1);
  const done = new Uint8Array(heights.length);
  const heap = new Heap(filled);
  heights.forEach((_, i) => {
    if (!isOutlet(i)) return;
    done[i] = 1;
    heap.push(i);
  });
  while (heap.items.length > 0) {
    const at = heap.pop();
    forNeighbours(side, at, (i) => {
      if (done[i]) return;
      done[i] = 1;
      from[i] = at;
      filled[i] = Math.max(filled[i], filled[at]);
      heap.push(i);
    });
  }
  return { filled, from };
}

/* For each sample, 1 if D8 leads from it into a pit, 0 if to an outlet. Over level ground it goes the way of the flood. */
function intoPits(heights, side, isOutlet, { filled, from }) {
  const UNKNOWN = 2;
  const ends = Uint8Array.from(heights, (_, i) => (isOutlet(i) ? 0 : UNKNOWN));
  for (let start = 0; start < heights.length; start++) {
    const path = [];
    let at = start;
    while (at >= 0 && ends[at] === UNKNOWN) {
      path.push(at);
      const to = steepest(heights, side, at);
      at = to < 0 && filled[at] === heights[at] ? from[at] : to;
    }
    for (const i of path) ends[i] = at < 0 ? 1 : ends[at];
  }
  return ends;
}

/* Of side × side heights in metres: how many samples are land, which of them drain into pits, and how deep filling would
 * make the land's depressions. The sea, `water(i)` and the border of the grid are outlets. */
export function depressions(heights, side, water = () => false) {
  const isBorder = (i) => i < side || i >= side * (side - 1) || i % side === 0 || i % side === side - 1;
  const isLand = (i) => heights[i] > 0 && !water(i);
  const isOutlet = (i) => !isLand(i) || isBorder(i);
  const flood = fill(heights, side, isOutlet);
  const pits = intoPits(heights, side, isOutlet, flood);
  const found = { land: 0, intoPits: 0, meanFill: 0, deepest: 0, deepestAt: -1 };
  heights.forEach((height, i) => {
    if (!isLand(i)) return;
    const depth = flood.filled[i] - height;
    found.land++;
    found.intoPits += pits[i];
    found.meanFill += depth;
    if (depth > found.deepest) [found.deepest, found.deepestAt] = [depth, i];
  });
  found.intoPits /= found.land;
  found.meanFill /= found.land;
  return found;
}
