/* The lab: a world file in an editor, whose world the map shows while it is written. This module
 * puts the parts together; each part has a module of its own. */

import { getJson } from '../app/api.js';
import { h, iconButton, loadStyle } from '../app/dom.js';
import { isPreview } from '../app/link.js';
import { checkLocally, furtherErrors } from './check.js';
import { createCompare } from './compare.js';
import { createNumberBar } from './drag.js';
import { createEditor } from './editor.js';
import { createFiles, createQuestion, createShare } from './files.js';
import { createLayers } from './layers.js';
import { fetchWorldFile } from './link.js';
import { createPreviews, postPreview } from './preview.js';
import { createProblems, toDiagnostics } from './problems.js';
import { addSeaLevel } from './sea.js';
import { unpack } from './share.js';
import { createSliders } from './sliders.js';
import { createDrafts, titleOf } from './store.js';
import { createTabs } from './tabs.js';
import { tr } from '../texts/texts.js';

const KEEP_MS = 400;

const errorsText = (count) => (count === 1 ? tr('1 error') : tr('{0} errors', count));
const warningsText = (count) => (count === 1 ? tr('1 warning') : tr('{0} warnings', count));
const layersText = (count) => (count === 1 ? tr('1 layer') : tr('{0} layers', count));

/* What a result of the preview says of the text in the editor, as diagnostics. */
function diagnosticsOf({ warnings = [], errors, off }, { state }, functions) {
  if (off) return checkLocally(state, functions);
  if (!errors) return toDiagnostics(state.doc, warnings, 'warning');
  const found = toDiagnostics(state.doc, errors, 'error');
  return [...found, ...furtherErrors(state, functions, found.at(-1)?.from ?? 0)]
    .sort((a, b) => a.from - b.from);
}

/* What it says in a line; `count` is that of the diagnostics. */
function resultText({ world, errors, off, refused, failed }, count) {
  if (world) {
    const also = count > 0 ? `, ${warningsText(count)}` : '';
    return `${layersText(world.layers.length)}${also}.`;
  }
  if (errors) return tr('{0}. The map stays as it was.', errorsText(count));
  if (off) return tr('{0} The text can be written and saved; the page checks what it can.', off);
  return tr('{0} The map stays as it was.', refused ?? failed);
}

/* The text, where it came from, and what it was then; kept in the browser among `drafts`. */
function createDraft(editor, drafts, { say, kept }) {
  const draft = { text: '', baseline: '', origin: null };
  let timer = 0;
  const keep = () => {
    clearTimeout(timer);
    timer = 0;
    draft.text = editor.text();
    if (!drafts.save(draft)) say(tr('This browser keeps nothing: save the world as a file.'));
    kept(draft.text);
  };
  addEventListener('pagehide', () => {
    if (timer !== 0) keep();
    drafts.leave();
  });
  return {
    draft,
    isChanged: () => editor.text() !== draft.baseline,
    changed() {
      clearTimeout(timer);
      timer = setTimeout(keep, KEEP_MS);
    },
    /* A new beginning, from a text of some origin, which may have changes against another. */
    begin(text, origin, baseline = text) {
      Object.assign(draft, { baseline, origin });
      keep();
    },
  };
}

