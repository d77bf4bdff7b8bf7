/* Not written yet. */

export function create(app, element) {
  element.textContent = '…';
  return {};
}
