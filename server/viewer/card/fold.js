/* A part of a drawer that is unfolded by its title. What is in it is made when it is unfolded, and
 * anew after renew(). */

import { h } from '../app/dom.js';

/* `load()` gives the content, an element or the promise of one; nothing means `empty`, a text. */
export function createFold(title, load, empty = '') {
  const body = h('div', {});
  const element = h('details', { ontoggle: () => run() }, h('summary', {}, title), body);
  const note = (text) => body.replaceChildren(h('p', { class: 'note' }, text));
  let due = true;

  const run = async () => {
    if (!element.open || !due) return;
    due = false;
    try {
      const content = await load();
      if (content === null) note(empty);
      else body.replaceChildren(content);
    } catch (error) {
      note(error.message);
    }
  };
  return {
    element,
    renew() {
      due = true;
      body.replaceChildren();
      run();
    },
  };
}
