/* Colours for the formulas inside the strings of a world file, by class names. Only what is visible
 * is looked at. */

import { syntaxTree } from '@codemirror/language';
import { RangeSetBuilder } from '@codemirror/state';
import { Decoration, ViewPlugin } from '@codemirror/view';
import { tokenize } from './formulas.js';
import { formulasIn } from './structure.js';

const MARKS = Object.fromEntries(
  ['function', 'argument', 'name', 'number', 'text', 'operator', 'bracket', 'other'].map((type) =>
    [type, Decoration.mark({ class: `formula-${type}` })]));

function decorate(view) {
  const marks = new RangeSetBuilder();
  let done = -1;
  for (const { from, to } of view.visibleRanges) {
    for (const formula of formulasIn(view.state, from, to)) {
      if (formula.from <= done) continue; /* a string in two visible ranges */
      done = formula.from;
      for (const token of tokenize(formula.text)) {
        marks.add(formula.from + token.from, formula.from + token.to, MARKS[token.type]);
      }
    }
  }
  return marks.finish();
}

export const formulaHighlighting = ViewPlugin.fromClass(class {
  constructor(view) {
    this.tree = syntaxTree(view.state);
    this.decorations = decorate(view);
  }

  update({ view, docChanged, viewportChanged }) {
    const tree = syntaxTree(view.state);
    if (!docChanged && !viewportChanged && tree === this.tree) return;
    this.tree = tree;
    this.decorations = decorate(view);
  }
}, { decorations: (plugin) => plugin.decorations });