function createParts(app) {
  const parts = { functions: [] };
  const status = h('p', { class: 'lab-status', role: 'status' });
  const milliseconds = h('span', { class: 'lab-time' });
  let quiet = false; /* the text is set by the page, not written */
  parts.say = (text) => {
    status.textContent = text;
  };
  parts.editor = createEditor({
    functions: () => parts.functions,
    changed() {
      parts.draft.changed();
      if (quiet) return;
      if (app.extras.lab !== undefined) app.setExtra('lab', null);
      parts.previews.schedule(parts.editor.text());
    },
    moved() {
      parts.numbers?.update();
      parts.sliders?.update();
    },
  });
  parts.numbers = createNumberBar(parts.editor.view, () => parts.functions);
  parts.numbers.update();
  parts.sliders = createSliders(app, parts.editor.view, () => parts.functions);
  parts.setText = (text) => {
    quiet = true;
    parts.editor.setText(text);
    quiet = false;
  };
  parts.problems = createProblems(parts.editor.view);
  parts.drafts = createDrafts();
  parts.draft = createDraft(parts.editor, parts.drafts, {
    say: parts.say,
    kept: (text) => app.drawers.entitle('lab',
      tr('Lab: {0}', titleOf(text, tr('a world without a title')))),
  });
  parts.layers = createLayers(app);
  parts.compare = createCompare(app);
  parts.question = createQuestion();
  parts.share = createShare(app, parts.say);
  parts.previews = createPreviews(app, {
    result(result) {
      const diagnostics = diagnosticsOf(result, parts.editor.view, parts.functions);
      parts.problems.show(diagnostics);
      milliseconds.textContent = '';
      parts.say(resultText(result, diagnostics.length));
    },
    tiles(time) {
      milliseconds.textContent = tr('On the map after {0}\u202fms.', Math.round(time));
      milliseconds.dataset.milliseconds = String(Math.round(time));
    },
  });
  app.previewText = parts.previews.shownText;
  parts.status = h('div', { class: 'lab-foot' }, status, milliseconds);
  return parts;
}

/* Puts another text in the place of the present one, if its writer agrees. It is not posted if the
 * map shows it already. */
async function takeText(parts, text, origin, { shown = false, style, baseline } = {}) {
  const { draft } = parts;
  if (draft.isChanged() && text !== parts.editor.text()) {
    const title = titleOf(parts.editor.text(), tr('The world in the editor'));
    const answer = await parts.question.ask(tr('“{0}” has changes that are in no file.', title));
    if (answer === 'keep') return false;
    if (answer === 'save') parts.files.save();
  }
  parts.setText(text);
  draft.begin(text, origin, baseline);
  compareBefore(parts);
  if (!shown) await parts.previews.post(text, style);
  return true;
}

/* Shows the version before beside the present one, if the button is pressed. */
async function compareBefore(parts) {
  const button = parts.compareButton;
  const isOn = () => button.getAttribute('aria-pressed') === 'true';
  if (!isOn()) {
    parts.compare.hide();
    return;
  }
  const { baseline } = parts.draft.draft;
  const { world } = await postPreview(baseline).catch(() => ({}));
  if (!isOn() || baseline !== parts.draft.draft.baseline) return;
  if (world) parts.compare.show(world);
  else {
    button.setAttribute('aria-pressed', 'false');
    parts.compare.hide();
    parts.say(tr('The version before cannot be shown: the server takes no preview of it.'));
  }
}

function toggleCompare(parts) {
  const on = parts.compareButton.getAttribute('aria-pressed') !== 'true';
  parts.compareButton.setAttribute('aria-pressed', String(on));
  compareBefore(parts);
}

/* Shows the sea level as a slider, and the world with the sea as it was beside it. */
async function changeSeaLevel(parts) {
  await parts.filled;
  if (!addSeaLevel(parts.editor.view)) {
    parts.say(tr('The world in the editor has no layer “height”.'));
    return;
  }
  parts.sliders.element.open = true;
  if (parts.compareButton.getAttribute('aria-pressed') !== 'true') toggleCompare(parts);
}

/* The world of the link in the address, once for each link. */
async function takeLink(app, parts) {
  const { lab, labmap } = app.extras;
  parts.link = lab;
  const text = await unpack(lab);
  app.setExtra('labmap', null);
  if (!await takeText(parts, text, tr('a link'), { style: labmap })) app.setExtra('lab', null);
  else if (parts.previews.isShown()) app.status.set('address', '');
}

/* The world of a link, the draft of the last visit, or the world on the map: the first of them that
 * there is. */
