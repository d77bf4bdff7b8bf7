/* Lines and areas on the plane: places {x, y} in metres, x to the east and y to the south. The
 * world is flat, so all of this is Pythagoras and the shoelace formula. Nothing here knows the
 * page. */

export const distance = (a, b) => Math.hypot(b.x - a.x, b.y - a.y);

/* The lengths of a line's legs; those of an area's border if it is closed. */
export function legs(points, closed = false) {
  const ends = closed ? [...points.slice(1), points[0]] : points.slice(1);
  return points.length < 2 ? [] : ends.map((end, i) => distance(points[i], end));
}

export const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

/* Square metres within a border, by the shoelace formula; below 0 if it runs anticlockwise on the
 * map. Relative to the first corner: far from the origin the products of coordinates would lose the
 * digits that count. */
export function signedArea(points) {
  if (points.length < 3) return 0;
  const [{ x: x0, y: y0 }] = points;
  return sum(points.map((a, i) => {
    const b = points[(i + 1) % points.length];
    return (a.x - x0) * (b.y - y0) - (b.x - x0) * (a.y - y0);
  })) / 2;
}

export const areaOf = (points) => Math.abs(signedArea(points));

/* Whether two sides of a border cross: then its shoelace area is that of some parts less others. */
export function crossesItself(points) {
  const turn = (a, b, c) => Math.sign((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x));
  const sides = points.map((a, i) => [a, points[(i + 1) % points.length]]);
  return sides.some(([a, b], i) => sides.slice(i + 2).some(([c, d]) =>
    turn(a, b, c) * turn(a, b, d) < 0 && turn(c, d, a) * turn(c, d, b) < 0));
}

/* The place `along` metres from the start of a line; an end of the line beyond it. */
export function placeAlong(points, along) {
  let rest = Math.max(0, along);
  for (const [i, leg] of legs(points).entries()) {
    if (rest < leg) {
      const [a, b] = [points[i], points[i + 1]];
      return { x: a.x + (b.x - a.x) * (rest / leg), y: a.y + (b.y - a.y) * (rest / leg) };
    }
    rest -= leg;
  }
  return points.at(-1);
}

/* How far along the leg from a to b the place nearest to p lies: 0 … 1. */
function nearestPart(a, b, p) {
  const square = distance(a, b) ** 2;
  const part = ((p.x - a.x) * (b.x - a.x) + (p.y - a.y) * (b.y - a.y)) / square;
  return square === 0 ? 0 : Math.min(1, Math.max(0, part));
}

/* The place of a line that is nearest to p: {leg, along, apart}, the number of its leg, the metres
 * along the line and those from p. Null for a line without legs. */
export function nearestOnLine(points, p) {
  let before = 0;
  let nearest = null;
  for (const [leg, length] of legs(points).entries()) {
    const [a, b] = [points[leg], points[leg + 1]];
    const part = nearestPart(a, b, p);
    const apart = distance({ x: a.x + (b.x - a.x) * part, y: a.y + (b.y - a.y) * part }, p);
    if (nearest === null || apart < nearest.apart) {
      nearest = { leg, along: before + part * length, apart };
    }
    before += length;
  }
  return nearest;
}

/* The smallest rectangle around places: {west, north, east, south}. */
export function boundsOf(points) {
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  return { west: Math.min(...xs), north: Math.min(...ys),
    east: Math.max(...xs), south: Math.max(...ys) };
}

/* Where the border of an area crosses a parallel, from west to east: in between two of them, the
 * first and the second, the third and the fourth …, lies the area (by the even–odd rule). */
export function crossings(points, y) {
  const found = points.flatMap((a, i) => {
    const b = points[(i + 1) % points.length];
    return (a.y <= y) === (b.y <= y) ? [] : [a.x + (b.x - a.x) * ((y - a.y) / (b.y - a.y))];
  });
  return found.sort((a, b) => a - b);
}
