/* The list below the search box: what its text may mean (sources.js), chosen by the arrow keys and
 * Enter, or by a click. As a combobox of WAI-ARIA: the focus stays in the box. */

import { createLatest } from '../app/app.js';
import { h, loadStyle } from '../app/dom.js';
import { PLACE_HINT, metresPerPixel, roundedPlace, windName } from '../app/place.js';
import { distanceText } from '../app/units.js';
import { startSearch } from '../find/searches.js';
import { flyTo } from '../map/fly.js';
import { reveal } from '../map/reveal.js';
import { folded, knownOptions, namedOptions } from './sources.js';
import { tr } from '../texts/texts.js';

const LIST = 'search-list';
const PAUSE_MS = 200; /* after a letter, before the server is asked */
const APART_PIXELS = 64;

export function createSearch(app, { form, input }) {
  const list = h('ul', { id: LIST, role: 'listbox', 'aria-label': tr('Found'), hidden: true });
  const latest = createLatest();
  let options = [];
  let active = -1;
  let timer = 0;
  let otherWorld = false; /* since a submitted text is looked for */

  loadStyle('viewer/search/search.css').catch((error) => app.status.set('goto', error.message));
  form.append(list);
  for (const [name, value] of Object.entries({
    role: 'combobox', 'aria-autocomplete': 'list', 'aria-controls': LIST, 'aria-expanded': 'false',
  })) input.setAttribute(name, value);

  const say = (text) => app.status.set('goto', text);
  const setActive = (index) => {
    active = index;
    [...list.children].forEach((row, i) => row.setAttribute('aria-selected', String(i === active)));
    if (active < 0) input.removeAttribute('aria-activedescendant');
    else input.setAttribute('aria-activedescendant', `${LIST}-${active}`);
    list.children[active]?.scrollIntoView({ block: 'nearest' });
  };
  const close = () => {
    clearTimeout(timer);
    latest(async () => null);
    options = [];
    list.hidden = true;
    input.setAttribute('aria-expanded', 'false');
    setActive(-1);
  };
  const choose = (option) => {
    close();
    say('');
    input.setAttribute('aria-invalid', 'false');
    option.run();
  };
  const show = (wanted) => {
    options = wanted;
    list.replaceChildren(...options.map((option, i) => h('li', {
      id: `${LIST}-${i}`, role: 'option', 'aria-selected': 'false', onclick: () => choose(option),
    }, h('span', {}, option.title), h('small', {}, option.detail))));
    list.hidden = options.length === 0;
    input.setAttribute('aria-expanded', String(options.length > 0));
    setActive(-1);
    if (!list.hidden) list.scrollIntoView({ block: 'nearest' });
  };

  /* Looks for the nearest place of a condition, and goes there. */
  const nearest = async (where, title) => {
    const { x, y, zoom } = app.map.view();
    const query = { where, apart: APART_PIXELS * metresPerPixel(zoom) };
    const search = startSearch(app.world, { x, y }, query,
      (radius) => say(tr('{0}: looking within {1} …', title, distanceText(radius))));
    try {
      const answer = await latest((signal) => search.next(signal));
      if (answer === null) return;
      say('');
      const { place } = answer;
      if (place === null) {
        say(`${title}: ${answer.note}`);
        return;
      }
      flyTo(app, roundedPlace(place), zoom, () => reveal(app, place));
      app.status.tell(`${title}: ${distanceText(place.distance)} ${windName(place.bearing)}.`);
    } catch (error) {
      say(error.message);
    }
  };

  /* What the page knows, at once, and then names. True if that is all of the present text. */
  const find = async (pause) => {
    const text = input.value.trim();
    if (text === '') {
      close();
      return true;
    }
    const known = knownOptions(app, text, nearest);
    show(known);
    const named = await latest(async (signal) => {
      await new Promise((resolve) => {
        clearTimeout(timer);
        timer = setTimeout(resolve, pause);
      });
      return signal.aborted ? null : namedOptions(app, text, signal);
    });
    if (named === null) return false;
    const [exact, others] = [true, false].map((is) => known.filter(({ title }) =>
      (folded(title) === folded(text)) === is));
    show([...exact, ...named, ...others]);
    return true;
  };

  input.addEventListener('keydown', (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && options.length > 0) {
      event.preventDefault();
      setActive((active + step + options.length + (active < 0 && step < 0 ? 1
        : 0)) % options.length);
    } else if (event.key === 'Escape' && !list.hidden) {
      event.preventDefault();
      event.stopPropagation();
      close();
    } else if (event.key === 'Escape' && input.value !== '') {
      event.preventDefault();
      input.select();
      document.execCommand('delete'); /* unlike another value, it can be undone */
    }
  });
  /* A press on a row must not take the focus before the click comes. */
  list.addEventListener('pointerdown', (event) => event.preventDefault());
  input.addEventListener('blur', close);
  app.on('shown', () => {
    otherWorld = true;
    close();
  });

  return {
    close,
    suggest() {
      say('');
      input.setAttribute('aria-invalid', 'false');
      find(PAUSE_MS).catch((error) => say(error.message));
    },
    /* Takes the row that is marked, or else the first of all: in another world, if that is shown
     * meanwhile. */
    async submit() {
      if (active >= 0) {
        choose(options[active]);
        return;
      }
      try {
        let isAll;
        do {
          otherWorld = false;
          isAll = await find(0);
        } while (!isAll && otherWorld);
        if (!isAll) return;
      } catch (error) {
        say(error.message);
        return;
      }
      if (options.length > 0) {
        choose(options[0]);
        return;
      }
      input.setAttribute('aria-invalid', 'true');
      say(tr('Nothing of this name, world or biome is known here. {0}', PLACE_HINT));
    },
  };
}
