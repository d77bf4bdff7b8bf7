/* Figures as text. */

/* Rows of { name: text or number }; names head the columns. */
export function table(title, rows) {
  const columns = [...new Set(rows.flatMap(Object.keys))];
  const text = (value) => (value === undefined ? '' : String(value));
  const widths = columns.map((name) => Math.max(...[name, ...rows.map((row) => text(row[name]))]
    .map((cell) => cell.length)));
  const isNumber = columns.map((name) => rows.every((row) => typeof row[name] !== 'string'
    || /^[\d.]*$/.test(row[name])));
  const line = (cells) => cells.map((cell, i) => (isNumber[i] ? cell.padStart(widths[i])
    : cell.padEnd(widths[i]))).join('  ').trimEnd();
  return ['', title, line(columns), ...rows.map((row) => line(columns.map((name) => text(row[name])))),
    ''].join('\n');
}

export const fixed = (value, digits) => value?.toFixed(digits);
