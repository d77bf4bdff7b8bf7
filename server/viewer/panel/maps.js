/* The choice of the map: the styles of a world, those for programs in a group of their own, and
 * behind "Layers" the raw layers in grey. */

import { isForPrograms, plainLayer } from '../app/api.js';
import { h } from '../app/dom.js';
import { tr } from '../texts/texts.js';

const option = ({ name, title }) => h('option', { value: name }, title || name);

function optionsOf(world) {
  const forPrograms = world.styles.filter((style) => isForPrograms(world, style));
  return [
    ...world.styles.filter((style) => !forPrograms.includes(style)).map(option),
    forPrograms.length > 0 && h('optgroup', { label: tr('For programs') }, forPrograms.map(option)),
  ].filter(Boolean);
}

/* The layers that no style has taken the name of. */
const rawLayers = ({ styles, layers }) =>
  layers.filter(({ name }) => !styles.some((style) => style.name === name));

/* `on(name)` hears which style or layer is wanted. */
export function createMaps({ style, layer, fold, list }, on) {
  const open = (isOpen) => {
    fold.setAttribute('aria-expanded', String(isOpen));
    list.hidden = !isOpen;
  };
  let current = '';
  fold.addEventListener('click', () => open(list.hidden));
  style.addEventListener('change', () => on(style.value));
  layer.addEventListener('change', () => on(layer.value));

  return {
    /* Shows which style or layer the map shows. */
    setChosen(world, name) {
      const layers = rawLayers(world);
      const isRaw = plainLayer(world, name) !== null;
      style.replaceChildren(...(isRaw ? [h('option', { value: '', hidden: true }, tr('A layer'))]
        : []),
        ...optionsOf(world));
      style.value = isRaw ? '' : name;
      style.title = style.selectedOptions[0].text; /* its field may be too narrow for it */
      layer.replaceChildren(h('option', { value: '', hidden: true }, tr('None')),
        ...layers.map(({ name: value }) => option({ name: value })));
      layer.value = isRaw ? name : '';
      fold.hidden = layers.length === 0;
      if (fold.hidden) open(false);
      else if (isRaw && current !== name) open(true);
      current = name;
    },
  };
}
