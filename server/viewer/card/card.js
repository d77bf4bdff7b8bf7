/* The place card: what is at a place, at full detail, and what can be done from there. It is opened
 * on the map (gestures.js) or by its button, for the place that the readout is about. It stays over
 * changes of world, seed and time, and asks again. */

import * as L from 'leaflet/dist/leaflet-src.esm.js';
import { Refusal, getJson, hasGround, pinned } from '../app/api.js';
import { createLatest } from '../app/app.js';
import { copyText } from '../app/copy.js';
import { h, iconButton, loadStyle } from '../app/dom.js';
import { linkTo } from '../app/link.js';
import { exactText, heightText, placeText, roundedPlace, valueText } from '../app/place.js';
import { createRecovery } from '../app/recovery.js';
import { RINGS } from '../map/aim.js';
import { toLatLng } from '../map/map.js';
import { isShown, reveal } from '../map/reveal.js';
import { createActions } from './actions.js';
import { addressList, addressesOf } from './addresses.js';
import { explanation } from './explain.js';
import { biomeOf, detailText, factList, factRows } from './facts.js';
import { createFold } from '../app/fold.js';
import { pointedPlace } from './gestures.js';
import { nearbyList } from './nearby.js';
import { createPinList } from './pinlist.js';
import { sharedText } from './pins.js';
import { tr } from '../texts/texts.js';

/* What /at says of a place: at full detail, or as tiles of a zoom have it. */
function askAt({ world, time }, place, zoom, signal) {
  const [x, y] = [place.x, place.y].map(exactText);
  return getJson(`${pinned(world)}/at?x=${x}&y=${y}${zoom === null ? '' : `&zoom=${zoom}`}${
    time === null ? '' : `&t=${time}`}`, signal);
}

/* What the card says of its place. */
function createView(app, copy) {
  const head = h('section', { class: 'card-head', 'aria-label': tr('Height and place') });
  const facts = h('section', { 'aria-label': tr('What is here') });
  const detail = h('p', { class: 'note', id: 'card-detail' });

  const biomeLine = (biome) => {
    const swatch = h('span', { class: 'swatch' });
    swatch.style.backgroundColor = biome.color;
    return h('p', { class: 'biome' }, swatch, h('span', { id: 'card-biome' }, biome.title));
  };
  const nameLine = (label) => label && h('p', { class: 'named', id: 'card-name' },
    label.name, ' ', h('span', {}, label.kind));
  const placeLine = (place) => h('p', { class: 'where' },
    h('span', { id: 'card-place' }, placeText(place)),
    iconButton('copy', tr('Copy the coordinates'),
      () => copy(`${exactText(place.x)}, ${exactText(place.y)}`, tr('The place'))));

  return {
    elements: [head, facts, detail],
    show(place, answer) {
      const biome = biomeOf(app.world, answer);
      const text = hasGround(app.world) ? heightText(answer.height) : valueText(answer.height);
      const height = h('output', { id: 'card-height' }, text);
      const name = nameLine(app.names?.at(place) ?? null);
      head.replaceChildren(...[name, h('p', { class: 'height' }, height), biome && biomeLine(biome),
        placeLine(place)].filter(Boolean));
      facts.replaceChildren(factList(factRows(app.world, answer, app.style)));
    },
    showDetail(text) {
      detail.textContent = text;
    },
  };
}

/* What is unfolded: more about the place, each asked for by itself. `place()` is the card's. */
function createFolds(app, place, copy) {
  const nearby = createFold(tr('Objects near'), (signal) => nearbyList(app.world, place(), signal),
    tr('Nothing stands within 50 m to each side.'));
  const addresses = createFold(tr('Addresses'), async () => {
    const base = new URL('.', location.href).href;
    const { world, style, time } = app;
    return addressList(addressesOf({
      base, world, style, time, place: place(), zoom: app.map.view().zoom,
      page: await linkTo(app, place()),
    }), copy);
  });
  const why = createFold(tr('Explain'), (signal) => explanation(app, place(), signal));
  const folds = [nearby, addresses, why];
  return {
    elements: folds.map(({ element }) => element),
    /* Of another place, or world. */
    renew() {
      nearby.element.hidden = !(app.world.objects?.length > 0);
      for (const fold of folds) fold.renew();
    },
    renewAddresses: addresses.renew,
  };
}

