/* Keys that hold wherever the focus is, but where text is typed: Backspace and Ctrl+Z. */

const typing = (target) => target.closest?.('input, select, textarea, [contenteditable]');

/* `on` has undo() and removeLast(). */
export function createKeys(on) {
  const press = (event) => {
    if (event.defaultPrevented || typing(event.target)) return;
    const undo = (event.ctrlKey || event.metaKey) && event.key === 'z';
    if (!undo && event.key !== 'Backspace') return;
    event.preventDefault();
    on[undo ? 'undo' : 'removeLast']();
  };
  return {
    listen: () => document.addEventListener('keydown', press),
    ignore: () => document.removeEventListener('keydown', press),
  };
}
