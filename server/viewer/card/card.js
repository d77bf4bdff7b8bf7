/* The place card: what is at a place, at full detail, and what can be done from there. It is opened on
 * the map (gestures.js) or by its button, for the place that the readout is about. */

import * as L from 'leaflet/dist/leaflet-src.esm.js';
import { getJson, pinned } from '../app/api.js';
import { createLatest } from '../app/app.js';
import { copyText } from '../app/copy.js';
import { h, iconButton, loadStyle } from '../app/dom.js';
import { coordinateText, exactText, heightText, placeText } from '../app/place.js';
import { toLatLng } from '../map/map.js';
import { createActions } from './actions.js';
import { addressList, addressesOf } from './addresses.js';
import { explanation } from './explain.js';
import { biomeOf, detailText, factList, factRows } from './facts.js';
import { nearbyList, nearbyTitle } from './nearby.js';
import { createPinList } from './pinlist.js';
import { sharedText } from './pins.js';

/* What /at says of a place: at full detail, or as tiles of a zoom have it. */
function askAt({ world, time }, place, zoom, signal) {
  const [x, y] = [place.x, place.y].map(exactText);
  return getJson(`${pinned(world)}/at?x=${x}&y=${y}${zoom === null ? '' : `&zoom=${zoom}`}${
    time === null ? '' : `&t=${time}`}`, signal);
}

/* A part of the card that is asked for when it is unfolded, and once for each place. */
function createFold(title, fill) {
  const body = h('div', {});
  const element = h('details', {}, h('summary', {}, title), body);
  let due = true;
  const run = () => {
    if (!element.open || !due) return;
    due = false;
    fill(body);
  };
  element.addEventListener('toggle', run);
  return {
    element,
    renew() {
      due = true;
      body.replaceChildren();
      run();
    },
  };
}

function heading(world, place, answer, copy) {
  const biome = biomeOf(world, answer);
  const swatch = h('span', { class: 'swatch' });
  if (biome !== null) swatch.style.backgroundColor = biome.color;
  return [
    h('p', { class: 'height' }, h('output', { id: 'card-height' }, heightText(answer.height))),
    biome && h('p', { class: 'biome' }, swatch, h('span', { id: 'card-biome' }, biome.title)),
    h('p', { class: 'where' }, h('span', { id: 'card-place' }, placeText(place)),
      iconButton('copy', 'Copy the coordinates',
        () => copy(`${exactText(place.x)}, ${exactText(place.y)}`, 'The place'))),
  ].filter(Boolean);
}

export function create(app, element) {
  loadStyle('viewer/card/card.css').catch((error) => app.status.set('tool', error.message));
  const latest = createLatest();
  const latestShown = createLatest();
  const said = h('p', { class: 'note', role: 'status', id: 'card-status' });
  const head = h('section', { class: 'card-head', 'aria-label': 'Height and place' });
  const facts = h('section', { 'aria-label': 'What is here' });
  const detail = h('p', { class: 'note', id: 'card-detail' });
  const spot = L.marker([0, 0], {
    icon: L.divIcon({ className: 'mark', iconSize: [18, 18] }), interactive: false, keyboard: false,
  });
  let place = null;
  let answer = null;
  let open = false;

  const say = (text) => {
    said.textContent = text;
  };
  const copy = async (text, name) => {
    say(await copyText(text) ? `${name} copied.` : 'This browser does not copy.');
  };
  const fill = (load, empty) => async (body) => {
    body.replaceChildren(h('p', { class: 'note' }, 'Asking …'));
    try {
      body.replaceChildren(await load() ?? h('p', { class: 'note' }, empty));
    } catch (error) {
      body.replaceChildren(h('p', { class: 'note' }, error.message));
    }
  };

  const actions = createActions(app, say);
  const nearby = createFold('Objects near', fill(() => nearbyList(app.world, place), 'None.'));
  nearby.element.querySelector('summary').title = nearbyTitle;
  const why = createFold('Explain', fill(() => explanation(app.world, place), ''));
  const addresses = createFold('Addresses', (body) => {
    const base = new URL('.', location.href).href;
    const { zoom } = app.map.view();
    body.replaceChildren(addressList(addressesOf({
      base, world: app.world, style: app.style, time: app.time, place, zoom,
      page: base + linkTo(place),
    }), copy));
  });
  const linkTo = (pin, extras) => app.addressOf(pin, extras);
  const pins = createPinList(app.pins, {
    go: (pin) => {
      app.go(pin);
      show(pin);
    },
    share: (pin) => copy(new URL(linkTo(pin, { pin: sharedText(pin) }), location.href).href,
      'The link'),
  });
  const folds = [nearby, addresses, why];
  element.append(head, facts, detail, actions.element, said, ...folds.map((fold) => fold.element), pins);

  /* What the map shows there at its zoom, if that is another height. */
  const compare = async () => {
    const { zoom } = app.map.view();
    const shown = await latestShown((signal) => askAt(app, place, zoom, signal)).catch(() => null);
    if (shown !== null && answer !== null) {
      detail.textContent = detailText(app.world, answer, shown, zoom);
    }
  };
  const ask = async () => {
    try {
      const found = await latest((signal) => askAt(app, place, null, signal));
      if (found === null) return;
      answer = found;
      head.replaceChildren(...heading(app.world, place, answer, copy));
      facts.replaceChildren(factList(factRows(app.world, answer)));
      actions.setPlace(place, answer);
      nearby.element.hidden = !(app.world.objects?.length > 0);
      for (const fold of folds) fold.renew();
      say('');
      await compare();
    } catch (error) {
      say(error.message);
    }
  };
  const show = (wanted) => {
    place = wanted;
    answer = null;
    spot.setLatLng(toLatLng(place)).addTo(app.map.leaflet);
    return ask();
  };
  const aimed = () => {
    const { zoom } = app.map.view();
    const { x, y } = app.map.aim();
    return { x: Number(coordinateText(x, zoom)), y: Number(coordinateText(y, zoom)) };
  };

  let zoom = app.map.view().zoom;
  app.on('shown', () => {
    if (open) ask();
  });
  app.on('view', () => {
    if (!open || app.map.view().zoom === zoom) return;
    zoom = app.map.view().zoom;
    addresses.renew();
    compare();
  });

  return {
    /* `detail`: {place, focus}; without a place, the one that the readout is about. */
    opened({ place: wanted = aimed(), focus = false } = {}) {
      open = true;
      zoom = app.map.view().zoom;
      show(wanted);
      if (focus) document.getElementById('drawer-close').focus();
    },
    closed() {
      open = false;
      spot.remove();
      actions.stop();
    },
  };
}