/* What the card asks: of a place, and of what the map shows there at its zoom. Throws what the
 * server refuses, or that it does not answer. */
function createQuestions(app, view, answered) {
  const [latest, latestShown] = [createLatest(), createLatest()];
  let answer = null;

  const compare = async (place) => {
    const { zoom } = app.map.view();
    const shown = await latestShown((signal) => askAt(app, place, zoom, signal)).catch(() => null);
    if (shown !== null && answer !== null) {
      view.showDetail(detailText(app.world, answer, shown, zoom));
    }
  };
  return {
    compare,
    async ask(place) {
      answer = null;
      const found = await latest((signal) => askAt(app, place, null, signal));
      if (found === null) return;
      answer = found;
      answered(answer);
      await compare(place);
    },
  };
}

function createSpot() {
  const icon = L.divIcon({ className: 'mark', iconSize: [18, 18] });
  return L.marker([0, 0], { icon, pane: RINGS, interactive: false, keyboard: false });
}

export function create(app, element) {
  loadStyle('viewer/card/card.css').catch((error) => app.status.set('tool', error.message));
  const spot = createSpot();
  const said = h('p', { class: 'note', role: 'status', id: 'card-status' });
  let place = null;
  let open = false;
  let covered = false; /* the drawer may hide the place */
  let zoom = 0;
  let fingerprint = ''; /* of the world that was shown last */

  const say = (text) => {
    said.textContent = text;
  };
  const copy = async (text, name) => {
    say(await copyText(text) ? tr('{0} copied.', name) : tr('This browser does not copy.'));
  };
  const view = createView(app, copy);
  const folds = createFolds(app, () => place, copy);
  const pins = createPinList(app.pins, {
    go(pin) {
      app.go(pin);
      show(pin);
    },
    share: async (pin) => {
      try {
        copy(await linkTo(app, pin, { pin: sharedText(pin) }), tr('The link'));
      } catch (error) {
        say(error.message);
      }
    },
    say,
  });
  const actions = createActions(app, say, pins.edit);
  const questions = createQuestions(app, view, (answer) => {
    say('');
    view.show(place, answer);
    actions.setPlace(place, answer);
    folds.renew();
    if (covered) reveal(app, place);
    covered = false;
  });
  const ask = async () => {
    try {
      await questions.ask(place);
      recovery.done();
    } catch (error) {
      say(error.message);
      if (!(error instanceof Refusal) || error.status >= 500) recovery.start();
    }
  };
  const recovery = createRecovery(() => open && ask());
  const show = (wanted) => {
    place = roundedPlace(wanted);
    covered = true;
    spot.setLatLng(toLatLng(place)).addTo(app.map.leaflet);
    ask();
  };

  element.append(...view.elements, actions.element, said, ...folds.elements, pins.element);
  app.on('shown', () => {
    /* A roll of the dice, or another world, begins elsewhere. */
    if (!open) actions.forget();
    else if (app.world.fingerprint === fingerprint || isShown(app, place)) ask();
    else show(app.map.view());
    fingerprint = app.world.fingerprint;
  });
  app.on('view', () => {
    if (!open || app.map.view().zoom === zoom) return;
    zoom = app.map.view().zoom;
    folds.renewAddresses();
    questions.compare(place);
  });

  return {
    /* `detail`: {place, focus}; without a place, the one that the readout is about. */
    opened({ place: wanted = pointedPlace(app, app.map.aim()), focus = false } = {}) {
      open = true;
      fingerprint = app.world.fingerprint;
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
