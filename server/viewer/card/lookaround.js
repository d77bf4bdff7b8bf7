/* The card's part for looking around: how far and from how high, and single places that are checked
 * by a click on the map. */

import { h, icon } from '../app/dom.js';
import { metresPerPixel } from '../app/place.js';
import { REACH, STEPS, createSight, reach } from './sight.js';
import { tr } from '../texts/texts.js';

const EYE = { usual: 2, most: 10000 }; /* metres above the ground, or above water */

/* The widest circle that the map shows whole. */
function stepFor(app) {
  const { x, y } = app.map.leaflet.getSize();
  const half = metresPerPixel(app.map.view().zoom) * Math.min(x, y) / 2;
  return STEPS.findLast((step) => step * REACH <= half) ?? STEPS[0];
}

function createFields(changed) {
  const far = h('select', { id: 'sight-far', onchange: changed },
    STEPS.map((step) => h('option', { value: step }, reach(step))));
  const eye = h('input', {
    id: 'sight-eye', type: 'number', min: 0, max: EYE.most, step: 'any', value: EYE.usual,
    onchange: changed,
  });
  return {
    far,
    elements: [h('label', { for: 'sight-far' }, tr('As far as')), far,
      h('label', { for: 'sight-eye' }, tr('Eye, metres above the ground')), eye],
    step: () => Number(far.value),
    eye: () => Math.min(Math.max(Number(eye.value) || 0, 0), EYE.most),
  };
}

/* `from()` gives {place, height, depth}: where one stands, the metres of the ground and of water
 * over it. run(ask) asks the server and says what came of it. */
export function createLookAround(app, from, run, say) {
  const sight = createSight(app);
  let release = null;

  const look = () => run((signal) => {
    const { place, height, depth } = from();
    return sight.show(place, height + depth, fields.eye(), fields.step(), signal);
  });
  const fields = createFields(look);
  const stopChecking = () => {
    release?.();
    release = null;
    check.setAttribute('aria-pressed', 'false');
  };
  const startChecking = () => {
    check.setAttribute('aria-pressed', 'true');
    say(tr('Click a place on the map to ask whether it is seen from here.'));
    release = app.clicks.take((to) => run((signal) => {
      const { place, depth } = from();
      return sight.check(place, to, fields.eye() + depth, signal);
    }));
  };
  const check = h('button', {
    type: 'button', class: 'text', 'aria-pressed': 'false',
    onclick: () => (release === null ? startChecking() : stopChecking()),
  }, icon('find', 16), tr('Check a place'));
  const element = h('fieldset', { class: 'sight', hidden: true },
    h('legend', {}, tr('Look around')), fields.elements, check);

  return {
    element,
    /* Shows or hides it; gives whether it is shown. */
    toggle() {
      element.hidden = !element.hidden;
      if (element.hidden) {
        stopChecking();
        sight.clear();
      } else {
        fields.far.value = stepFor(app);
        look();
      }
      return !element.hidden;
    },
    /* Of another place. */
    renew() {
      sight.clear();
      if (!element.hidden) look();
    },
    clear: sight.clear,
    stop: stopChecking,
  };
}
