/* What lies in a square of ground near the eye, by the materials there. Nothing here knows the page
 * or MapLibre. */

const TUFTS = /grass|turf|meadow|heath|moss|peat|reed|herb/;
const WOODS = /forest|floor|litter/; /* brown, but what grows on it is green: */
const FERN = '#58733a';
const PEBBLES = /rock|scree|gravel|stone|shingle|lava|coral/;

/* Numbers 0 … 1 of a square, always the same ones. */
export function numbersOf(column, row) {
  let state = Math.imul(column, 0x9e3779b1) ^ Math.imul(row, 0x85ebca6b);
  return Array.from({ length: 5 }, () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d);
    state = Math.imul(state ^ (state >>> 12), 0x297a2d39);
    state ^= state >>> 15;
    return (state >>> 0) / 2 ** 32;
  });
}

/* What lies in a square of ground with these shares of materials, or null: {kind, color, size}. */
export function thingOf(materials, shares, [pick, amount]) {
  const total = shares.reduce((sum, share) => sum + share, 0);
  let left = pick * total;
  const chosen = shares.findIndex((share) => (left -= share) < 0);
  if (chosen < 0) return null;
  const { name, color } = materials[chosen];
  if (TUFTS.test(name)) return { kind: 'tuft', color, size: 0.1 + 0.16 * amount };
  if (WOODS.test(name)) return { kind: 'tuft', color: FERN, size: 0.08 + 0.14 * amount };
  if (PEBBLES.test(name)) return { kind: 'pebble', color, size: 0.03 + 0.12 * amount ** 3 };
  return amount > 0.9 && !/snow|ice|mud/.test(name)
    ? { kind: 'pebble', color, size: 0.02 + 0.03 * pick } : null;
}
