/* A part of a drawer that is unfolded by its title. What is in it is made when it is unfolded, and
 * anew after renew() or an error. */

import { createLatest } from './app.js';
import { h } from './dom.js';

/* `load(signal)` gives the content, an element or the promise of one; null means `empty`, a text. An
 * answer that comes after renew() is left out. */
export function createFold(title, load, empty = '') {
  const body = h('div', {});
  const element = h('details', { ontoggle: () => run() }, h('summary', {}, title), body);
  const note = (text) => body.replaceChildren(h('p', { class: 'note' }, text));
  const latest = createLatest();
  let due = true;

  const run = async () => {
    if (!element.open || !due) return;
    due = false;
    try {
      const answer = await latest(async (signal) => ({ content: await load(signal) }));
      if (answer === null) return;
      if (answer.content === null) note(empty);
      else body.replaceChildren(answer.content);
    } catch (error) {
      due = true;
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
