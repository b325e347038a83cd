// One stack: what failed first, then its parts in tabs.
import {enc, stackPath} from '../api.js';
import {h, show} from '../dom.js';
import {badge, copyButton, kindOf, timeElement} from '../format.js';
import {t} from '../i18n.js';
import {StackModel, definitionHref, pathOf, rootCause}
  from '../stack_model.js';
import {ask, attempt, problem, title, waiting} from '../ui.js';

/** The tabs: name, title, module, and the policy rule that shows it. */
const TABS = [
  ['topology', 'Topology', () => import('./topology.js')],
  ['resources', 'Resources', () => import('./resources.js')],
  ['events', 'Events', () => import('./events.js'), 'events:index'],
  ['timeline', 'Timeline', () => import('./timeline.js')],
  ['outputs', 'Outputs', () => import('./outputs.js')],
  ['template', 'Template', () => import('./stack_template.js'),
   'stacks:template'],
  ['changes', 'Change sets', () => import('./plans.js'),
   'change_sets:index'],
  ['drift', 'Drift', () => import('./drift.js'), 'drift:show'],
];

class Page {
  constructor(context) {
    Object.assign(this, context);
    [this.name, this.id] = this.route.rest;
    this.header = h('div', {class: 'stack-header'});
    this.failure = h('div', {class: 'failure-place'});
    this.tabs = h('nav', {class: 'tabs',
                          'aria-label': t('Parts of the stack')});
    this.content = h('div', {class: 'tab-content'});
    this.tab = null;
  }

  async start() {
    title(this.name);
    if (!this.id) await this.resolve();
    this.model = new StackModel(this.api, this.name, this.id);
    this.model.addEventListener('stack', () => this.showHeader());
    this.model.addEventListener('connection', () => this.showHeader());
    for (const name of ['resources', 'status', 'stack']) {
      this.model.addEventListener(name, () => this.showFailure());
    }
    this.model.addEventListener('gone', () => {
      this.isGone = true;
      this.showHeader();
    });
    await this.model.start();
    if (this.stopped) {
      this.model.stop();
      return;
    }
    show(this.root, this.header, this.failure, this.tabs, this.content);
    this.showFailure();
    await this.openTab(this.route);
  }

  async resolve() {
    const {stack} = await this.api.get(`stacks/${enc(this.name)}`);
    [this.name, this.id] = [stack.stack_name, stack.id];
  }

  showHeader() {
    const {stack} = this.model;
    if (!stack) return;
    const status = this.isGone ? 'DELETE_COMPLETE' : stack.stack_status;
    const key = JSON.stringify([stack, status, this.model.connection]);
    if (key === this.headerKey) return;
    this.headerKey = key;
    const parent = stack.parent;
    const connection = {live: t('live'), polling: t('every 2 s'), ended: '',
                        lost: t('connection lost, trying again')};
    show(this.header,
      h('div', {class: 'heading'},
        h('h1', null, stack.stack_name),
        h('span', {role: 'status'}, badge(status)),
        h('span', {class: `connection ${this.model.connection}`},
          connection[this.model.connection]),
        h('span', {class: 'grow'}), this.actions(stack)),
      h('p', {class: 'meta'},
        parent && h('a', {href: this.href('stack', parent, parent)},
          t('Parent stack')),
        h('span', null, t('created'), ' ', timeElement(stack.creation_time)),
        stack.updated_time &&
          h('span', null, t('changed'), ' ', timeElement(stack.updated_time)),
        stack.stack_owner && h('span', null, stack.stack_owner),
        (stack.tags ?? []).map((tag) => h('span', {class: 'tag'}, tag)),
        h('span', {class: 'mono'}, stack.id), copyButton(stack.id)),
      !['', 'No description'].includes(
        stack.template_description?.trim() ?? '') &&
        h('p', {class: 'description'}, stack.template_description));
  }

  actions(stack) {
    const path = stackPath(stack);
    const isBusy = kindOf(stack.stack_status) === 'busy';
    const post = (name) => () => attempt(async () => {
      await this.api.post(`${path}/actions`, {[name]: null});
      this.model.refreshStack();
    });
    const button = (label, action, kind = '') => h('button', {
      type: 'button', class: kind, on: {click: action}}, label);
    const menu = [
      [t('Check'), post('check'), 'actions:check', !isBusy],
      [t('Suspend'), post('suspend'), 'actions:suspend', !isBusy],
      [t('Resume'), post('resume'), 'actions:resume', !isBusy &&
        stack.stack_status.startsWith('SUSPEND')],
      [t('Cancel the update'), post('cancel_update'), 'actions:cancel_update',
       stack.stack_status === 'UPDATE_IN_PROGRESS'],
      [t('Delete'), () => this.remove(stack), 'stacks:delete', true],
    ].filter(([, , rule, isOffered]) => isOffered && this.api.may(rule));
    return [
      this.api.mayUpdate() && h('a', {
        class: 'button', href: `${this.href('editor')}?stack=${
          enc(stack.stack_name)}&id=${stack.id}`}, t('Update')),
      menu.length > 0 && h('details', {class: 'menu', on: {
        keydown: (event) => {
          if (event.key === 'Escape') event.currentTarget.open = false;
        },
        click: (event) => {
          if (event.target.tagName === 'BUTTON') {
            event.currentTarget.open = false;
          }
        }}},
      h('summary', {class: 'button'}, t('Actions')),
      h('div', {class: 'menu-items'}, menu.map(
        ([label, action]) => button(label, action, 'quiet'))))];
  }

