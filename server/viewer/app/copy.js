/* Copying to the clipboard. Where the page is not served by HTTPS or from this machine, browsers
 * have no clipboard for scripts: there the text is selected in a field and copied as by hand. */

import { h } from './dom.js';

function copySelected(text) {
  const before = document.activeElement;
  const field = h('textarea', { class: 'unseen', 'aria-hidden': 'true' });
  field.value = text;
  document.body.append(field);
  field.select();
  const copied = document.execCommand('copy');
  field.remove();
  before?.focus({ preventScroll: true });
  return copied;
}

/* Whether the text is in the clipboard now. */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text);
  }
}
