/* The noise page: controls of a noise, its octaves and their sum, as pictures and lines of samples
 * that the server makes of a world for it, and the formula to take along. */

import { copyText } from '../app/copy.js';
import { getSamples, pinned } from '../app/api.js';
import { createLatest } from '../app/app.js';
import { h, iconButton } from '../app/dom.js';
import { coordinateText, readable } from '../app/place.js';
import { extremes, lineChart } from './charts.js';
import { createControls } from './noise-controls.js';
import { START, formulaOf, octavesTable, putIntoWorld, worldOf } from './noise-model.js';
import { postPreview } from './preview.js';
import { tr } from '../texts/texts.js';

const SIZE = 192;          /* cells a side of a picture; a wavelength and a half */
const CELLS_PER_WAVE = 128;
const REST_MS = 60;

const metres = (value) => `${readable(coordinateText(value, 17))}\u202fm`;

/* The samples of the layer at t = index: rows of SIZE + 1. */
function samplesOf(world, settings, index, signal) {
  const step = settings.wavelength / CELLS_PER_WAVE;
  const query = `layers=noise&size=${SIZE}&step=${step}&t=${index}`;
  return getSamples(`${pinned(world)}/chunks/0/0.r32f?${query}`, signal);
}

function drawPicture(canvas, samples, low, high) {
  const side = SIZE + 1;
  canvas.width = canvas.height = side;
  const image = new ImageData(side, side);
  const scale = 255 / (high - low || 1);
  samples.forEach((value, at) => {
    image.data.fill((value - low) * scale, 4 * at, 4 * at + 3);
    image.data[4 * at + 3] = 255;
  });
  canvas.getContext('2d').putImageData(image, 0, 0);
}

/* A picture with its middle row as a line beside it. */
function createRow(title, text, samples, [low, high]) {
  const canvas = h('canvas', { role: 'img', 'aria-label': tr('Picture: {0}', title) });
  drawPicture(canvas, samples, low, high);
  const middle = samples.subarray((SIZE / 2) * (SIZE + 1), (SIZE / 2 + 1) * (SIZE + 1));
  return h('li', {}, canvas, h('div', {},
    h('p', {}, h('b', {}, title), h('span', {}, text)),
    lineChart(tr('Line: {0}', title), middle, low, high)));
}

function rowsOf(settings, all) {
  const [sum, ...octaves] = all;
  const scale = extremes(octaves.map(extremes).flat());
  const table = octavesTable(settings);
  return [
    createRow(tr('The sum'), octaves.length > 0 ? tr('of {0} octaves', octaves.length) : '', sum,
      extremes(sum)),
    ...octaves.map((samples, index) => createRow(tr('Octave {0}', index + 1),
      `${metres(table[index].wavelength)}, ${Math.round(100 * table[index].weight)} %`,
      samples, scale)),
  ];
}

/* `lab` has editor, say(), tabs, functions. */
export function createNoise(app, element, lab) {
  const latest = createLatest();
  const settings = { ...START };
  const rows = h('ul', { class: 'octaves' });
  const formula = h('code', { class: 'formula', tabindex: 0, 'aria-label': tr('Formula') });
  const status = h('p', { class: 'lab-status', role: 'status' });
  let world = null;
  let timer = 0;

  const load = async (signal) => {
    const result = await postPreview(worldOf(settings), signal);
    if (!result.world) throw new Error(result.errors?.[0].message ?? result.off ?? result.refused);
    const count = octavesTable(settings).length;
    const indices = count === 1 ? [0] : Array.from({ length: count + 1 }, (_, index) => index);
    const samples = await Promise.all(indices.map((index) =>
      samplesOf(result.world, settings, index, signal)));
    return { samples, world: result.world };
  };

  const show = async () => {
    try {
      const loaded = await latest(load);
      if (loaded === null) return;
      const onMap = world !== null && app.world === world;
      world = loaded.world;
      rows.replaceChildren(...rowsOf(settings, loaded.samples));
      status.textContent = '';
      if (onMap) app.show(world, 'noise');
    } catch (error) {
      status.textContent = error.message;
    }
  };

  const changed = () => {
    formula.textContent = formulaOf(settings);
    clearTimeout(timer);
    timer = setTimeout(show, REST_MS);
  };

  const copy = async () => {
    const copied = await copyText(JSON.stringify(formula.textContent));
    if (!copied) getSelection().selectAllChildren(formula);
    status.textContent = copied ? tr('Copied, with the quotes that a world file needs.')
      : tr('Copy the selected formula.');
  };

  const put = () => {
    const { view } = lab.editor;
    const put = putIntoWorld(lab.editor.text(), formula.textContent);
    if (put === null) {
      status.textContent = tr('The world in the editor has no layers to add it to.');
      return;
    }
    lab.tabs.choose('world');
    view.dispatch({ changes: { from: put.from, insert: put.insert },
      selection: { anchor: put.from + put.insert.length }, scrollIntoView: true });
    view.focus();
  };

  const button = (text, onclick, title) =>
    h('button', { type: 'button', class: 'text', onclick, title }, text);
  element.append(
    h('div', { class: 'noise-side' }, createControls(settings, changed)),
    h('div', { class: 'noise-main' },
      h('div', { class: 'formula-row' }, formula,
        iconButton('copy', tr('Copy the formula'), copy)),
      h('div', { class: 'actions' },
        button(tr('Put into the world'), put, tr('As a new layer of the world in the editor')),
        button(tr('Show on the map'), () => world && app.show(world, 'noise'),
          tr('The sum, as a map'))),
      status, rows));
  changed();
  return {};
}
