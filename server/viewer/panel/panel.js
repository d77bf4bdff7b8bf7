/* The panel's controls: shows what is chosen, and tells what is wanted. */

import { createMaps } from './maps.js';
import { tr } from '../texts/texts.js';

/* Phones, held upright or across: the map needs the room of the controls. */
const SMALL = '(max-width: 40rem), (max-height: 27rem)';
const field = (id) => document.getElementById(id);

function createFold() {
  const button = field('fold');
  const fold = (open) => {
    button.setAttribute('aria-expanded', String(open));
    field('controls').hidden = !open;
  };
  button.addEventListener('click', () => fold(field('controls').hidden));
  fold(!matchMedia(SMALL).matches);
  return fold;
}

function onSubmit(form, action) {
  field(form).addEventListener('submit', (event) => {
    event.preventDefault();
    action();
  });
}

/* The buttons that open tools of the toolbar's kind, by the tool's name. */
const OPENERS = { worlds: 'world', seeds: 'seeds' };

/* `on` has: style(name), seed(text or null), dice(text), open(tool),
 * link(), which copies the address. */
export function createPanel(on) {
  const [world, seed] = ['world', 'seed'].map(field);
  const applySeed = () => on.seed(seed.value.trim() || null);
  const maps = createMaps({
    style: field('style'), layer: field('layer'), fold: field('layers-fold'), list: field('layers'),
  }, on.style);

  const fold = createFold();
  for (const [tool, id] of Object.entries(OPENERS)) {
    field(id).addEventListener('click', () => on.open(tool));
  }
  field('link').addEventListener('click', on.link);
  seed.addEventListener('change', applySeed);
  onSubmit('seed-form', applySeed);
  field('dice').addEventListener('click', () => {
    seed.value = String(crypto.getRandomValues(new Uint32Array(1))[0]);
    on.dice(seed.value);
  });

  return {
    /* Shows the world and style that the map shows. */
    setChosen(chosen, chosenStyle) {
      world.value = chosen.name;
      for (const id of ['world-title', 'shown-world']) {
        field(id).textContent = chosen.title || chosen.name;
      }
      field('description').textContent = chosen.description;
      field('description').hidden = !chosen.description;
      seed.value = chosen.chosenSeed ?? '';
      seed.placeholder = tr('own: {0}', chosen.seed);
      seed.setAttribute('aria-invalid', 'false');
      maps.setChosen(chosen, chosenStyle);
    },
    /* The wish was not granted: the map stays, and a seed stays to be mended. */
    setRefused(wantedSeed) {
      seed.setAttribute('aria-invalid', String(wantedSeed !== null));
    },
    /* Shows which tool is open: its name, or null. On phones the map then has its room. */
    setDrawer(open) {
      if (open !== null && !(open in OPENERS) && matchMedia(SMALL).matches) fold(false);
      for (const [tool, id] of Object.entries(OPENERS)) {
        field(id).setAttribute('aria-expanded', String(tool === open));
      }
    },
  };
}
