/* Grids for game masters: squares or hexes with numbers, over a rectangle of the world. They are laid
 * from the world's origin, so sheets of neighbouring places fit to each other; the numbers begin at
 * the north-western cell of the sheet. Nothing here knows the page. */

import { roundDown } from './paper.js';

const COLUMNS_USUAL = 10; /* or up to twice as many, as sizes are round */
const COLUMNS_MOST = 40;

/* What follows in 1, 2, 5, 10, 20 … */
function nextSize(size) {
  const power = 10 ** Math.floor(Math.log10(size * (1 + 1e-9)));
  return [2, 5, 10].map((factor) => factor * power).find((next) => next > size * 1.001);
}

/* Sizes to choose from, in metres, and the usual one. */
export function cellSizes({ west, east }) {
  const usual = roundDown((east - west) / COLUMNS_USUAL);
  const sizes = [];
  for (let size = roundDown(usual / 6); size <= (east - west) / 2; size = nextSize(size)) {
    if ((east - west) / size <= COLUMNS_MOST) sizes.push(size);
  }
  return { sizes, usual };
}

/* 0 is A, 25 Z, 26 AA. */
export function columnLetters(index) {
  const last = String.fromCharCode(65 + index % 26);
  return index < 26 ? last : columnLetters(Math.floor(index / 26) - 1) + last;
}

const twoDigits = (index) => String(index + 1).padStart(2, '0');

/* {corners: [[x, y] …], x, y} of a cell; x and y are its middle. */
function square(column, row, size) {
  const [x, y] = [column * size, row * size];
  return { x: x + size / 2, y: y + size / 2,
    corners: [[x, y], [x + size, y], [x + size, y + size], [x, y + size]] };
}

/* A hex with a flat top, `size` from north to south; odd columns lie half a hex lower. */
function hex(column, row, size) {
  const side = size / Math.sqrt(3);
  const x = column * 1.5 * side;
  const y = (row + (Math.abs(column) % 2 === 1 ? 0.5 : 0)) * size;
  const corners = [[-1, 0], [-0.5, -0.5], [0.5, -0.5], [1, 0], [0.5, 0.5], [-0.5, 0.5]]
    .map(([across, down]) => [x + across * side, y + down * size]);
  return { x, y, corners };
}

const KINDS = {
  squares: { cell: square, columnWidth: (size) => size,
    label: (column, row) => `${columnLetters(column)}${row + 1}` },
  hexes: { cell: hex, columnWidth: (size) => 1.5 * size / Math.sqrt(3),
    label: (column, row) => `${twoDigits(column)}${twoDigits(row)}` },
};

const EDGE = 0.4; /* of a cell: nearer to the edge of the sheet its number would be cut */

/* All cells that reach into the rectangle. */
function cellsWithin({ cell, columnWidth }, size, area) {
  const [left, right] = [area.west, area.east].map((x) => Math.floor(x / columnWidth(size)));
  const [top, bottom] = [area.north, area.south].map((y) => Math.floor(y / size));
  const cells = [];
  for (let column = left - 1; column <= right + 1; column += 1) {
    for (let row = top - 1; row <= bottom + 1; row += 1) {
      cells.push({ ...cell(column, row, size), column });
    }
  }
  return cells;
}

/* The cells of a rectangle: {corners, label, x, y}; `label` is '' where a number has no room. */
export function cellsOf(kind, size, area) {
  const { label, ...shape } = KINDS[kind];
  const cells = cellsWithin(shape, size, area);
  const edge = EDGE * size;
  const hasRoom = ({ x, y }) => x - edge >= area.west && x + edge <= area.east
    && y - edge >= area.north && y + edge <= area.south;
  const numbered = cells.filter(hasRoom);
  const first = Math.min(...numbered.map(({ column }) => column));
  const top = Math.min(...numbered.map(({ y }) => y));
  const rowOf = ({ y }) => Math.floor((y - top) / size + 0.25); /* half a hex lower is the same row */
  return cells.map((each) => ({ ...each,
    label: hasRoom(each) ? label(each.column - first, rowOf(each)) : '' }));
}
