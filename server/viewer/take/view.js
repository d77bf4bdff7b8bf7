/* What the drawer of the take-away tool shows. */

import { copyText } from '../app/copy.js';
import { h, icon, iconButton } from '../app/dom.js';
import { parsePlace, placeText, readable } from '../app/place.js';
import { bytesText, lengthText } from '../app/units.js';
import { FORMATS } from './area.js';
import { tr } from '../texts/texts.js';

const WIDE = 640; /* pixels of windows whose drawer has room for the lines for a shell */

const field = (id, label, control, ...more) => h('div', { class: 'field', id: `take-${id}-field` },
  h('label', { for: `take-${id}` }, label), control, ...more);
const textButton = (id, onclick, ...children) =>
  h('button', { type: 'button', class: 'text', id: `take-${id}`, onclick }, ...children);
const select = (id, options, onchange) => h('select', { id: `take-${id}`, onchange },
  options.map(([value, text]) => h('option', { value }, text)));

const count = (number) => readable(String(number));

/* "1440 × 900 pixels, 256 m each", of a square of samples "1025 × 1025 heights, 256 m apart" */
function choiceText({ grid: { columns, rows, step }, fits }, { square, most }) {
  const more = square ? 1 : 0;
  const size = `${count(columns + more)} × ${count(rows + more)}`;
  return `${lengthText(step)}: ${size}${fits ? '' : tr(', above {0}', count(most))}`;
}

/* The size in each format (sizes.js), of which one is chosen. */
function sizeRows(sizes, chosen) {
  return sizes.map(({ format, name, extent, bytes }) =>
    h('tr', { 'aria-current': format === chosen && 'true' },
      h('th', { scope: 'row' }, name), h('td', {}, extent),
      h('td', {}, bytes === null ? '' : bytesText(bytes))));
}

/* A line for a shell, with a button that copies it. */
function commandLine(name, text) {
  const copy = iconButton('copy', tr('Copy {0}', name), async () => {
    const copied = await copyText(text);
    said.textContent = copied ? tr('Copied') : tr('Select it and copy it by hand');
  });
  const said = h('span', { class: 'note', role: 'status' });
  return h('div', { class: 'command' }, h('h3', {}, name, ' ', said),
    h('code', { tabindex: 0, role: 'group', 'aria-label': name }, text), copy);
}

/* `on` has format(name), corner('nw' or 'se', place), whole(), zoom(number), option(), save() and
 * cancel(). */
export function createView(element, on) {
  const corner = (id, label) => {
    const input = h('input', { type: 'text', id: `take-${id}`, autocomplete: 'off', onchange() {
      const place = parsePlace(input.value);
      input.setAttribute('aria-invalid', String(place === null));
      if (place !== null) on.corner(id, place);
    } });
    return { input, row: field(id, label, input) };
  };
  const format = select('format', Object.entries(FORMATS).map(([name, { title }]) => [name, title]),
    () => on.format(format.value));
  const [nw, se] = [corner('nw', tr('From')), corner('se', tr('To'))];
  const zoom = select('zoom', [], () => on.zoom(Number(zoom.value)));
  const crs = select('crs', [['local', tr('Metres of the world')], ['3857', 'EPSG:3857'],
    ['', tr('None')]],
    on.option);
  const colours = h('input',
    { type: 'checkbox', id: 'take-colours', checked: true, onchange: on.option });
  const summary = h('p', { class: 'note', id: 'take-summary', role: 'status' });
  const save = textButton('save', on.save, icon('take', 16), tr('Save'));
  const cancel = textButton('cancel', on.cancel, tr('Cancel'));
  const bar = h('progress', { max: 1, 'aria-label': tr('Made so far') });
  const extent = h('p', { class: 'note', id: 'take-extent' });
  const sizes = h('tbody', {});
  const commands = h('div', { id: 'take-commands' });
  const rows = { crs: field('crs', tr('System'), crs),
    colours: h('label', { class: 'check' }, colours, tr('Colours of the map')) };
  element.append(
    field('format', tr('What'), format), nw.row, se.row, extent, field('zoom', tr('Pixel'), zoom),
    rows.crs, rows.colours,
    h('div', { class: 'actions' }, save,
      textButton('whole', on.whole, tr('Whole view')), cancel, bar),
    summary,
    h('table', { id: 'take-sizes' }, h('caption', {}, tr('In every format, about')), sizes),
    h('details', { open: innerWidth >= WIDE }, h('summary', {}, tr('Without the page')), commands));

  return {
    options: () => ({ crs: crs.value, colours: colours.checked }),
    /* The rectangle, its choices of zooms (area.js) and the chosen one. */
    show(formatName, area, choices, chosen) {
      const settings = FORMATS[formatName];
      rows.crs.hidden = formatName !== 'tif';
      rows.colours.hidden = formatName !== 'glb';
      nw.input.value = placeText({ x: area.west, y: area.north });
      se.input.value = placeText({ x: area.east, y: area.south });
      for (const { input } of [nw, se]) input.setAttribute('aria-invalid', 'false');
      extent.textContent = tr('{0} wide, '
        + '{1} from north to south.', lengthText(area.east - area.west),
        lengthText(area.south - area.north));
      zoom.replaceChildren(...choices.map((choice) => h('option',
        { value: choice.grid.zoom, disabled: !choice.fits }, choiceText(choice, settings))));
      zoom.value = String(chosen);
    },
    say: (text) => {
      summary.textContent = text;
    },
    setSizes: (rows, chosen) => sizes.replaceChildren(...sizeRows(rows, chosen)),
    setReady: (ready) => {
      save.disabled = !ready;
    },
    /* Lines for a shell: [name, text] each. */
    setCommands(lines) {
      commands.replaceChildren(...lines.map(([name, text]) => commandLine(name, text)));
    },
    /* How much of a file is there, or null while none is made. */
    setProgress(share) {
      const focused = document.activeElement;
      bar.hidden = cancel.hidden = share === null;
      save.hidden = share !== null;
      bar.value = share ?? 0;
      if (focused === save && share !== null) cancel.focus();
      if (focused === cancel && share === null) save.focus();
    },
  };
}
