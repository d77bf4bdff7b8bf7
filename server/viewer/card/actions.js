/* What can be done from a place: pin it, measure, look around, find what is near, follow the
 * water. */

import { createLatest } from '../app/app.js';
import { h, icon } from '../app/dom.js';
import { biomeOf } from './facts.js';
import { STEPS, createSight, reach } from './sight.js';
import { createWater, hasRivers } from './water.js';

const EYE = { usual: 2, most: 10000 }; /* metres above the ground, or above water */

function action(name, text, onclick, attributes = {}) {
  return h('button', { type: 'button', class: 'text', onclick, ...attributes },
    icon(name, 16), text);
}

/* How far and from how high to look. */
function createSightFields(changed) {
  const far = h('select', { id: 'sight-far', onchange: changed },
    STEPS.map((step) => h('option', { value: step, selected: step === STEPS[1] }, reach(step))));
  const eye = h('input', {
    id: 'sight-eye', type: 'number', min: 0, max: EYE.most, step: 'any', value: EYE.usual,
    onchange: changed,
  });
  const element = h('fieldset', { class: 'sight', hidden: true },
    h('legend', {}, 'Look around'),
    h('label', { for: 'sight-far' }, 'As far as'), far,
    h('label', { for: 'sight-eye' }, 'Eye, metres above the ground'), eye);
  return {
    element,
    step: () => Number(far.value),
    eye: () => Math.min(Math.max(Number(eye.value) || 0, 0), EYE.most),
  };
}

/* `say(text)` shows what came of an action, and `pinned(place)` hears of a new pin. */
export function createActions(app, say, pinned) {
  const latest = createLatest();
  const sight = createSight(app);
  const water = createWater(app);
  let place = null;
  let answer = null;
  let release = null;

  /* Runs what asks the server, one at a time, and says what came of it. */
  const run = async (ask) => {
    say('Asking …');
    try {
      const result = await latest(ask);
      if (result !== null) say(result.text ?? result);
      return result;
    } catch (error) {
      say(error.message);
      return null;
    }
  };
  const fit = (result) => {
    if (result?.bounds && !app.map.leaflet.getBounds().intersects(result.bounds)) {
      app.map.leaflet.fitBounds(result.bounds);
    }
  };
  /* Metres from the ground, which /sight counts from, up to what one stands on. */
  const afloat = () => answer.water?.depth ?? 0;
  const look = async () => fit(await run((signal) =>
    sight.show(place, answer.height + afloat(), fields.eye(), fields.step(), signal)));

  const fields = createSightFields(look);
  const stopChecking = () => {
    release?.();
    release = null;
    check.setAttribute('aria-pressed', 'false');
  };
  const check = action('find', 'Check a place', () => {
    if (release !== null) {
      stopChecking();
      return;
    }
    check.setAttribute('aria-pressed', 'true');
    say('Click a place on the map to ask whether it is seen from here.');
    release = app.clicks.take((to) => run((signal) =>
      sight.check(place, to, fields.eye() + afloat(), signal)));
  }, { 'aria-pressed': 'false' });
  fields.element.append(check);

  const around = action('eye', 'Look around', () => {
    const on = fields.element.hidden;
    fields.element.hidden = !on;
    around.setAttribute('aria-expanded', String(on));
    if (on) look();
    else {
      stopChecking();
      sight.clear();
    }
  }, { 'aria-expanded': 'false' });
  const flow = action('drop', 'Follow the water', async () => {
    const result = await run((signal) => water.show(place, signal));
    if (result?.bounds) app.map.leaflet.fitBounds(result.bounds, { maxZoom: app.map.view().zoom });
  });
  const pin = action('pin', 'Pin it', () => {
    if (app.pins.find(place)) app.pins.remove(place);
    else if (app.pins.full()) say('There are enough pins: remove one first.');
    else {
      app.pins.add(place, biomeOf(app.world, answer)?.title ?? 'Pin');
      pinned(place);
    }
  }, { 'aria-pressed': 'false' });
  const showPin = () => {
    if (place === null) return;
    pin.setAttribute('aria-pressed', String(app.pins.find(place) !== undefined));
  };
  app.pins.on('changed', showPin);

  const buttons = [
    pin,
    action('measure', 'Measure from here', () => app.drawers.open('measure', { from: place })),
    action('find', 'Find nearest …', () => app.drawers.open('find', { from: place })),
    around, flow,
  ];
  return {
    element: h('section', { 'aria-label': 'From here' },
      h('div', { class: 'actions' }, buttons), fields.element),
    /* What the buttons are about: the place and what /at says of it. */
    setPlace(newPlace, newAnswer) {
      const moved = place === null || newPlace.x !== place.x || newPlace.y !== place.y
        || newAnswer.fingerprint !== answer.fingerprint;
      [place, answer] = [newPlace, newAnswer];
      flow.hidden = !hasRivers(app.world);
      showPin();
      if (!moved) return;
      water.clear();
      sight.clear();
      if (!fields.element.hidden) look();
    },
    /* The card is closed: what is drawn stays, with its chip. */
    stop() {
      stopChecking();
      latest(async () => null);
    },
  };
}
