/* Time, for worlds that move: a moment, a slider over moments around it, and play. The tiles of the
 * next moment are fetched before it is shown, so that the map moves as a whole and no faster than
 * the server can paint it. */

import { tileTemplate } from '../app/api.js';
import { h, icon } from '../app/dom.js';
import { readable } from '../app/place.js';
import { removeChip, showChip } from '../map/chips.js';
import { tr } from '../texts/texts.js';

const FRAME_MS = 250;
const STEPS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 600, 3600];
/* Noise that changes within so many seconds is shown in this many steps. */
const STEPS_OF_NOISE = 40;
const SLIDER_STEPS = 300;
const TIME_MAX = 1e9;
const CHIP = 'time';
const NAMES_MAX = 5; /* of maps that move */

const moves = ({ time }) => time;
const later = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
/* Sums of tenths without the digits of binary fractions. */
const rounded = (seconds) => Number(seconds.toFixed(3));

function stepText(seconds) {
  const [count, unit] = seconds < 60 ? [seconds, 's'] : seconds < 3600 ? [seconds / 60, 'min']
    : [seconds / 3600, 'h'];
  return `${readable(String(count))}\u202f${unit}`;
}

/* Which maps move, by their names. */
function listed(maps) {
  const names = [...new Set(maps.map(({ title, name }) => title || name))];
  if (names.length === 0) return '';
  const first = names.slice(0, NAMES_MAX).join(', ');
  return names.length > NAMES_MAX ? tr('These do: {0} and others.', first)
    : tr('These do: {0}.', first);
}

/* The step that suits the fastest noise of a world, or a second. */
function usualStep({ layers }) {
  const fastest = Math.min(...layers.flatMap(({ formula }) =>
    [...formula.matchAll(/wavelength_t\s*=\s*([\d.]+)/g)].map(([, seconds]) => Number(seconds))));
  const wanted = Number.isFinite(fastest) ? fastest / STEPS_OF_NOISE : 1;
  return STEPS.findLast((step) => step <= wanted) ?? STEPS[0];
}

function stepOptions() {
  return STEPS.map((step) => h('option', { value: step }, stepText(step)));
}

/* The controls; `on` has time(seconds), play() and step(). */
function createControls(on) {
  const button = h('button', { type: 'button', id: 'time-play', onclick: on.play });
  const slider = h('input', { type: 'range', id: 'time-slider',
    'aria-label': tr('Moment in seconds'),
    oninput: () => on.time(Number(slider.value)) });
  const number = h('input', { type: 'number', id: 'time-seconds', step: 'any', min: -TIME_MAX,
    max: TIME_MAX, onchange: () => on.time(number.valueAsNumber) });
  const step = h('select', { id: 'time-step', onchange: on.step }, stepOptions());
  return {
    elements: [
      h('div', { class: 'time-bar' }, button, slider),
      h('div', { class: 'field' }, h('label', { for: 'time-seconds' }, tr('Seconds')), number),
      h('div', { class: 'field' }, h('label', { for: 'time-step' }, tr('Step')), step),
    ],
    step: () => Number(step.value),
    setStep(seconds) {
      step.value = String(seconds);
    },
    /* The slider reaches over a window that the moment is in. */
    show(time) {
      const span = SLIDER_STEPS * Number(step.value);
      const low = Math.floor(time / span) * span;
      Object.assign(slider, { min: low, max: low + span, step: step.value });
      slider.value = String(time);
      slider.setAttribute('aria-valuetext', tr('{0} seconds', readable(String(time))));
      number.value = String(time);
    },
    setStill(still) {
      button.disabled = still;
      slider.disabled = still;
    },
    setPlaying(playing) {
      const title = playing ? tr('Pause') : tr('Play');
      button.replaceChildren(icon(playing ? 'pause' : 'play'));
      button.setAttribute('aria-label', title);
      button.title = title;
    },
  };
}

export function create(app, element) {
  const note = h('p', { class: 'note', role: 'status' });
  let playing = false;
  let open = false;
  let known = null; /* the world whose usual step is chosen */
  let shown = null; /* the moment on the map */
  let wish = 0;     /* counts the moments that were wanted */

  const now = () => app.time ?? 0;
  const fetchTiles = (time) => app.map.prefetch(tileTemplate(app.world, app.style, time));

  const controls = createControls({
    time: (time) => seek(time),
    play: () => (playing ? pause() : play()),
    step: () => controls.show(now()),
  });

  /* While it plays and the drawer is closed, a chip on the map says so. */
  function setPlaying(wanted) {
    playing = wanted;
    controls.setPlaying(playing);
    if (playing && !open) showChip(CHIP, tr('Time plays'), pause,
      { title: tr('Pause'), icon: 'pause' });
    else removeChip(CHIP);
  }

  function pause() {
    if (!playing) return;
    setPlaying(false);
    app.showTime(app.time);
  }

  /* Shows a moment once its tiles are there, unless another one is wanted meanwhile. */
  async function seek(time) {
    if (!Number.isFinite(time) || Math.abs(time) > TIME_MAX) {
      controls.show(now());
      return;
    }
    pause();
    const own = ++wish;
    await fetchTiles(time);
    if (own === wish) app.showTime(rounded(time));
  }

  async function play() {
    const own = ++wish;
    setPlaying(true);
    while (playing && own === wish) {
      const next = rounded(now() + controls.step());
      const [came] = await Promise.all([fetchTiles(next), later(FRAME_MS)]);
      if (!playing || own !== wish) return;
      if (!came) {
        pause();
        note.textContent = tr('Some tiles of {0} s did not come.', readable(String(next)));
      } else if (!document.hidden) {
        app.passTime(next);
      }
    }
  }

  function show() {
    if (app.world.fingerprint !== known) {
      known = app.world.fingerprint;
      pause();
      wish += 1;   /* what is fetched is of another world */
      controls.setStep(usualStep(app.world));
    }
    if (app.time !== shown) { /* an address or Back has another moment */
      setPlaying(false);
      wish += 1;
    }
    shown = app.time;
    const moving = [...app.world.styles, ...app.world.layers].filter(moves);
    const still = moving.every(({ name }) => name !== app.style);
    note.textContent = still ? tr('This map does not move. {0}', listed(moving)) : '';
    if (still) pause();
    controls.setStill(still);
    controls.show(now());
  }

  controls.setPlaying(false);
  element.append(...controls.elements, note);
  app.on('shown', show);
  app.on('time', () => {
    shown = app.time;
    controls.show(now());
  });
  show();
  return {
    opened() {
      open = true;
      setPlaying(playing);
    },
    closed() {
      open = false;
      setPlaying(playing);
    },
  };
}
