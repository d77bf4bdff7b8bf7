/* The status line: one text for each matter, of which the most pressing is shown. */

const MATTERS = ['server', 'tiles', 'world', 'goto', 'address', 'place', 'tool'];

export function createStatus(element) {
  const texts = new Map();
  return {
    /* An empty text settles the matter. */
    set(matter, text) {
      texts.set(matter, text);
      const shown = MATTERS.map((name) => texts.get(name)).find(Boolean) ?? '';
      if (element.textContent !== shown) element.textContent = shown;
    },
  };
}
