/* Sliders for the numbers of a formula: which numbers it has, what each may be, and the numbers that
 * the places of a slider mean. Nothing here knows the editor or the page. */

import { callAt, parameterOf, tokenize } from './formulas.js';

const PLACES = 240;        /* of a slider, besides the first */
const TIMES = 10;          /* how much less or more a number can get */
const OCTAVES_MAX = 12;    /* more cost much and show nothing */
const WHOLE_CHOICES = 24;  /* whole numbers in so small a range get all of it */
const BEFORE = 7;          /* characters of the formula that a label shows before a number */
const AFTER = 14;          /* and behind it */

/* The numbers of a formula: {from, to, text, parameter, call, before, after}; `parameter` is that of
 * /formulas that the number is given for, or null; the last two are the formula's text around it. */
export function literalsOf(formula, functions) {
  const tokens = tokenize(formula);
  return tokens.flatMap((token, index) => {
    if (token.type !== 'number') return [];
    const call = callAt(tokens, token.from + 1);
    const [previous, next] = [tokens[index - 1]?.text ?? '(', tokens[index + 1]?.text ?? ')'];
    const isAlone = /^[(,=]$/.test(previous) && /^[),]$/.test(next);
    const found = isAlone ? parameterOf(functions, call) : null;
    return [{
      from: token.from, to: token.to, text: token.text,
      parameter: ['number', 'whole'].includes(found?.kind) ? found : null,
      call: call?.name ?? null,
      before: formula.slice(Math.max(0, token.from - BEFORE), token.from),
      after: formula.slice(token.to, token.to + AFTER),
    }];
  });
}

function limitsOf(parameter, value) {
  const { name, kind, minimum = -Infinity, maximum = Infinity } = parameter ?? {};
  if (name === 'octaves') return [minimum, Math.max(OCTAVES_MAX, value)];
  if (name === 'persistence') return [minimum, Math.max(1, value)];
  if (kind === 'whole' && maximum - minimum <= WHOLE_CHOICES) return [minimum, maximum];
  const [low, high] = value === 0 ? [0, 1] : [value / TIMES, value * TIMES];
  return [Math.max(low, minimum), Math.min(high, maximum)];
}

/* What a slider spans that begins at a number: {low, high, log, whole}. Numbers without limits of
 * their own go from a tenth to ten times, each half of the slider by one factor. */
export function rangeOf({ parameter }, text) {
  const value = Number(text);
  const [low, high] = limitsOf(parameter, value);
  const isFew = ['octaves', 'persistence'].includes(parameter?.name)
    || (parameter?.kind === 'whole' && high - low <= WHOLE_CHOICES);
  return { low, high, log: !isFew && low > 0, whole: parameter?.kind === 'whole' };
}

/* How many places a slider has besides the first: few whole numbers have one each. */
export const placesOf = ({ low, high, log, whole }) => (whole && !log ? high - low : PLACES);

/* The place, 0 … placesOf(), of a number. */
export function placeOf(range, value) {
  const { low, high, log } = range;
  const inside = Math.min(high, Math.max(low, value));
  const part = log ? Math.log(inside / low) / Math.log(high / low) : (inside - low) / (high - low);
  return Math.round(placesOf(range) * part);
}

/* The number at a place as text: three digits, of wide ranges as of narrow ones. */
export function textAt(range, place) {
  const { low, high, log, whole } = range;
  const part = place / placesOf(range);
  const value = log ? low * (high / low) ** part : low + (high - low) * part;
  const rounded = whole ? Math.round(value) : Number(value.toPrecision(3));
  return String(Math.min(high, Math.max(low, rounded)));
}
