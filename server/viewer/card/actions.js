/* What can be done from a place: pin it, measure, look around, find what is near, follow the
 * water. */

import { hasRivers } from '../app/api.js';
import { createLatest } from '../app/app.js';
import { h, icon } from '../app/dom.js';
import { fitsHere, revealBounds } from '../map/reveal.js';
import { biomeOf } from './facts.js';
import { createLookAround } from './lookaround.js';
import { createWater } from './water.js';
import { tr } from '../texts/texts.js';

function action(name, text, onclick, attributes = {}) {
  return h('button', { type: 'button', class: 'text', onclick, ...attributes },
    icon(name, 16), text);
}

/* Runs what asks the server, one at a time, and says what came of it. */
function createRun(say) {
  const latest = createLatest();
  const run = async (ask) => {
    say(tr('Asking …'));
    try {
      const result = await latest(ask);
      if (result !== null) say(result.text);
      return result;
    } catch (error) {
      say(error.message);
      return null;
    }
  };
  run.cancel = () => latest(async () => null);
  return run;
}

/* Pins the place, or removes its pin. */
function createPinButton(app, card, say, pinned) {
  const button = action('pin', tr('Pin it'), () => {
    const { place, answer } = card;
    if (app.pins.find(place)) app.pins.remove(place);
    else if (app.pins.add(place, biomeOf(app.world, answer)?.title ?? tr('Pin'))) pinned(place);
    else say(app.pins.fullText());
  });
  const update = () => button.setAttribute('aria-pressed',
    String(card.place !== null && app.pins.find(card.place) !== undefined));
  app.pins.on('changed', update);
  update();
  return { button, update };
}

/* `say(text)` shows what came of an action, and `pinned(place)` hears of a new pin. */
export function createActions(app, say, pinned) {
  const card = { place: null, answer: null };
  const run = createRun(say);
  const water = createWater(app);
  const pin = createPinButton(app, card, say, pinned);
  const sight = createLookAround(app, () => ({
    place: card.place, height: card.answer.height, depth: card.answer.water?.depth ?? 0,
  }), run, say);
  const around = action('eye', tr('Look around'), () =>
    around.setAttribute('aria-expanded', String(sight.toggle())), { 'aria-expanded': 'false' });
  const flow = action('drop', tr('Follow the water'), async () => {
    whole.hidden = true;
    const result = await run((signal) => water.show(card.place, signal));
    if (!result?.bounds) return;
    way = result.bounds;
    if (fitsHere(app, way)) revealBounds(app, way);
    else whole.hidden = false;
  });
  /* A long way would throw the map far out: that is for the reader to decide. */
  let way = null;
  const whole = action('stretch', tr('Show the whole way'), () => {
    whole.hidden = true;
    revealBounds(app, way);
  }, { hidden: true });
  const clearWater = () => {
    whole.hidden = true;
    water.clear();
  };
  const buttons = [
    pin.button,
    action('measure', tr('Measure from here'),
      () => app.drawers.open('measure', { from: card.place })),
    action('find', tr('Find nearest …'), () => app.drawers.open('find', { from: card.place })),
    around, flow, whole,
  ];
  /* Hidden until the place is known. */
  const element = h('section', { 'aria-label': tr('From here'), hidden: true },
    h('div', { class: 'actions' }, buttons), sight.element);
  return {
    element,
    /* What the buttons are about: the place and what /at says of it. */
    setPlace(place, answer) {
      const before = { ...card };
      Object.assign(card, { place, answer });
      element.hidden = false;
      flow.hidden = !hasRivers(app.world);
      pin.update();
      if (place === before.place && answer.fingerprint === before.answer?.fingerprint) return;
      run.cancel();
      clearWater();
      sight.renew();
    },
    /* Removes what was drawn of another world. */
    forget() {
      if (!card.answer || card.answer.fingerprint === app.world.fingerprint) return;
      card.answer = null;
      element.hidden = true;
      clearWater();
      sight.clear();
    },
    /* The card is closed: what is drawn stays, with its chip. */
    stop: sight.stop,
  };
}
