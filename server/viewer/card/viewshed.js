/* Which ground is seen from a place: each sample of a square is looked at along a straight line
 * from the eye, over a flat world without curvature and refraction, as /sight does. Nothing here
 * knows the page. */

/* The height at a crossing of the line with a row or column: between two samples. */
function between(heights, width, major, minor, alongX) {
  const low = Math.floor(minor);
  const part = minor - low;
  const index = (across) => (alongX ? across * width + major : major * width + across);
  const first = heights[index(low)];
  return part === 0 ? first : first + part * (heights[index(low + 1)] - first);
}

/* Whether nothing stands between the eye, at the column and row `from`, and a sample. */
function isSeen(heights, width, { column, row, height }, toColumn, toRow) {
  const [columns, rows] = [toColumn - column, toRow - row];
  const alongX = Math.abs(columns) >= Math.abs(rows);
  const [start, end] = alongX ? [column, toColumn] : [row, toRow];
  const [across, by] = alongX ? [row, rows / columns] : [column, columns / rows];
  const rise = (heights[toRow * width + toColumn] - height) / (end - start);
  const forward = Math.sign(end - start);
  const first = Math.floor(start * forward + 1) * forward;
  for (let at = first; at * forward < end * forward; at += forward) {
    const line = height + rise * (at - start);
    if (between(heights, width, at, across + by * (at - start), alongX) > line) return false;
  }
  return true;
}

/* `heights`: width × width samples, rows from north to south. `eye`: {column, row, height},
 * fractions of samples allowed, away from the square's edge. Gives 1 for what is seen and 0 for
 * what is hidden, within `radius` samples of the eye, and 2 beyond it. */
export function viewshed(heights, width, eye, radius) {
  const seen = new Uint8Array(width * width);
  for (let row = 0; row < width; row += 1) {
    for (let column = 0; column < width; column += 1) {
      const far = Math.hypot(column - eye.column, row - eye.row);
      const inside = far <= radius;
      seen[row * width + column] = !inside ? 2
        : Number(far < 1 || isSeen(heights, width, eye, column, row));
    }
  }
  return seen;
}
