/* A sheet of paper: its size, where the map and the legend lie on it, the rectangle of the world
 * that fits, the scale bar. Lengths on paper are units: a CSS pixel, of which 96 are an inch, times
 * `magnified`, as larger sheets are read from farther away. Those of the world are metres. Nothing
 * here knows the page. */

const PER_INCH = 96;
const MILLIMETRES = 25.4; /* an inch */

/* ISO 216, upright. */
const PAPERS = {
  A4: { upright: [210, 297], magnified: 1 },
  A3: { upright: [297, 420], magnified: 1.25 },
  A2: { upright: [420, 594], magnified: 1.6 },
};
export const PAPER_NAMES = Object.keys(PAPERS);

const MARGIN = 36; /* printers leave some of the edge white */
const HEAD = 56; /* title and subtitle */
const FOOT = 34; /* scale bar and address */
const GAP = 10;

/* {width, height} in units, {millimetres: [width, height]} and `magnified`. */
export function paperSize(name, isLandscape) {
  const { upright, magnified } = PAPERS[name];
  const millimetres = isLandscape ? [...upright].reverse() : upright;
  const [width, height] = millimetres.map((side) => side / MILLIMETRES * PER_INCH / magnified);
  return { width, height, millimetres, magnified };
}

/* Where things lie, as {left, top, width, height}: the title above the map, then the foot, then the
 * legend, which is so many units high. */
export function layOut({ width, height }, legendHeight) {
  const [left, inner] = [MARGIN, width - 2 * MARGIN];
  const bottom = height - MARGIN;
  const legend = { left, top: bottom - legendHeight, width: inner, height: legendHeight };
  const foot = { left, top: legend.top - (legendHeight > 0 ? GAP : 0) - FOOT, width: inner,
    height: FOOT };
  const map = { left, top: MARGIN + HEAD, width: inner, height: foot.top - GAP - MARGIN - HEAD };
  return { head: { left, top: MARGIN, width: inner, height: HEAD }, map, foot, legend };
}

/* The largest rectangle of a shape within another one, about the same middle. */
export function fitted({ west, north, east, south }, { width, height }) {
  const scale = Math.min((east - west) / width, (south - north) / height);
  const [x, y] = [(west + east) / 2, (north + south) / 2];
  const [across, down] = [width * scale / 2, height * scale / 2];
  return { west: x - across, north: y - down, east: x + across, south: y + down };
}

/* 1, 2 or 5 times a power of ten: the largest that is no more. */
export function roundDown(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  const digit = [5, 2, 1].find((each) => each * power <= value * (1 + 1e-9));
  return digit * power;
}

/* A bar of at most so many units: its metres and units. */
export function scaleBar(metresPerUnit, most) {
  const metres = roundDown(most * metresPerUnit);
  return { metres, units: metres / metresPerUnit };
}

/* "1 : 250000": how many times as long the ground is as the paper, to two digits. */
export function scaleOf(metresPerUnit, { magnified }) {
  const metresPerInch = metresPerUnit * PER_INCH / magnified;
  return Number((metresPerInch * 1000 / MILLIMETRES).toPrecision(2));
}

/* Scales to choose from: how many times as long the ground is as the paper. */
export const SCALES = [25e3, 50e3, 100e3, 250e3, 500e3, 1e6, 2.5e6, 5e6];

/* The rectangle about a place that a box of a paper shows at a scale. */
export function areaAt(scale, { x, y }, box, { magnified }) {
  const metresPerUnit = scale * MILLIMETRES / 1000 / PER_INCH * magnified;
  const [across, down] = [box.width, box.height].map((units) => units * metresPerUnit / 2);
  return { west: x - across, north: y - down, east: x + across, south: y + down };
}

/* Whether one rectangle is no wider and no higher than another one. */
export const isWithin = (inner, outer) => inner.east - inner.west <= outer.east - outer.west
  && inner.south - inner.north <= outer.south - outer.north;

/* The pixels of a picture of a part of a sheet with so many of them an inch, but no more than `most`
 * a side. */
export function pictureSize({ width, height }, { magnified }, perInch, most = Infinity) {
  const factor = Math.min(perInch / PER_INCH * magnified, most / Math.max(width, height));
  return { width: Math.round(width * factor), height: Math.round(height * factor) };
}
