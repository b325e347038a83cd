// The template of a stack, and what it was created with.
import {parseDocument, LineCounter, stringify} from '../../vendor/editor.js';
import {codeEditor} from '../code.js';
import {h, show} from '../dom.js';
import {copyButton, valueText} from '../format.js';
import {t} from '../i18n.js';
import {facts, problem, waiting} from '../ui.js';

/** Return the line of a resource in the text of a template, 0 for none. */
export function lineOf(text, name) {
  const lines = new LineCounter();
  const document = parseDocument(text, {lineCounter: lines});
  for (const section of ['resources', 'Resources']) {
    const found = document.get(section, true)?.items?.find(
      (pair) => pair.key?.value === name);
    if (found) return lines.linePos(found.key.range[0]).line;
  }
  return 0;
}

/** Return a template of the API as text. */
export function templateText(template) {
  return stringify(template, {lineWidth: 78, indentSeq: true});
}

/** Show the template of a stack. */
export function openTab({root, api, model, href, route}) {
  let editor = null;
  let isOpen = true;
  show(root, waiting());

  async function read() {
    try {
      const template = await model.template();
      if (!isOpen) return;
      const text = templateText(template);
      editor = codeEditor({text, isReadOnly: true, label: t('Template')});
      const wanted = route.query.get('resource');
      const parameters = Object.entries(model.stack?.parameters ?? {});
      show(root, h('div', {class: 'tab-tools'},
        h('span', {class: 'muted'},
          t('As the service keeps it; comments are not stored.')),
        h('span', {class: 'grow'}), copyButton(text),
        api.mayUpdate() && h('a', {
          class: 'button small', href: `${href('editor')}?stack=${
            encodeURIComponent(model.name)}&id=${model.id}`}, t('Edit'))),
      h('div', {class: 'split'}, editor.element,
        h('aside', {class: 'details', 'aria-label': t('Parameters')},
          h('h2', null, t('Parameters')),
          facts(parameters.map(([name, value]) => [
            name, h('span', {class: 'mono'}, valueText(value))])))));
      if (wanted) editor.goTo(lineOf(text, wanted) || 1);
    } catch (error) {
      show(root, problem(error, read));
    }
  }

  read();
  return () => {
    isOpen = false;
    editor?.stop();
  };
}
