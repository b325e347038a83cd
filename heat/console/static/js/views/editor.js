// Writing a template, with what the service says of it, and its graph.
import {parseDocument} from '../../vendor/editor.js';
import {stackPath} from '../api.js';
import {codeEditor} from '../code.js';
import {Completion} from '../completion.js';
import {debounced, h, show} from '../dom.js';
import {EXAMPLES} from '../examples.js';
import {GraphView} from '../graph.js';
import {t} from '../i18n.js';
import {ParameterForm} from '../parameters.js';
import {problemsOf} from '../problems.js';
import {graphOf, reasonText} from '../template.js';
import {message, nothing, problem, title} from '../ui.js';
import {lineOf, templateText} from './stack_template.js';

const DRAFT = 'heat.draft';
const START = 'A password and a group';
const LARGEST = 524_288;

class Editor {
  constructor({root, api, href, route}) {
    Object.assign(this, {root, api, href});
    this.stack = route.query.get('stack')
      ? {stack_name: route.query.get('stack'), id: route.query.get('id')}
      : null;
    this.draft = this.stack ? `${DRAFT}.${this.stack.id}` : DRAFT;
    this.problems = [];
    this.check = debounced(350, () => this.validate());
    this.form = new ParameterForm(() => this.check());
    this.completion = new Completion(api);
    this.graph = new GraphView({
      label: t('Dependencies of the resources'),
      onSelect: (id) => this.choose(id)});
    this.reason = h('p', {class: 'edge-reasons muted', role: 'status'});
    this.list = h('div', {class: 'problems', role: 'log',
                          'aria-label': t('Problems')});
    this.state = h('span', {class: 'muted', role: 'status'});
  }

  async start() {
    title(this.stack ? t('Update {name}', {name: this.stack.stack_name})
      : t('Template editor'));
    // Texts survive a reload of the page, as after the end of a session.
    const draft = sessionStorage.getItem(this.draft);
    let text = draft ?? EXAMPLES[START];
    if (this.stack) {
      const [template, {stack}] = await Promise.all([
        this.api.get(`${stackPath(this.stack)}/template`),
        this.api.get(stackPath(this.stack), {resolve_outputs: 'false'})]);
      text = draft ?? templateText(template);
      this.form.given = stack.parameters;
    }
    if (this.isStopped) return;
    this.code = codeEditor({
      text, label: t('Template'), complete: this.completion.source,
      onChange: () => {
        sessionStorage.setItem(this.draft, this.code.text());
        this.check();
      }});
    this.frame();
    this.validate();
  }

  frame() {
    this.name = h('input', {
      type: 'text', placeholder: t('Name of the stack'), maxlength: 255,
      'aria-label': t('Name of the stack'), autocomplete: 'off',
      spellcheck: 'false'});
    const examples = h('select', {
      'aria-label': t('Begin with an example'), on: {change: (event) => {
        if (event.target.value) {
          this.code.setText(EXAMPLES[event.target.value]);
          event.target.value = '';
        }
      }}},
    h('option', {value: ''}, t('Examples …')),
    Object.keys(EXAMPLES).map((each) => h('option', {value: each}, t(each))));
    const button = (label, action, kind) => {
      const own = h('button', {type: 'button', class: kind, on: {
        click: async () => {
          own.disabled = true;
          await action();
          own.disabled = false;
        }}}, label);
      return own;
    };
    const heading = this.stack
      ? [h('h1', null, t('Update {name}', {name: this.stack.stack_name})),
         this.state, h('span', {class: 'grow'}),
         this.api.may('change_sets:create') &&
           button(t('Preview the changes'), () => this.plan(), 'primary'),
         this.api.may('stacks:update_patch') &&
           button(t('Update now'), () => this.submit(), '')]
      : [h('h1', null, t('Template editor')), this.state,
         h('span', {class: 'grow'}), examples,
         this.api.may('stacks:create') && [this.name,
           button(t('Create stack'), () => this.submit(), 'primary')]];
    show(this.root, h('div', {class: 'heading'}, heading),
      h('div', {class: 'editor-panes'},
        h('div', {class: 'pane'}, this.code.element, this.list),
        h('div', {class: 'pane side'}, this.graph.element, this.reason,
          h('section', {class: 'form-place', 'aria-label': t('Parameters'),
                        tabindex: '0'},
          h('h2', null, t('Parameters')), this.form.element))));
  }

