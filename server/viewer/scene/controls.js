/* What lies on the scene: compass, walking, exaggeration, the way back to the map, and on touch
 * screens and for mice, buttons to walk with. */

import { h, icon, iconButton } from '../app/dom.js';
import { heightText } from '../app/place.js';
import { hourText } from './sun.js';
import { tr } from '../texts/texts.js';

const EXAGGERATIONS = [1, 1.5, 2, 3, 4];
const HINTS = {
  flying: tr('Drag to move, right-drag or two fingers to turn and tilt. '
    + 'W A S D moves, Shift is faster, arrows turn.'),
  walking: tr('W A S D walks, Shift runs, arrows or dragging turn the head.'),
};
const TOUCH_HINTS = {
  flying: tr('One finger moves, two turn, tilt and zoom.'),
  walking: tr('The buttons walk, dragging turns the head.'),
};
const HINT_MS = 9000;
const NOON = 12;               /* where the slider of the sun rests */
const TILT_MAX = 50;           /* degrees of the compass */
const STEPS = [['forward', tr('Forward'), 'KeyW'], ['left', tr('Turn left'), 'ArrowLeft'],
  ['back', tr('Back'), 'KeyS'], ['right', tr('Turn right'), 'ArrowRight']];

/* A button that acts as long as it is held. */
function holdButton([name, title, code], { press, release }) {
  const button = iconButton(name, title, null, { class: `step ${name}` });
  const end = () => release(code);
  button.addEventListener('pointerdown', (event) => {
    button.setPointerCapture(event.pointerId);
    press(code);
  });
  for (const type of ['pointerup', 'pointercancel', 'blur', 'keyup']) {
    button.addEventListener(type, end);
  }
  button.addEventListener('keydown', ({ key }) => {
    if (key === 'Enter' || key === ' ') press(code);
  });
  return button;
}

function exaggerationField(change) {
  const select = h('select', {
    'aria-label': tr('Exaggeration of heights'), title: tr('Exaggeration of heights'),
    onchange: () => change(Number(select.value)),
  }, EXAGGERATIONS.map((times) => h('option', { value: times }, `${times} ×`)));
  return select;
}

/* The hour of the light: a slider, and a button that gives the map's own light back. */
function sunField(change) {
  const slider = h('input', {
    type: 'range', min: 0, max: 24, step: 0.25, 'aria-label': tr('Time of day'),
    title: tr('Time of day: where the sun stands'), oninput: () => change(Number(slider.value)),
  });
  const text = h('output', {});
  const reset = iconButton('undo', tr('The map’s own light'), () => {
    slider.focus();
    change(null);
  });
  return {
    element: h('span', { class: 'sun' }, icon('sun', 18), slider, text, reset),
    show(hour) {
      slider.value = String(hour ?? NOON);
      slider.setAttribute('aria-valuetext', hour === null ? tr('the map’s own light')
        : hourText(hour));
      text.textContent = hour === null ? '' : hourText(hour);
      reset.hidden = hour === null;
    },
  };
}

/* `on` has: sun(hour or null), north(), zoom(by), walk(), leave(), exaggerate(times), press(code),
 * release(code). */
export function createControls(on) {
  const exaggeration = exaggerationField(on.exaggerate);
  const sun = sunField(on.sun);
  const needle = icon('compass', 22);
  const eye = h('output', { class: 'eye', title: tr('Above the sea, and above the ground') });
  const hint = h('p', { class: 'hint', role: 'status' });
  const walk = h('button', {
    type: 'button', class: 'text', 'aria-pressed': 'false', onclick: on.walk,
  }, icon('walk', 18), tr('Walk'));
  let timer = 0;

  const bar = h('div', { class: 'scene-bar', role: 'group', 'aria-label': tr('3-D view') },
    h('button', { type: 'button', class: 'text', onclick: on.leave }, icon('map', 18), tr('Map')),
    walk,
    exaggeration,
    sun.element,
    eye);
  const compass = h('button', {
    type: 'button', class: 'compass', title: tr('Face north'), 'aria-label': tr('Face north'),
    onclick: on.north,
  }, needle);
  const side = h('div', { class: 'scene-side', role: 'group',
    'aria-label': tr('Zoom and compass') },
    compass,
    iconButton('plus', tr('Zoom in'), () => on.zoom(1)),
    iconButton('minus', tr('Zoom out'), () => on.zoom(-1)));
  const steps = h('div', {
    class: 'scene-steps', role: 'group', 'aria-label': tr('Walk'), hidden: true,
  }, STEPS.map((step) => holdButton(step, on)));

  const showHint = (walking) => {
    clearTimeout(timer);
    const hints = matchMedia('(any-pointer: fine)').matches ? HINTS : TOUCH_HINTS;
    hint.textContent = walking ? hints.walking : hints.flying;
    timer = setTimeout(() => { hint.textContent = ''; }, HINT_MS);
  };

  return {
    elements: [hint, side, steps, bar],
    setSun: sun.show,
    setExaggeration(times) {
      exaggeration.value = String(times);
    },
    setBearing(bearing, pitch) {
      needle.style.transform = `rotateX(${Math.min(pitch, TILT_MAX)}deg) rotateZ(${-bearing}deg)`;
    },
    /* Metres; `above` is null while the ground is unknown. */
    setEye(altitude, above) {
      eye.textContent = above === null ? ''
        : tr('Eye at {0}, {1} above the ground', heightText(altitude), heightText(above));
    },
    setWalking(walking) {
      walk.setAttribute('aria-pressed', String(walking));
      steps.hidden = !walking;
      showHint(walking);
    },
    showHint,
  };
}
