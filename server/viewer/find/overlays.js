/* The two switches that change the map: the chosen biomes alone, and the objects of a kind in view.
 * What is on the map stays there when the drawer is closed; its chip ends it as well. */

import { h } from '../app/dom.js';
import { removeChip, showChip } from '../map/chips.js';
import { createHighlight } from './highlight.js';
import { createDots } from './objects.js';
import { tr } from '../texts/texts.js';

/* A switch; apply(on) is called when it is turned, and `off` turns it off. */
function createSwitch(text, apply) {
  const input = h('input', { type: 'checkbox', onchange: () => apply(input.checked) });
  return {
    element: h('label', { class: 'check', hidden: true }, input, text),
    on: () => input.checked,
    off() {
      input.checked = false;
      apply(false);
    },
  };
}

const titles = (list, names) => list.filter(({ name }) => names.includes(name))
  .map(({ title, name }) => title || name).join(', ');

/* `say(text)` hears what there is to say of objects. */
export function createOverlays(app, say) {
  const highlight = createHighlight(app);
  const dots = createDots(app, say);
  let biomes = [];
  let kind = null;

  const showBiomes = (on) => {
    const names = on ? biomes : [];
    highlight.set(names);
    if (names.length === 0) removeChip('highlight');
    else showChip('highlight', tr('Only {0}', titles(app.world.biomes, names)), only.off);
  };
  const showKind = (on) => {
    dots.set(on ? kind : null);
    if (!on || kind === null) removeChip('objects');
    else showChip('objects', titles(app.world.objects, [kind]), inView.off);
  };
  const only = createSwitch(tr('Dim everything else on the map'), showBiomes);
  const inView = createSwitch(tr('Show those in view'), showKind);

  return {
    element: h('div', {}, only.element, inView.element),
    setBiomes(names) {
      biomes = names;
      showBiomes(only.on());
    },
    setObject(name) {
      kind = name;
      showKind(inView.on());
    },
    /* Shows the switch of what is searched for, and ends what the other one did. */
    choose(name) {
      only.element.hidden = name !== 'biome';
      inView.element.hidden = name !== 'object';
      only.off();
      inView.off();
    },
  };
}
