/* Errors of a world file: from the server's list to places in the text, and as a list to click. */

import { setDiagnostics } from '@codemirror/lint';
import { h } from '../app/dom.js';
import { tr } from '../texts/texts.js';

/* The position of a line and a column, which counts characters from 1; the nearest that exists. */
function positionOf(doc, { line = 1, column = 1 }) {
  const { from, text } = doc.line(Math.min(Math.max(line, 1), doc.lines));
  return from + [...text].slice(0, column - 1).join('').length;
}

/* Where the thing ends that begins at a position: a word, a number, a string, or one character. */
export function endOf(doc, from) {
  const line = doc.lineAt(from);
  const rest = line.text.slice(from - line.from);
  const length = /^(?:[\w.]+|"(?:[^"\\]|\\.)*"|.)/u.exec(rest)?.[0].length ?? 0;
  return Math.min(from + length, line.to);
}

/* {message, line, column, pointer} of the server as the editor's diagnostics. */
export function toDiagnostics(doc, errors, severity) {
  return errors.map((error) => {
    const from = positionOf(doc, error);
    return { from, to: endOf(doc, from), severity, message: error.message, error };
  });
}

const capital = (text) => text.replace(/^\p{Ll}/u, (first) => first.toUpperCase());

/* A list of problems in an element; a click on one goes to its place. */
export function createProblems(view) {
  const list = h('ul', { class: 'problems', 'aria-label': tr('Problems'), hidden: true });
  const goTo = ({ from }) => {
    view.dispatch({ selection: { anchor: Math.min(from, view.state.doc.length) },
      scrollIntoView: true });
    view.focus();
  };
  const row = (diagnostic) => {
    const line = view.state.doc.lineAt(diagnostic.from).number;
    const where = diagnostic.error.pointer?.slice(1).replace(/\//g, '.') ?? '';
    return h('li', {}, h('button', {
      type: 'button', class: diagnostic.severity, onclick: () => goTo(diagnostic),
    }, h('b', {}, tr('Line {0}{1}: ', line, where && `, ${where}`)), capital(diagnostic.message)));
  };
  return {
    element: list,
    /* Shows these in the text and in the list. */
    show(diagnostics) {
      view.dispatch(setDiagnostics(view.state, diagnostics));
      list.replaceChildren(...diagnostics.map(row));
      list.hidden = diagnostics.length === 0;
    },
  };
}
