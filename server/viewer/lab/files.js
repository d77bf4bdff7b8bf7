/* Where a world comes from and goes to: forks of the server's worlds, files, links. Before another
 * world takes the place of one with changes, it asks. */

import { copyText } from '../app/copy.js';
import { saveFile } from '../app/files.js';
import { h, iconButton } from '../app/dom.js';
import { fetchWorldFile, linkOf } from './link.js';
import { fileName, titleOf } from './store.js';
import { tr } from '../texts/texts.js';

const FILE_MAX = 1 << 20;
const DRAFT = 'draft '; /* before the name of one, which no world has */

/* Asks in place of the buttons; gives 'replace', 'save' or 'keep'. */
export function createQuestion() {
  const words = h('p', { id: 'lab-question' });
  const element = h('div', {
    class: 'question', role: 'alertdialog', 'aria-labelledby': 'lab-question', hidden: true,
  });
  let answer = null;
  const button = (name, text) => h('button', {
    type: 'button', class: 'text', 'data-answer': name, onclick: () => answer(name),
  }, text);
  element.append(words, h('div', { class: 'actions' },
    button('save', tr('Save it as a file first')),
    button('replace', tr('Replace it')), button('keep', tr('Keep it'))));
  element.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    answer('keep');
  });
  return {
    element,
    async ask(text) {
      const before = document.activeElement;
      answer?.('keep');
      words.textContent = text;
      element.hidden = false;
      element.querySelector('button').focus();
      let own;
      const given = await new Promise((resolve) => {
        answer = own = resolve;
      });
      if (answer !== own) return given; /* another question stands there */
      element.hidden = true;
      answer = null;
      before?.focus?.();
      return given;
    },
  };
}

/* The row that shows a link when it was made. */
export function createShare(app, say) {
  const input = h('input', { type: 'text', readonly: true,
    'aria-label': tr('Link to this world') });
  const element = h('div', { class: 'share', hidden: true }, input,
    iconButton('close', tr('Hide the link'), () => {
      element.hidden = true;
    }));
  return {
    element,
    async share(text) {
      input.value = await linkOf(app, text);
      element.hidden = false;
      input.select();
      if (await copyText(input.value)) {
        say(tr('The link is copied. The whole world is in it: {0} characters.',
          input.value.length));
      } else {
        input.focus();
        say(tr('Copy this link. The whole world is in it.'));
      }
    },
  };
}

/* The option of a draft of another window. */
function draftOption({ id, text, time }) {
  const when = new Date(time).toLocaleString([], { dateStyle: 'short', timeStyle: 'short' });
  return new Option(`${titleOf(text, tr('A world'))}, ${when}`, DRAFT + id);
}

/* The buttons. `lab` has text(), saved(), drafts(), which gives those of other windows, take(text,
 * origin, baseline), which gives whether the text was taken, and say(message). */
export function createFiles(app, lab, share) {
  const chooser = h('input', { type: 'file', accept: '.json,application/json', hidden: true });
  const fork = h('select', { 'aria-label': tr('Start from a world') });
  chooser.addEventListener('change', async () => {
    const [file] = chooser.files;
    chooser.value = '';
    if (file === undefined) return;
    if (file.size > FILE_MAX) lab.say(tr('{0} has more than 1 MB, the most of a world file.',
      file.name));
    else lab.take(await file.text(), file.name);
  });
  fork.addEventListener('change', async () => {
    const name = fork.value;
    const draft = lab.drafts().find(({ id }) => name === DRAFT + id);
    fork.value = '';
    try {
      if (draft) {
        lab.take(draft.text, draft.origin, draft.baseline);
        return;
      }
      const here = app.world?.name === name;
      const seed = here ? app.world.chosenSeed : null;
      const taken = await lab.take(await fetchWorldFile(name, seed), name);
      if (taken && !here) app.go(app.world.view, app.world.view.zoom);
    } catch (error) {
      lab.say(error.message);
    }
  });
  const save = () => {
    const name = fileName(titleOf(lab.text(), 'world'));
    saveFile(name, new Blob([lab.text()], { type: 'application/json' }));
    lab.saved();
    lab.say(tr('Saved as {0}. Serve it with: terrane serve --worlds {1}', name, name));
  };
  const button = (title, onclick) => h('button', { type: 'button', class: 'text', onclick }, title);
  return {
    save,
    elements: [fork, chooser, button(tr('Open'), () => chooser.click()), button(tr('Save'), save),
      button(tr('Share'), () => share.share(lab.text()))],
    /* Lists the worlds that can be forked, and the drafts. */
    listWorlds() {
      const drafts = lab.drafts();
      const kept = h('optgroup', { label: tr('Kept in this browser') }, drafts.map(draftOption));
      fork.replaceChildren(new Option(tr('Fork a world …'), ''),
        ...app.worlds.worlds.map(({ name, title }) => new Option(title, name)),
        ...(drafts.length > 0 ? [kept] : []));
    },
  };
}
