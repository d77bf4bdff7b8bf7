/* The gallery: all worlds of the server, each with a small picture of its view: the default world
 * first, and patterns, in which nothing has a name, apart from lands. Choosing one goes there. The
 * arrow keys move among the pictures as they lie on the screen. */

import { h, loadStyle } from '../app/dom.js';
import { createPicture } from './picture.js';
import { tr } from '../texts/texts.js';

/* The card that a key leads to from `current`, by the rows that the cards lie in. */
function neighbour(cards, current, key) {
  const tops = [...new Set(cards.map(({ offsetTop }) => offsetTop))];
  const row = (step) => {
    const top = tops[tops.indexOf(current.offsetTop) + step];
    return cards.findLast(({ offsetTop, offsetLeft }) =>
      offsetTop === top && offsetLeft <= current.offsetLeft);
  };
  const beside = (step) => cards[cards.indexOf(current) + step];
  const keys = {
    Home: () => cards[0], End: () => cards.at(-1), ArrowLeft: () => beside(-1),
    ArrowRight: () => beside(1), ArrowUp: () => row(-1), ArrowDown: () => row(1),
  };
  return key in keys ? keys[key]() ?? current : null;
}

/* [lands, patterns], the default world before all others. */
function sorted({ worlds, default: usual }) {
  const ordered = [...worlds.filter(({ name }) => name === usual),
    ...worlds.filter(({ name }) => name !== usual)];
  return [true, false].map((named) =>
    ordered.filter(({ names_fingerprint: names }) => (names !== null) === named));
}

export function create(app, element) {
  const note = h('p', { class: 'note', id: 'world-note' });
  const list = h('ul', { class: 'gallery', 'aria-label': tr('Worlds') });
  let cards = [];

  /* One card at a time is in the order of the Tab key. */
  const enter = (card) => {
    for (const each of cards) each.tabIndex = each === card ? 0 : -1;
  };
  const describe = (world) => {
    note.textContent = world.description;
  };
  const choose = async (world) => {
    if (await app.visit(world.name)) app.drawers.close();
  };
  const createCard = (world) => h('button', {
    type: 'button', class: 'world-card', 'data-world': world.name, 'aria-describedby': note.id,
    onclick: () => choose(world),
    onfocus: () => describe(world),
    onpointerenter: () => describe(world),
  }, createPicture(world.view), h('span', { class: 'title' }, world.title || world.name));

  const mark = () => {
    for (const card of cards) {
      card.setAttribute('aria-current', String(card.dataset.world === app.world.name));
    }
  };
  const cardOf = (name) => cards.find((card) => card.dataset.world === name);
  /* Makes the cards anew; the focus stays where it is. */
  const fill = () => {
    const focused = list.contains(document.activeElement) && document.activeElement.dataset.world;
    const [lands, patterns] = sorted(app.worlds).map((worlds) => worlds.map(createCard));
    const heading = lands.length > 0 && patterns.length > 0
      && h('li', { class: 'heading' }, tr('Patterns'));
    cards = [...lands, ...patterns];
    list.replaceChildren(...lands.map((card) => h('li', {}, card)), ...(heading ? [heading] : []),
      ...patterns.map((card) => h('li', {}, card)));
    mark();
    enter(cardOf(focused || app.world.name) ?? cards[0]);
    if (focused) (cardOf(focused) ?? cards[0]).focus();
  };

  list.addEventListener('keydown', (event) => {
    const next = neighbour(cards, event.target.closest('.world-card'), event.key);
    if (!next) return;
    event.preventDefault();
    enter(next);
    next.focus();
  });
  app.on('shown', mark);
  app.on('worlds', fill);
  loadStyle('viewer/worlds/worlds.css');
  element.append(list, note);

  return {
    opened() {
      fill();
      (cardOf(app.world.name) ?? cards[0]).focus();
    },
  };
}
