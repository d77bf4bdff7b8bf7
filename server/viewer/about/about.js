/* About this server: its version, where its interface is described, the guide in commands, code to
 * show the map in other pages, and the licences. */

import { copyText } from '../app/copy.js';
import { getJson, request } from '../app/api.js';
import { h, icon, loadStyle } from '../app/dom.js';
import { createFold } from '../app/fold.js';
import { coordinateText } from '../app/place.js';
import { languages, tr } from '../texts/texts.js';

const WORDS = tr('Terrane serves endless procedural worlds as tiles, chunks and answers. Every '
  + 'place is computed when it is asked for, with the same bits on every machine.');
const LICENCE = tr('Terrane is free software under the MIT licence, © 2026 The Terrane authors.');

const NOT_KEPT = tr('This browser keeps nothing, so the language stays that of the browser.');

const absolute = (address) => new URL(address, document.baseURI).href;

function linkItem(href, title, what) {
  return h('li', {}, h('a', { href, target: '_blank', rel: 'noopener' }, title), ` ${what}`);
}

const LINKS = [
  ['openapi.json', 'OpenAPI', tr('every path, parameter and response')],
  ['worlds', tr('Worlds'), tr('the list, as JSON')],
  ['metrics', tr('Metrics'), tr('for Prometheus')],
  ['version', tr('Version'), tr('of the program and its formats')],
  ['viewer/licenses.txt', tr('Licences'), tr('of the packages in this page')],
];

/* The guide that curl gets at the address of this page. */
async function loadGuide(signal) {
  const response = await request('./', { signal, headers: { Accept: 'text/plain' } });
  return h('pre', { tabindex: 0, 'aria-label': tr('The guide') }, await response.text());
}

const escaped = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

/* The element that shows what this page shows. */
function elementCode(app) {
  const { zoom, ...place } = app.map.view();
  const [x, y] = [place.x, place.y].map((metres) => coordinateText(metres, zoom));
  const attributes = Object.entries({
    world: app.world.name, seed: app.world.chosenSeed, style: app.style, x, y, zoom,
  }).filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}="${escaped(String(value))}"`);
  return `<script type="module" src="${absolute('viewer/terrane-map.js')}"></script>\n`
    + `<terrane-map ${attributes.join(' ')}></terrane-map>`;
}

function createEmbedding(app) {
  const code = h('textarea',
    { id: 'embed-code', readonly: true, rows: 6, spellcheck: 'false' });
  const said = h('span', { role: 'status', class: 'note' });
  const show = () => {
    if (app.world !== null) code.value = elementCode(app);
    said.textContent = '';
  };
  const copy = async () => {
    const copied = await copyText(code.value);
    if (!copied) code.select();
    said.textContent = copied ? tr('Copied.') : tr('Press Ctrl+C to copy.');
  };
  const button = h('button', { type: 'button', class: 'text', onclick: copy },
    icon('copy', 18), tr('Copy'));
  const element = h('section', {},
    h('h3', {}, h('label', { for: 'embed-code' }, tr('This map in your page'))), code,
    h('div', { class: 'actions' }, button, said));
  return { element, show };
}

/* The choice of the language; the page is loaded again. */
function languageField(app) {
  const select = h('select', { id: 'language', onchange() {
    if (!languages.choose(select.value)) app.status.tell(NOT_KEPT);
  } }, Object.entries(languages.names).map(([value, name]) =>
    h('option', { value, lang: value, selected: value === languages.shown }, name)));
  return h('div', { class: 'field' }, h('label', { for: 'language' }, tr('Language')), select);
}

export function create(app, element) {
  loadStyle('viewer/about/about.css').catch(() => {});
  const version = h('p', { class: 'note' });
  const embedding = createEmbedding(app);
  const guide = createFold(tr('Guide: five commands to begin with'), loadGuide);
  element.append(
    h('p', {}, WORDS), languageField(app), version, guide.element,
    h('section', {}, h('h3', {}, tr('For programs')),
      h('ul', {}, LINKS.map((link) => linkItem(...link)))),
    embedding.element, h('p', { class: 'note' }, LICENCE));
  let known = false;
  const askVersion = async () => {
    if (known) return;
    try {
      const about = await getJson('version');
      known = true;
      version.textContent = tr('Version {0}, libmicrohttpd {1}.', about.version,
        about.libmicrohttpd);
    } catch (error) {
      version.textContent = error.message;
    }
  };
  app.on('view', embedding.show);
  app.on('shown', embedding.show);
  return {
    opened() {
      embedding.show();
      askVersion();
    },
  };
}
