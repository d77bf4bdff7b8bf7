/* Not written yet. */

export function createNoise() {
  return {};
}
