// The text editor, set up for templates. It lives in a shadow tree: there
// its styles are style sheets of the document, which the policy of the page
// allows, not elements, which it forbids.
import {
  EditorState, EditorView, HighlightStyle, autocompletion, bracketMatching,
  closeBrackets, closeBracketsKeymap, completionKeymap, defaultKeymap,
  drawSelection, foldGutter, foldKeymap, highlightActiveLine,
  highlightActiveLineGutter, highlightSelectionMatches, highlightSpecialChars,
  history, historyKeymap, indentOnInput, indentUnit, jsonLanguage, keymap,
  lineNumbers, lintGutter, lintKeymap, searchKeymap, setDiagnostics,
  syntaxHighlighting, tags, yamlLanguage,
} from '../vendor/editor.js';
import {h} from './dom.js';

const COLOURS = HighlightStyle.define([
  {tag: [tags.propertyName, tags.definition(tags.propertyName)],
   color: 'var(--code-key)'},
  {tag: [tags.string, tags.special(tags.string)], color: 'var(--code-string)'},
  {tag: [tags.number, tags.bool, tags.null], color: 'var(--code-number)'},
  {tag: tags.comment, color: 'var(--muted)', fontStyle: 'italic'},
  {tag: [tags.keyword, tags.meta, tags.typeName], color: 'var(--code-meta)'},
]);

const LOOK = EditorView.theme({
  '&': {height: '100%', fontSize: '13px', color: 'var(--text)',
        backgroundColor: 'var(--surface)'},
  '&.cm-focused': {outline: '2px solid var(--accent)', outlineOffset: '-2px'},
  '.cm-scroller': {fontFamily: 'var(--mono)', lineHeight: '1.5'},
  '.cm-content': {caretColor: 'var(--text)'},
  '.cm-cursor': {borderLeftColor: 'var(--text)'},
  '.cm-gutters': {backgroundColor: 'var(--surface)', color: 'var(--muted)',
                  border: 'none'},
  '.cm-activeLine, .cm-activeLineGutter':
    {backgroundColor: 'var(--hover-soft)'},
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground':
    {backgroundColor: 'var(--selection)'},
  '.cm-selectionBackground': {backgroundColor: 'var(--selection)'},
  '.cm-tooltip, .cm-panels': {
    backgroundColor: 'var(--surface)', color: 'var(--text)',
    border: '1px solid var(--border)'},
  '.cm-tooltip-autocomplete ul li[aria-selected]':
    {backgroundColor: 'var(--accent)', color: 'var(--on-accent)'},
  '.cm-completionDetail': {color: 'inherit', fontStyle: 'normal',
                           marginLeft: '1em'},
  '.cm-completionInfo': {maxWidth: '320px', padding: '6px 8px'},
  '.cm-diagnostic': {padding: '4px 8px', whiteSpace: 'pre-wrap'},
  '.cm-diagnostic-error': {borderLeft: '4px solid var(--failed)'},
});

/**
 * Return an editor: {element, view, text(), setText(), showProblems(),
 * goTo(line)}.
 */
export function codeEditor({text = '', label, isReadOnly = false,
                            complete = null, onChange = null,
                            isJson = false}) {
  const element = h('div', {class: 'code'});
  const root = element.attachShadow({mode: 'open'});
  const extensions = [
    lineNumbers(), highlightSpecialChars(), foldGutter(), drawSelection(),
    highlightActiveLine(), highlightActiveLineGutter(), bracketMatching(),
    highlightSelectionMatches(), isJson ? jsonLanguage() : yamlLanguage(),
    syntaxHighlighting(COLOURS), LOOK, indentUnit.of('  '),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({'aria-label': label, tabindex: '0'}),
    // Tab leaves the editor, as it leaves any field.
    keymap.of([...closeBracketsKeymap, ...completionKeymap, ...defaultKeymap,
               ...searchKeymap, ...historyKeymap, ...foldKeymap,
               ...lintKeymap]),
  ];
  if (isReadOnly) {
    extensions.push(EditorState.readOnly.of(true));
  } else {
    extensions.push(history(), indentOnInput(), closeBrackets(), lintGutter(),
      autocompletion({override: complete ? [complete] : undefined,
                      icons: false}));
  }
  if (onChange) {
    extensions.push(EditorView.updateListener.of((update) => {
      if (update.docChanged) onChange();
    }));
  }
  const view = new EditorView({
    root, parent: root, state: EditorState.create({doc: text, extensions})});

  function goTo(line, column = 1) {
    const found = view.state.doc.line(
      Math.min(Math.max(1, line), view.state.doc.lines));
    view.dispatch({
      selection: {anchor: Math.min(found.from + column - 1, found.to)},
      effects: EditorView.scrollIntoView(found.from, {y: 'center'})});
  }

  /** Underline problems: [{line, column, message}]. */
  function showProblems(problems) {
    const {doc} = view.state;
    const diagnostics = problems.filter((each) => each.line).map((each) => {
      const line = doc.line(Math.min(each.line, doc.lines));
      const from = Math.min(line.from + Math.max(0, each.column - 1), line.to);
      return {from, to: Math.max(line.to, from), severity: 'error',
              message: each.message};
    });
    view.dispatch(setDiagnostics(view.state, diagnostics));
  }

  return {
    element, view, goTo, showProblems,
    text: () => view.state.doc.toString(),
    setText: (next) => view.dispatch({
      changes: {from: 0, to: view.state.doc.length, insert: next}}),
    stop: () => view.destroy(),
  };
}
