// What the console takes from CodeMirror and yaml, as one module.
export {EditorState, Compartment, StateEffect} from '@codemirror/state';
export {EditorView, keymap, lineNumbers, highlightActiveLine,
        highlightActiveLineGutter, drawSelection, highlightSpecialChars,
        rectangularSelection} from '@codemirror/view';
export {history, historyKeymap, defaultKeymap, indentWithTab}
  from '@codemirror/commands';
export {syntaxHighlighting, HighlightStyle, indentOnInput, bracketMatching,
        foldGutter, foldKeymap, indentUnit} from '@codemirror/language';
export {autocompletion, completionKeymap, closeBrackets,
        closeBracketsKeymap, startCompletion} from '@codemirror/autocomplete';
export {setDiagnostics, lintGutter, lintKeymap} from '@codemirror/lint';
export {searchKeymap, highlightSelectionMatches} from '@codemirror/search';
export {yaml as yamlLanguage} from '@codemirror/lang-yaml';
export {json as jsonLanguage} from '@codemirror/lang-json';
export {tags} from '@lezer/highlight';
export {parseDocument, stringify, LineCounter, isMap, isSeq, isScalar,
        isPair} from 'yaml';
