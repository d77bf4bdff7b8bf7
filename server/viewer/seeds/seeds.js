/* The list of seeds: those with names, then those that were shown last. */

import { h, iconButton, loadStyle } from '../app/dom.js';
import { tr } from '../texts/texts.js';

const isSame = (a, b) => a.world === b.world && a.seed === b.seed;
const isShown = (app, { world, seed }) =>
  app.world.name === world && app.world.chosenSeed === seed;

export function create(app, element) {
  const { seeds } = app;
  const note = h('p', { class: 'note', role: 'status' });
  const lists = h('div', {});
  let renaming = null; /* {entry, item}: the entry whose name is being edited, and its field */

  const show = ({ world, seed }) =>
    (world === app.world.name ? app.reseed(seed) : app.visit(world, seed));
  const worldTitle = (name) =>
    app.worlds.worlds.find((world) => world.name === name)?.title || name;

  const stopRenaming = () => {
    renaming = null;
    render();
  };

  /* The field that takes the place of an entry whose name is edited. */
  const renameForm = (entry) => {
    const input = h('input', {
      type: 'text', value: entry.name ?? '', maxlength: 80, autocomplete: 'off',
      'aria-label': tr('Name of seed {0}', entry.seed), placeholder: tr('A name'),
      onkeydown(event) {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        stopRenaming();
        focusEntry(entry);
      },
    });
    return h('form', {
      class: 'rename',
      onsubmit(event) {
        event.preventDefault();
        renaming = null;
        seeds.rename(entry.world, entry.seed, input.value);
        focusEntry(entry);
      },
    }, input, iconButton('check', tr('Keep the name'), null, { type: 'submit' }));
  };

  const row = (entry) => {
    const title = entry.name ?? entry.seed;
    const detail = [entry.name && entry.seed, worldTitle(entry.world)].filter(Boolean).join(' · ');
    return h('li', { 'data-world': entry.world, 'data-seed': entry.seed },
      h('button', {
        type: 'button', class: 'seed', 'aria-current': String(isShown(app, entry)),
        onclick: () => show(entry),
      }, h('span', { class: 'title' }, title), h('span', { class: 'detail' }, detail)),
      iconButton('rename', tr('Name seed {0}', title), () => rename(entry)),
      iconButton('remove', tr('Remove seed {0}', title), () => remove(entry)));
  };

  const section = (title, entries) => (entries.length === 0 ? [] : [
    h('h3', {}, title),
    h('ul', { class: 'seed-list' }, entries.map((entry) =>
      (renaming && isSame(entry, renaming.entry) ? renaming.item : row(entry)))),
  ]);

  const rowOf = (entry) => [...lists.querySelectorAll('li[data-seed]')]
    .find(({ dataset }) => isSame(dataset, entry));

  /* The focus stays in its row. */
  function render() {
    const focused = document.activeElement;
    const before = lists.contains(focused) ? focused.closest('li') : null;
    const place = before && [...before.querySelectorAll('button')].indexOf(focused);
    const list = seeds.list();
    lists.replaceChildren(...section(tr('With names'), list.filter(({ name }) => name !== null)),
      ...section(tr('Shown last'), list.filter(({ name }) => name === null)));
    note.textContent = list.length === 0
      ? tr('Seeds that you try are listed here. Give a name to those you want to keep.')
      : seeds.keeps() ? '' : tr('The browser keeps nothing for this page: the list ends with it.');
    if (before === null) return;
    if (focused.isConnected) focused.focus();
    else rowOf(before.dataset)?.querySelectorAll('button')[place].focus();
  }

  function focusEntry(entry) {
    (rowOf(entry) ?? lists.querySelector('li[data-seed]'))?.querySelector('.seed').focus();
  }

  function rename(entry) {
    renaming = { entry, item: h('li', {}, renameForm(entry)) };
    render();
    lists.querySelector('.rename input').select();
  }

  function remove(entry) {
    const list = seeds.list();
    const next = list[list.indexOf(entry) + 1] ?? list.at(-2);
    seeds.remove(entry.world, entry.seed);
    if (next) focusEntry(next);
    else document.getElementById('drawer-close').focus();
  }

  seeds.on('changed', render);
  app.on('shown', render);
  loadStyle('viewer/seeds/seeds.css');
  element.append(lists, note);
  return { opened: render };
}
