/* The controls of the noise page, each with what it does: lists of choices, and sliders. */

import { h } from '../app/dom.js';
import { readable } from '../app/place.js';
import { CONTROLS, applies } from './noise-model.js';

/* The list of a choice. */
function createChoice(control, id, settings, changed) {
  const list = h('select', {
    id, 'aria-describedby': `${id}-words`,
    onchange() {
      settings[control.name] = list.value;
      changed();
    },
  }, control.choices.map((choice) => new Option(choice, choice)));
  list.value = settings[control.name];
  return list;
}

/* A slider, over powers of two if the control says so. */
function createSlider(control, id, settings, changed) {
  const { name, low, high, step, power, unit } = control;
  const value = h('output', { for: id });
  const write = () => {
    value.textContent = `${readable(String(settings[name]))}${unit ? `\u202f${unit}` : ''}`;
  };
  const slider = h('input', {
    type: 'range', id, min: low, max: high, step, 'aria-describedby': `${id}-words`,
    value: power ? Math.log2(settings[name]) : settings[name],
    oninput() {
      const number = Number(slider.value);
      settings[name] = power ? 2 ** number : number;
      write();
      changed();
    },
  });
  write();
  return h('div', { class: 'slider' }, slider, value);
}

/* An element with all controls; it changes `settings` and calls changed(). */
export function createControls(settings, changed) {
  const showFitting = () => rows.forEach(({ control, element }) => {
    element.hidden = !applies(control, settings);
  });
  const react = () => {
    showFitting();
    changed();
  };
  const rows = CONTROLS.map((control) => {
    const id = `noise-${control.name}`;
    const create = control.choices ? createChoice : createSlider;
    return { control, element: h('div', { class: 'noise-control' },
      h('label', { for: id }, control.title), create(control, id, settings, react),
      h('p', { class: 'note', id: `${id}-words` }, control.words)) };
  });
  showFitting();
  return h('div', { class: 'noise-controls' }, rows.map(({ element }) => element));
}