async function fillEditor(app, parts) {
  const draft = parts.drafts.load();
  if (draft !== null) {
    parts.setText(draft.text);
    Object.assign(parts.draft.draft,
      { text: draft.text, baseline: draft.baseline, origin: draft.origin });
  }
  if (app.extras.lab !== undefined) {
    await takeLink(app, parts);
  } else if (draft !== null) {
    await parts.previews.post(draft.text);
    parts.say(tr('“{0}” is as you left it in this browser.',
      titleOf(draft.text, tr('Your world'))));
  } else {
    const { name, chosenSeed } = app.world;
    await takeText(parts, await fetchWorldFile(name, chosenSeed), name, { shown: true });
    parts.say(tr('This is the file of {0}. Change a number, and the map follows.',
      app.world.title));
  }
}

function buildWorldTab(parts) {
  const compare = h('button', {
    type: 'button', class: 'text', 'aria-pressed': 'false',
    title: tr('Compare with the version that was forked, opened or saved'),
    onclick: () => toggleCompare(parts),
  }, tr('Compare'));
  parts.compareButton = compare;
  const sea = h('button', {
    type: 'button', class: 'text', title: tr('Raise or lower the sea, beside the map before'),
    onclick: () => changeSeaLevel(parts),
  }, tr('Sea level'));
  return h('div', { class: 'lab-world' },
    h('div', { class: 'actions' }, parts.files.elements,
      iconButton('undo', tr('Undo'), parts.editor.undo),
      iconButton('redo', tr('Redo'), parts.editor.redo),
      compare, sea),
    parts.share.element, parts.question.element, parts.editor.element,
    parts.numbers.element, parts.sliders.element, parts.problems.element,
    parts.status, parts.layers.element);
}

export function create(app, element) {
  loadStyle('viewer/lab/lab.css');
  const parts = createParts(app);
  parts.files = createFiles(app, {
    text: parts.editor.text,
    saved() {
      parts.draft.begin(parts.editor.text(), parts.draft.draft.origin);
      compareBefore(parts);
    },
    take: (text, origin, baseline) => takeText(parts, text, origin, { baseline }),
    drafts: () => parts.drafts.others(parts.editor.text()),
    say: parts.say,
  }, parts.share);
  const noise = h('div', { class: 'lab-noise' });
  const tabs = createTabs(tr('Parts of the lab'), [
    { name: 'world', title: tr('World'), content: buildWorldTab(parts),
      chosen: () => parts.layers.setOpen(true) },
    { name: 'noise', title: tr('Noise'), content: noise, async chosen() {
      parts.layers.setOpen(false);
      if (parts.noise) return;
      const { createNoise } = await import('./noise.js');
      parts.noise ??= createNoise(app, noise, parts);
    } },
  ]);
  parts.tabs = tabs;
  element.append(...tabs.elements);
  /* A link is of its world, not of another one that is chosen later. */
  app.on('shown', () => {
    if (app.extras.lab === undefined || app.extras.lab !== parts.link) return;
    if (!isPreview(app.world.name)) app.setExtra('lab', null);
  });
  getJson('formulas').then((answer) => {
    parts.functions = answer.functions;
    parts.sliders.update();
  }).catch((error) => parts.say(error.message));
  parts.filled = (async () => {
    parts.files.listWorlds();
    await fillEditor(app, parts);
  })().catch((error) => parts.say(error.message));
  return {
    async opened() {
      parts.previews.setOpen(true);
      parts.layers.setOpen(tabs.chosen() === 'world');
      await parts.filled;
      parts.files.listWorlds();
      parts.editor.view.requestMeasure();
      if (app.extras.lab === undefined || app.extras.lab === parts.link) return;
      await takeLink(app, parts).catch((error) => parts.say(error.message));
    },
    closed() {
      parts.previews.setOpen(false);
      parts.layers.setOpen(false);
      parts.compare.hide();
      parts.compareButton.setAttribute('aria-pressed', 'false');
    },
  };
}
