/* How the editor looks, by the page's variables, which reach into its shadow root. */

import { EditorView } from '@codemirror/view';

const PANEL = {
  border: '1px solid var(--line)', borderRadius: '8px', backgroundColor: 'var(--solid)',
  color: 'var(--ink)', boxShadow: 'var(--shadow)',
};

export const theme = EditorView.theme({
  '&': { height: '100%', color: 'var(--ink)', fontSize: '12.5px' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace',
    lineHeight: '1.5' },
  '.cm-gutters': { border: 'none', backgroundColor: 'transparent', color: 'var(--faint)' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--field)' },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-selectionBackground': { backgroundColor: 'var(--selection)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground':
    { backgroundColor: 'var(--selection)' },
  '.cm-selectionMatch': { backgroundColor: 'var(--line)' },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--selection)' },
  '.json-key': { color: 'var(--code-key)' },
  '.formula-function': { color: 'var(--code-function)', fontWeight: '600' },
  '.formula-number': { color: 'var(--code-number)' },
  '.formula-argument': { color: 'var(--code-key)' },
  '.formula-name': { color: 'var(--code-name)' },
  '.formula-text': { color: 'var(--code-text)' },
  '.formula-operator, .formula-bracket': { color: 'var(--faint)' },
  '.formula-other': { color: 'var(--alarm)' },
  '.cm-tooltip': { ...PANEL, maxWidth: 'min(460px, 90vw)', zIndex: '20' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'inherit', maxHeight: '14em' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--accent)',
    color: 'var(--on-accent)' },
  '.cm-completionDetail': { opacity: '0.75', fontStyle: 'normal' },
  '.cm-tooltip.cm-completionInfo': { ...PANEL, padding: '8px 10px' },
  '.lab-help': { padding: '8px 10px', font: '12.5px/1.4 var(--sans)' },
  '.cm-completionInfo .lab-help': { padding: '0' },
  '.lab-help p': { margin: '4px 0 0' },
  '.lab-help ul': { margin: '6px 0 0', padding: '0 0 0 16px', maxHeight: '12em', overflow: 'auto' },
  '.lab-help code': { fontSize: '12px' },
  '.lab-help .signature': { color: 'var(--code-function)', fontWeight: '600' },
  '.cm-panels': { backgroundColor: 'var(--solid)', color: 'var(--ink)' },
  '.cm-textfield, .cm-button': { backgroundImage: 'none', backgroundColor: 'var(--field)',
    color: 'inherit', border: '1px solid var(--line)', borderRadius: '6px' },
  '.cm-foldPlaceholder': { backgroundColor: 'var(--field)', border: 'none', color: 'var(--faint)' },
});