  /** Return the parsed text, null if it cannot be read. */
  parsed() {
    const document = parseDocument(this.code.text(), {logLevel: 'silent'});
    if (document.errors.length) return null;
    try {
      return document.toJS({maxAliasCount: 100});
    } catch {
      return null;
    }
  }

  drawGraph() {
    const template = this.parsed();
    if (!template || typeof template !== 'object') return;
    const graph = graphOf(template);
    const shape = JSON.stringify([graph.nodes, graph.edges]);
    this.reasons = graph.reasons;
    if (shape === this.shape) return;
    this.shape = shape;
    this.graph.wasFitted = false;
    this.graph.setGraph(graph);
  }

  choose(id) {
    if (id === null) {
      show(this.reason);
      return;
    }
    const line = lineOf(this.code.text(), id);
    if (line) this.code.goTo(line);
    const needs = [...this.reasons.get(id) ?? []];
    show(this.reason, h('strong', null, id), ' ', needs.length
      ? needs.map(([other, reasons]) => h('span', {class: 'edge-reason'},
        `← ${other}: ${reasons.map(reasonText).join(', ')}`))
      : t('needs no other resource'));
  }

  async validate() {
    const text = this.code.text();
    this.asked?.abort();
    this.asked = new AbortController();
    this.drawGraph();
    if (new Blob([text]).size > LARGEST) {
      this.showProblems([{line: 0, message: t(
        'The template is larger than 512 KiB; the service refuses it.')}]);
      return;
    }
    try {
      const found = await this.api.post('validate', {
        template: text, parameters: this.form.values,
      }, AbortSignal.any([this.asked.signal, AbortSignal.timeout(30_000)]));
      this.form.setSchema(found.Parameters ?? {}, found.ParameterGroups ?? []);
      this.showProblems([]);
    } catch (error) {
      if (this.asked.signal.aborted && error.name === 'AbortError') return;
      if (error.status === 0) {
        this.state.textContent = error.message;
        this.check();
        return;
      }
      this.showProblems(problemsOf(error.message));
    }
  }

  showProblems(problems) {
    if (this.isStopped) return;
    this.code.showProblems(problems);
    this.state.className = problems.length ? 'state-bad' : 'state-good';
    this.state.textContent = problems.length
      ? t('{count} problems', {count: problems.length}) : t('valid');
    const key = JSON.stringify(problems);
    if (key === this.problemKey) return;
    this.problemKey = key;
    show(this.list, problems.map((each) => h('button', {
      type: 'button', class: 'problem-line', on: {
        click: () => {
          if (each.line) this.code.goTo(each.line, each.column);
          this.code.view.focus();
        }}},
    h('span', {class: 'mono place'}, each.line
      ? t('line {line}', {line: each.line}) : '–'), each.message)));
  }

  body() {
    const body = {template: this.code.text(), parameters: this.form.values};
    // What the form leaves out keeps its value.
    if (this.stack) body.existing = true;
    return body;
  }

  async submit() {
    const name = this.stack?.stack_name ?? this.name.value.trim();
    if (!name) {
      this.name.focus();
      message(t('Give the stack a name.'), 'error');
      return;
    }
    try {
      if (this.stack) {
        const {existing, ...body} = this.body();
        await this.api.patch(stackPath(this.stack), body);
        location.hash = this.href('stack', name, this.stack.id, 'topology');
        return;
      }
      const {stack} = await this.api.post('stacks',
        {stack_name: name, disable_rollback: true, ...this.body()});
      sessionStorage.removeItem(this.draft);
      location.hash = this.href('stack', name, stack.id, 'topology');
    } catch (error) {
      this.refused(error);
    }
  }

  async plan() {
    try {
      const {change_set: found} = await this.api.post(
        `${stackPath(this.stack)}/change_sets`, this.body());
      location.hash = this.href('plans', found.id, this.stack.stack_name,
        this.stack.id);
    } catch (error) {
      this.refused(error);
    }
  }

  refused(error) {
    message(error.message, 'error');
    if (error.status === 400) this.showProblems(problemsOf(error.message));
  }

  stop() {
    this.isStopped = true;
    // The next update begins with what the stack has by then.
    if (this.stack) sessionStorage.removeItem(this.draft);
    this.check.cancel();
    this.asked?.abort();
    this.graph.stop();
    this.code?.stop();
  }
}

/** Show the editor, for a new stack or for one that is updated. */
export function open(context) {
  const editor = new Editor(context);
  const start = () => editor.start().catch(
    (error) => show(context.root, problem(error, start)));
  show(context.root, nothing(''));
  start();
  return () => editor.stop();
}
