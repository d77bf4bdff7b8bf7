/* The texts of the element in the languages that it has. Its pages are others' pages, so their
 * language counts, not the one that a browser or a reader of the map page has chosen. */

const TEXTS = {
  en: {
    map: 'Map. Arrow keys move it, plus and minus zoom.',
    zoomIn: 'Zoom in',
    zoomOut: 'Zoom out',
    tiles: 'Some tiles did not come. Trying again.',
    refused: (reason) => `The map cannot be shown: ${reason}`,
    silent: 'the server does not answer',
    status: (status) => `the server answered ${status}`,
    style: (name) => `This world has no style “${name}”.`,
  },
  de: {
    map: 'Karte. Pfeiltasten bewegen sie, Plus und Minus zoomen.',
    zoomIn: 'Hineinzoomen',
    zoomOut: 'Herauszoomen',
    tiles: 'Einige Kacheln sind nicht gekommen. Neuer Versuch folgt.',
    refused: (reason) => `Die Karte kann nicht gezeigt werden: ${reason}`,
    silent: 'der Server antwortet nicht',
    status: (status) => `der Server hat mit ${status} geantwortet`,
    style: (name) => `Diese Welt hat keinen Stil „${name}“.`,
  },
};

/* The value of `lang` that holds for an element, of whatever shadows it lies in; '' if there is none. */
function langOf(element) {
  const holder = element.closest('[lang]');
  if (holder !== null) return holder.lang;
  const root = element.getRootNode();
  return root instanceof ShadowRoot ? langOf(root.host) : '';
}

/* The texts in the language of an element, by its `lang` or that of what it lies in; or in English. */
export function textsOf(element) {
  const [language] = langOf(element).toLowerCase().split('-');
  return Object.hasOwn(TEXTS, language) ? TEXTS[language] : TEXTS.en;
}