  async remove(stack) {
    const answer = await ask({
      title: t('Delete {name}?', {name: stack.stack_name}),
      body: h('p', null, t('All its resources are deleted, too.')),
      action: t('Delete'), danger: true});
    if (answer) {
      await attempt(async () => {
        await this.api.delete(stackPath(stack));
        this.model.refreshStack();
      });
    }
  }

  /** Show what a failure began with, above all else. */
  showFailure() {
    const {stack} = this.model;
    const status = stack?.stack_status ?? '';
    if (kindOf(status) !== 'failed') {
      this.failureKey = null;
      show(this.failure);
      return;
    }
    const cause = rootCause([...this.model.resources.values()],
      this.model.events);
    const key = JSON.stringify([status, stack.stack_status_reason, cause]);
    if (key === this.failureKey) return;
    this.failureKey = key;
    show(this.failure, h('section', {
      class: 'panel failure', 'aria-label': t('Root cause')},
    h('div', {class: 'failure-text'},
      h('h2', null, cause ? t('{name} failed',
        {name: pathOf(cause, this.model.holders())})
        : t('The stack failed')),
      cause && h('p', {class: 'meta'},
        h('span', null, cause.type), badge(cause.status),
        cause.stack && cause.stack.id !== this.id &&
          h('span', null, t('in the nested stack'), ' ',
            h('a', {href: this.href('stack', cause.stack.name,
              cause.stack.id)}, cause.stack.name))),
      h('pre', {class: 'reason'}, cause?.reason ||
        stack.stack_status_reason)),
    h('div', {class: 'buttons'}, this.remedies(status, cause))));
  }

  remedies(status, cause) {
    const path = this.model.path;
    const act = (body) => () => attempt(async () => {
      await this.api.post(`${path}/actions`, body);
      this.model.refreshStack();
    }, t('Begun'));
    const button = (label, action, kind = '') => h('button', {
      type: 'button', class: kind, on: {click: action}}, label);
    const found = [];
    const place = [this.name, this.id];
    const may = (rule) => this.api.may(rule);
    if (status === 'ROLLBACK_FAILED' && may('actions:continue_rollback')) {
      found.push(button(t('Continue the rollback'),
        act({continue_rollback: null}), 'primary'));
      if (cause && cause.stack?.id === this.id) {
        found.push(button(t('Continue without {name}', {name: cause.name}),
          act({continue_rollback: {skip: [cause.name]}})));
      }
    } else if (status === 'DELETE_FAILED' && may('stacks:delete')) {
      found.push(button(t('Delete again'), () => attempt(
        () => this.api.delete(path), t('Begun')), 'primary'));
    } else if (/^(CREATE|UPDATE)_/.test(status)) {
      if (may('actions:retry')) {
        found.push(button(t('Retry'), act({retry: null}), 'primary'));
      }
      if (status === 'UPDATE_FAILED' && may('actions:continue_rollback')) {
        found.push(button(t('Roll back'), act({continue_rollback: null})));
      }
    }
    if (cause?.stack && may('stacks:template')) {
      found.push(this.definitionLink(cause));
    }
    if (cause) {
      found.push(h('a', {class: 'button', href: `${
        this.href('stack', ...place, 'topology')}?${
        new URLSearchParams({resource: cause.key})}`},
      t('Show in the graph')));
    }
    return found;
  }

  /** Return a link to the definition of a resource; its line follows. */
  definitionLink(resource) {
    const link = h('a', {
      class: 'button', href: definitionHref(this.href, resource)},
    t('Show in the template'));
    const find = async () => {
      const [template, {lineOf, templateText}] = await Promise.all([
        this.model.template(resource.stack), import('./stack_template.js')]);
      const line = lineOf(templateText(template), resource.name);
      if (line) link.append(`, ${t('line {line}', {line})}`);
    };
    // Without the template the link says less.
    find().catch(() => {});
    return link;
  }

  async openTab(route) {
    this.route = route;
    const wanted = TABS.find(([name]) => name === route.rest[2]) ?? TABS[0];
    const offered = TABS.filter(([, , , rule]) => !rule ||
                                                  this.api.may(rule));
    show(this.tabs, offered.map(([name, label]) => h('a', {
      href: this.href('stack', this.name, this.id, name),
      'aria-current': name === wanted[0] ? 'page' : null}, t(label))));
    this.closeTab?.();
    this.closeTab = null;
    this.tab = wanted[0];
    const root = h('div', {class: `tab ${wanted[0]}`}, waiting());
    show(this.content, root);
    try {
      const module = await wanted[2]();
      if (this.tab !== wanted[0] || this.stopped) return;
      this.closeTab = module.openTab({
        root, api: this.api, model: this.model, href: this.href, route});
    } catch (error) {
      show(root, problem(error, () => this.openTab(route)));
    }
  }

  stop() {
    this.stopped = true;
    this.closeTab?.();
    this.model?.stop();
  }
}

/** Show a stack. */
export function open(context) {
  const page = new Page(context);
  const start = () => page.start().catch(
    (error) => show(context.root, problem(error, start)));
  start();
  const close = () => page.stop();
  close.moved = (route) => page.openTab(route);
  return close;
}
