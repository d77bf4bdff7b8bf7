/* Numbers in a text that are changed in steps: by dragging, or with the keyboard. Nothing here
 * knows the editor. */

const NUMBER = /(?<![\w.#])(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.])/g;

/* The number that stands at a position of a line, or ends there: {from, to, text}, with its sign if
 * that is no operator; or null. */
export function numberAt(line, position) {
  for (const match of line.matchAll(NUMBER)) {
    const to = match.index + match[0].length;
    const signed = /(?:^|[[(,=:?]\s*)-$/.test(line.slice(0, match.index));
    const from = signed ? match.index - 1 : match.index;
    if (from > position || to < position) continue;
    return { from, to, text: line.slice(from, to) };
  }
  return null;
}

const decimalsOf = (text) => (/e/i.test(text) ? 0 : (text.split('.')[1] ?? '').length);

/* The step of a number: a tenth of its leading digit's place, so that a drag of some ten pixels is
 * felt; a number without a point stays whole. */
function stepOf(text) {
  const size = Math.abs(Number(text));
  const tenth = size === 0 ? -1 : Math.floor(Math.log10(size) + 1e-9) - 1;
  return text.includes('.') || /e/i.test(text) ? tenth : Math.max(0, tenth);
}

function clamp(value, { minimum = -Infinity, maximum = Infinity } = {}) {
  return Math.min(maximum, Math.max(minimum, value));
}

/* Twice as much, or half as much. */
function doubled(text, steps, limits) {
  const power = Math.round(Math.log2(Math.max(1, Number(text)))) + steps;
  return String(clamp(2 ** Math.max(0, power), limits));
}

/* The text of a number that many steps on. `limits`, all optional: minimum, maximum, whole, and
 * doubling for powers of two. */
export function stepNumber(text, steps, limits = {}) {
  if (limits.doubling) return doubled(text, steps, limits);
  const exponent = limits.whole ? Math.max(0, stepOf(text)) : stepOf(text);
  const decimals = Math.max(0, -exponent, decimalsOf(text));
  const wanted = Number(text) + steps * 10 ** exponent;
  const value = clamp(wanted, limits);
  if (value !== wanted) return String(value);
  const shown = value.toFixed(Math.min(decimals, 12));
  return shown.includes('.') ? shown.replace(/(\.\d*?[1-9])0+$|(\.\d)0*$/, '$1$2') : shown;
}
