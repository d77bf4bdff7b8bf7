/* The panel's controls: shows what is chosen, and tells what is wanted. */

import { parsePlace } from '../app/place.js';

const NARROW = '(max-width: 40rem)';
const field = (id) => document.getElementById(id);

function option({ name, title }) {
  return new Option(title || name, name);
}

function group(label, entries) {
  const element = document.createElement('optgroup');
  element.label = label;
  element.append(...entries.map(option));
  return element;
}

/* Styles first, then the layers that no style has taken the name of. */
function styleGroups({ styles, layers }) {
  const taken = new Set(styles.map(({ name }) => name));
  const rest = layers.filter(({ name }) => !taken.has(name)).map(({ name }) => ({ name }));
  const groups = [group('Styles', styles)];
  if (rest.length > 0) groups.push(group('Layers', rest));
  return groups;
}

function createFold() {
  const button = field('fold');
  const fold = (open) => {
    button.setAttribute('aria-expanded', String(open));
    field('controls').hidden = !open;
  };
  button.addEventListener('click', () => fold(field('controls').hidden));
  fold(!matchMedia(NARROW).matches);
}

function onSubmit(form, action) {
  field(form).addEventListener('submit', (event) => {
    event.preventDefault();
    action();
  });
}

/* `on` has: world(name), style(name), seed(text or null), place({x, y} or null if it is none). */
export function createPanel(on) {
  const [world, style, seed, goto] = ['world', 'style', 'seed', 'goto'].map(field);
  const applySeed = () => on.seed(seed.value.trim() || null);

  createFold();
  world.addEventListener('change', () => on.world(world.value));
  style.addEventListener('change', () => on.style(style.value));
  seed.addEventListener('change', applySeed);
  onSubmit('seed-form', applySeed);
  field('dice').addEventListener('click', () => {
    seed.value = String(crypto.getRandomValues(new Uint32Array(1))[0]);
    applySeed();
  });
  onSubmit('goto-form', () => {
    const place = parsePlace(goto.value);
    goto.setAttribute('aria-invalid', String(place === null));
    on.place(place);
  });

  return {
    setWorlds(worlds) {
      world.replaceChildren(...worlds.map(option));
    },
    /* Shows the world and style that the map shows. */
    setChosen(chosen, chosenStyle) {
      world.value = chosen.name;
      field('description').textContent = chosen.description;
      field('description').hidden = !chosen.description;
      seed.value = chosen.chosenSeed ?? '';
      seed.placeholder = `its own: ${chosen.seed}`;
      seed.setAttribute('aria-invalid', 'false');
      style.replaceChildren(...styleGroups(chosen));
      style.value = chosenStyle;
    },
    /* The wish was not granted: back to what the map shows, but a seed stays to be mended. */
    setRefused(shown, wantedSeed) {
      world.value = shown.name;
      seed.setAttribute('aria-invalid', String(wantedSeed !== null));
    },
  };
}
