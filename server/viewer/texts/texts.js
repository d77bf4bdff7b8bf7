/* The texts of the page in the language of the reader. A text stands in the code in English, inside
 * tr(), and is its own key in the tables of every other language, texts/LANGUAGE/, which only its
 * readers load. A text without a translation stays English. A test compares the tables with the
 * code. */

const LANGUAGES = { en: 'English', de: 'Deutsch' };
const KEPT = 'terrane.language';

/* The tables of each language: that of the page, and those that come with a tool. */
const tables = {
  en: {},
  de: {
    page: async () => (await import('./de/page.js')).default,
    lab: async () => (await import('./de/lab.js')).default,
  },
};

/* What the reader has chosen; null where nothing is, or the browser keeps nothing. */
function keptLanguage() {
  try {
    return globalThis.localStorage?.getItem(KEPT) ?? null;
  } catch {
    return null;
  }
}

/* The first language of the browser that there is, or English. */
function languageOf(wanted) {
  const known = wanted.map((tag) => tag.split('-')[0].toLowerCase())
    .find((tag) => Object.hasOwn(tables, tag));
  return known ?? 'en';
}

/* Modules have texts in constants, so the table is there before they are evaluated. */
const language = languageOf([keptLanguage(), ...globalThis.navigator?.languages ?? []]
  .filter(Boolean));
const table = {};

/* Adds a table, before a module is loaded that has its texts in constants. */
export async function loadTexts(part) {
  try {
    Object.assign(table, await tables[language][part]?.());
  } catch {
    /* The page is better in English than not at all. */
  }
}

await loadTexts('page');

/* tr('{0} of {1} rivers', 3, 12): the text in the reader's language, with the values in it. What
 * follows a bar in 'Share|of a whole' tells two meanings apart, and is not shown. */
export function tr(text, ...values) {
  const said = table[text] ?? text.replace(/\|[^|]*$/, '');
  return values.length === 0 ? said : said.replace(/\{(\d)\}/g, (_, index) => values[index]);
}

const ATTRIBUTES = ['aria-label', 'title', 'placeholder'];

/* Translates what the document says itself. */
export function translateDocument() {
  document.documentElement.lang = language;
  if (language === 'en') return;
  for (const element of document.body.querySelectorAll('*')) {
    for (const name of ATTRIBUTES) {
      const text = element.getAttribute(name);
      if (text) element.setAttribute(name, tr(text));
    }
    for (const node of element.childNodes) {
      const text = node.nodeType === Node.TEXT_NODE ? node.data.trim() : '';
      if (text !== '') node.data = node.data.replace(text, () => tr(text));
    }
  }
}

/* The language that is shown, all of them by their own names, and the choice of another one: the
 * page is loaded again, and shows what its address says. */
export const languages = {
  shown: language,
  names: LANGUAGES,
  choose(wanted) {
    try {
      localStorage.setItem(KEPT, wanted);
    } catch {
      return false; /* the browser keeps nothing, so a choice would not last */
    }
    location.reload();
    return true;
  },
};
