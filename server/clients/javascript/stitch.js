/* Closes the cracks between chunks of different steps.
 *
 *     import { stitch } from './stitch.js';
 *     const positions = stitch(fine, [coarse, coarser]); // Float32Array: X, Y, Z of each vertex
 *
 * Along a common border the coarser chunk has fewer vertices and other heights. stitch() gives the finer one the
 * vertices of the coarser one there: each vertex of its border goes to the next coarse vertex and takes its height, on
 * the north and west sides backwards and on the other two onwards. (So the north-west and south-east corners, across
 * which no square has its diagonal, are not cut off.) Vertices that meet make triangles without area, and the finer
 * border has the coarse edges and no others. Where several chunks meet, all of them take the vertex of the coarsest.
 *
 * A chunk is { x, y, step, columns, heights }: the place of its first vertex and the distance between vertices in
 * metres, vertices a side, and their heights in rows from north to south. The chunks that terrane.js returns have all
 * of that, with `heights` as layers.height. Sizes in steps are even, or multiples of the ratio of the steps, and chunks
 * have no apron. */

const edgeOf = (chunk) => (chunk.columns - 1) * chunk.step;

function contains(chunk, x, y) {
  const edge = edgeOf(chunk);
  return x >= chunk.x && y >= chunk.y && x <= chunk.x + edge && y <= chunk.y + edge;
}

/* The coarsest chunk at a place: the first of a list that begins with the coarsest. */
const coarsestAt = (chunks, x, y) => chunks.find((chunk) => contains(chunk, x, y));

const heightAt = (chunk, x, y) =>
  chunk.heights[((y - chunk.y) / chunk.step) * chunk.columns + (x - chunk.x) / chunk.step];

/* The positions of the chunk's vertices, relative to the first one: X east, Y up, Z south. `others` are the chunks that
 * touch it at a side or at a corner; those that are not coarser change nothing. */
export function stitch(chunk, others) {
  const { columns, step, heights } = chunk;
  const coarser = others.filter((other) => other.step > step).sort((a, b) => b.step - a.step);
  const positions = new Float32Array(3 * columns * columns);
  for (let k = 0; k < heights.length; k++) {
    const [i, j] = [k % columns, Math.floor(k / columns)];
    let [x, y, height] = [chunk.x + i * step, chunk.y + j * step, heights[k]];
    const onBorder = i === 0 || j === 0 || i === columns - 1 || j === columns - 1;
    const beside = onBorder && coarsestAt(coarser, x, y);
    if (beside) {
      x = (j === columns - 1 ? Math.ceil : Math.floor)(x / beside.step) * beside.step;
      y = (i === columns - 1 ? Math.ceil : Math.floor)(y / beside.step) * beside.step;
      height = heightAt(coarsestAt(coarser, x, y), x, y);
    }
    positions.set([x - chunk.x, height, y - chunk.y], 3 * k);
  }
  return positions;
}

/* Three vertices for each triangle, two triangles for each square, counter-clockwise from above. */
export function triangles(columns) {
  const squares = columns - 1;
  return Uint32Array.from({ length: 6 * squares * squares }, (_, n) => {
    const square = Math.floor(n / 6);
    const north = Math.floor(square / squares) * columns + square % squares;
    return north + [0, columns, 1, 1, columns, columns + 1][n % 6];
  });
}
