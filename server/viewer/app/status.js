/* The status line: one text for each matter, of which the most pressing is shown. */

const MATTERS = ['server', 'tiles', 'world', 'goto', 'address', 'place', 'tool'];
const TOLD_MS = 4000;

export function createStatus(element) {
  const texts = new Map();
  let told = 0;
  const show = (text, good) => {
    element.classList.toggle('good', good);
    if (element.textContent !== text) element.textContent = text;
  };
  const showMatters = () => {
    told = 0;
    show(MATTERS.map((name) => texts.get(name)).find(Boolean) ?? '', false);
  };
  return {
    /* An empty text settles the matter. */
    set(matter, text) {
      texts.set(matter, text);
      if (told === 0) showMatters();
    },
    /* Says for some seconds what was done. */
    tell(text) {
      clearTimeout(told);
      told = setTimeout(showMatters, TOLD_MS);
      show(text, true);
    },
  };
}
