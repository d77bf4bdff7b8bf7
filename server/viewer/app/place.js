/* Places: metres, x to the east and y to the south, as the server has them; how they are rounded,
 * written and read. Nothing here knows the page. */

import { tr } from '../texts/texts.js';

export const ZOOM_MAX = 20;
export const PLACE_MAX = 2 ** 40;

/* The metres that one pixel of the map shows. */
export function metresPerPixel(zoom) {
  return 2 ** (17 - zoom);
}

/* [longitude, latitude] of a place in Web Mercator, as the server's GeoJSON has them: the map is
 * 2²⁵ m wide, and longitudes go on beyond 180 degrees. */
export function placeDegrees({ x, y }) {
  return [180 * x / 2 ** 24, 360 / Math.PI * Math.atan(Math.exp(-Math.PI * y / 2 ** 24)) - 90];
}

/* A coordinate as decimal text, no finer than the map can point at: the largest power of ten
 * within half a pixel, but at least a centimetre. */
export function coordinateText(metres, zoom) {
  const digits = Math.min(2, -Math.floor(Math.log10(metresPerPixel(zoom) / 2)));
  if (digits >= 0) return String(Number(metres.toFixed(digits)) + 0);
  const step = 10 ** -digits;
  return String(Math.round(metres / step) * step + 0);
}

/* A coordinate as decimal text that is read as the same number. */
export function exactText(metres) {
  const text = String(metres);
  return text.includes('e') ? metres.toFixed(9).replace(/\.?0+$/, '') : text;
}

/* A coordinate from strict decimal text, or null. */
export function parseCoordinate(text) {
  if (!/^[+-]?\d{1,13}(\.\d{1,9})?$/.test(text)) return null;
  const metres = Number(text);
  return Math.abs(metres) <= PLACE_MAX ? metres + 0 : null;
}

/* A coordinate as people write it, or null: "12 345.5", "5,554,200", "1e5", "10 km". */
function readCoordinate(text) {
  const NUMBER = /^([+-]?(?:\d{1,13}|\d{1,3}(?:,\d{3})+)(?:\.\d{1,9})?)(e\+?\d{1,2})?(k?m)?$/i;
  const [, digits, exponent = '', unit = 'm'] = NUMBER.exec(text.replace(/\s/g, '')) ?? [];
  if (digits === undefined) return null;
  const metres = Number(digits.replace(/,/g, '') + exponent) * (unit.length > 1 ? 1000 : 1);
  return Math.abs(metres) <= PLACE_MAX ? metres + 0 : null;
}

/* What may stand between two coordinates; a comma may stand within them as well. */
const BETWEEN = [/;/, /,\s+/, /,/, /(?<=m)\s+/i, /[ \t]+/];

export const PLACE_HINT = tr('A place is x, y in metres, such as 1200, −350 or 10 km, 20 km; each is '
  + 'at most 2⁴⁰ m.');

/* "1200, -34.5", also with a semicolon or only a space between, with "x" and "y" before them, and
 * with a typographic minus. Null if that is not what it is. */
export function parsePlace(text) {
  const plain = text.trim().replace(/\u2212/g, '-')
    .replace(/^x\s*[:=]?([^y]*?)[,;\s]*y\s*[:=]?/i, '$1;');
  for (const between of BETWEEN) {
    const [x, y, more] = plain.split(between).map(readCoordinate);
    if (more === undefined && Number.isFinite(x) && Number.isFinite(y)) return { x, y };
  }
  return null;
}

/* Decimal text for people: thin spaces between thousands, a real minus. */
export function readable(decimal) {
  const [whole, fraction] = decimal.replace('-', '\u2212').split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, '\u202f');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/* A height with its unit; tenths where a metre would be coarse. */
export function heightText(metres) {
  const rounded = Number(metres.toFixed(Math.abs(metres) < 10 ? 1 : 0)) + 0;
  return `${readable(String(rounded))}\u202fm`;
}

/* Any layer's value, to four significant digits. */
export function valueText(value, unit) {
  const rounded = String(Number(value.toPrecision(4)));
  return unit ? `${readable(rounded)}\u202f${unit}` : readable(rounded);
}

const WINDS = [tr('north'), tr('north-east'), tr('east'), tr('south-east'), tr('south'),
  tr('south-west'), tr('west'), tr('north-west')];

/* The direction of an angle in degrees clockwise from north. */
export function windName(degrees) {
  return WINDS[Math.round(degrees / 45) % 8];
}

/* Metres and degrees clockwise from north, from one place to another. */
export function wayTo(from, to) {
  const [east, south] = [to.x - from.x, to.y - from.y];
  const bearing = Math.atan2(east, -south) * 180 / Math.PI;
  return { distance: Math.hypot(east, south), bearing: (bearing + 360) % 360 };
}

/* A place to a tenth of a millimetre, which every text of it can say. */
export function roundedPlace({ x, y }) {
  const [east, south] = [x, y].map((metres) => Number(metres.toFixed(4)) + 0);
  return { x: east, y: south };
}

/* Coordinates for people, to a centimetre. */
export function placeText({ x, y }) {
  return [x, y].map((metres) => readable(String(Number(metres.toFixed(2)) + 0))).join(', ');
}
