/* Follows the server when it watches its files (`serve --watch`): a reload shows the new worlds,
 * and errors in files are listed on the page until they are mended. */

import { getWorlds } from './api.js';
import { h, iconButton } from './dom.js';
import { createRecovery } from './recovery.js';
import { tr } from '../texts/texts.js';

/* "worlds/mine.json:4:12: layers.height: unknown name …" with its place before its message. */
function errorItem(line) {
  const [, place, message] = /^(.+?:\d+:\d+): (.*)$/.exec(line) ?? [null, null, line];
  return h('li', {}, place && h('code', {}, place), message);
}

function showErrors(element, errors) {
  element.hidden = errors.length === 0;
  element.replaceChildren();
  if (errors.length === 0) return;
  element.append(
    h('header', {}, h('h2', {}, errors.length === 1 ? tr('An error')
      : tr('{0} errors', errors.length)),
      iconButton('close', tr('Close'), () => { element.hidden = true; })),
    h('p', { class: 'note' }, tr('The map shows the last version without errors.')),
    h('ul', {}, errors.map(errorItem)));
}

/* `element` gets the errors; reloaded() is awaited after each reload. */
export function followReloads(app, { element, reloaded }) {
  /* A reload during another is followed by one more. */
  let running = null;
  let again = false;
  const reload = async () => {
    again = running !== null;
    if (again) return;
    running = reloaded();
    try {
      await running;
      app.status.set('world', '');
    } catch (error) {
      app.status.set('world', error.message);
    }
    running = null;
    if (again) reload();
  };

  /* A browser connects again by itself after a break, but not after a refusal. */
  const listen = () => new Promise((resolve, reject) => {
    const source = new EventSource('events');
    source.addEventListener('open', resolve);
    source.addEventListener('error', () => {
      if (source.readyState !== EventSource.CLOSED) return;
      recovery.start();
      reject(new Error(tr('The server has ended its events.')));
    });
    source.addEventListener('worlds', () => {
      showErrors(element, []);
      reload();
    });
    source.addEventListener('errors', ({ data }) => showErrors(element, JSON.parse(data).errors));
  });
  /* The server may have been started anew, and not watch its files any more; and a page at a name that
   * the server does not know gets no events. */
  const isRefused = async () => (await fetch('events', { method: 'HEAD' })).status === 403;
  const recovery = createRecovery(async () => {
    const { page } = await getWorlds();
    if (page.events && !await isRefused()) await listen();
    recovery.done();
  });
  listen().catch(() => {});
}
