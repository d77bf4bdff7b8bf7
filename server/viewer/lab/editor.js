/* The text editor of the lab: CodeMirror, in a shadow root. There its styles are constructed
 * sheets, which the page's policy allows; elements with inline styles it forbids. */

import { closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import {
  defaultKeymap, history, historyKeymap, isolateHistory, redo, undo,
} from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import {
  HighlightStyle, bracketMatching, foldGutter, indentOnInput, indentUnit, syntaxHighlighting,
} from '@codemirror/language';
import { lintGutter, lintKeymap } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { EditorState } from '@codemirror/state';
import {
  EditorView, drawSelection, highlightActiveLine, highlightSpecialChars, keymap, lineNumbers,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { h } from '../app/dom.js';
import { worldCompletion } from './completion.js';
import { draggableNumbers } from './drag.js';
import { formulaHighlighting } from './highlight.js';
import { theme } from './theme.js';
import { tr } from '../texts/texts.js';

const jsonColours = HighlightStyle.define([
  { tag: tags.propertyName, class: 'json-key' },
  { tag: [tags.number, tags.bool, tags.null], class: 'formula-number' },
]);

function extensions({ functions, changed, moved }) {
  return [
    lineNumbers(), foldGutter(), lintGutter(), history(), highlightSpecialChars(), drawSelection(),
    indentOnInput(), indentUnit.of('  '), bracketMatching(), closeBrackets(), highlightActiveLine(),
    highlightSelectionMatches(), search({ top: true }), EditorView.lineWrapping,
    json(), syntaxHighlighting(jsonColours), formulaHighlighting,
    worldCompletion(functions), draggableNumbers(functions),
    keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap,
      ...completionKeymap, ...lintKeymap]),
    EditorView.contentAttributes.of({
      'aria-label': tr('World file'), spellcheck: 'false', tabindex: 0,
    }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) changed();
      if (update.docChanged || update.selectionSet) moved();
    }),
    theme,
  ];
}

/* `on` has functions(), which gives those of /formulas as soon as they are known; changed() hears
 * of each change of the text, moved() also of those of the cursor. */
export function createEditor(on) {
  /* Escape closes what the editor has opened, and not the drawer. */
  const host = h('div', {
    class: 'lab-editor', onkeydown: (event) => event.key === 'Escape' && event.preventDefault(),
  });
  const root = host.attachShadow({ mode: 'open' });
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({ doc: '', extensions: extensions(on) }),
  });
  return {
    element: host,
    view,
    text: () => view.state.doc.toString(),
    /* Another text, as a step of its own that can be undone. */
    setText(text) {
      view.dispatch({
        changes: { from: 0, to: view.state.doc.length, insert: text },
        selection: { anchor: 0 },
        annotations: isolateHistory.of('full'),
        scrollIntoView: true,
      });
    },
    undo: () => undo(view),
    redo: () => redo(view),
  };
}
