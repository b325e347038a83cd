// The outputs of a stack.
import {h, show} from '../dom.js';
import {copyButton, valueText} from '../format.js';
import {t} from '../i18n.js';
import {nothing, problem} from '../ui.js';

/** Show the outputs of a stack. */
export function openTab({root, api, model}) {
  const stop = new AbortController();
  let drawn = '';

  async function read() {
    try {
      const {stack} = await api.get(model.path, {}, stop.signal);
      const key = JSON.stringify(stack.outputs ?? []);
      if (key === drawn) return;
      drawn = key;
      draw(stack.outputs ?? []);
    } catch (error) {
      if (!stop.signal.aborted) show(root, problem(error, read));
    }
  }

  function draw(outputs) {
    if (!outputs.length) {
      show(root, nothing(t('The template declares no outputs.')));
      return;
    }
    show(root, outputs.map((each) => h('section', {class: 'panel output'},
      h('div', {class: 'heading'}, h('h2', null, each.output_key),
        h('span', {class: 'grow'}),
        copyButton(valueText(each.output_value ?? ''))),
      each.description && each.description !== 'No description given' &&
        h('p', {class: 'muted'}, each.description),
      each.output_error
        ? h('pre', {class: 'reason'}, each.output_error)
        : h('pre', {class: 'value'}, each.output_value === null
          ? t('not known yet') : valueText(each.output_value)))));
  }

  model.addEventListener('stack', read, {signal: stop.signal});
  read();
  return () => stop.abort();
}
