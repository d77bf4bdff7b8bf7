/* Lengths, areas and bytes for people. */

import { readable } from './place.js';
import { tr } from '../texts/texts.js';

/* Four digits at most, of which none is a trailing zero of a fraction. */
const rounded = (value, digits) => readable(String(Number(value.toPrecision(digits)) + 0));

/* All digits before the point, however many. */
function withUnit(value, unit, digits = 4) {
  const text = Math.abs(value) < 10 ** digits ? rounded(value, digits)
    : readable(String(Math.round(value)));
  return `${text}\u202f${unit}`;
}

/* Metres, as kilometres from one on. */
export function lengthText(metres) {
  if (Math.abs(metres) < 0.005) return '0\u202fm';
  return Math.abs(metres) < 1000 ? withUnit(metres, 'm') : withUnit(metres / 1000, 'km');
}

/* A distance to be walked or flown, roughly: whole metres, or kilometres to two or more digits. */
export function distanceText(metres) {
  if (metres < 1000) return `${readable(String(Math.round(metres)))}\u202fm`;
  const kilometres = metres / 1000;
  return `${readable(String(Number(kilometres.toFixed(kilometres < 10 ? 1 : 0))))}\u202fkm`;
}

/* Square metres, as square kilometres from 0.1 on. */
export function areaText(square) {
  return square < 1e5 ? withUnit(square, 'm²') : withUnit(square / 1e6, 'km²');
}

/* Bytes, to two digits: they are estimates. */
export function bytesText(bytes) {
  if (bytes < 1e3) return tr('{0}\u202fbytes', Math.round(bytes));
  if (bytes < 1e6) return withUnit(bytes / 1e3, 'KB', 2);
  return bytes < 1e9 ? withUnit(bytes / 1e6, 'MB', 2) : withUnit(bytes / 1e9, 'GB', 2);
}
