// The frame of the pages, and which view an address shows.
import {Api, onLoggedOut, session} from './api.js';
import {h, show} from './dom.js';
import {choose, language, t} from './i18n.js';
import {message, messageRegion, problem, waiting} from './ui.js';

const VIEWS = {
  stacks: () => import('./views/stacks.js'),
  stack: () => import('./views/stack.js'),
  editor: () => import('./views/editor.js'),
  plans: () => import('./views/plans.js'),
  types: () => import('./views/types.js'),
  deployments: () => import('./views/deployments.js'),
  services: () => import('./views/services.js'),
};
/** The sections: view, name, and the policy rule that shows it. */
const NAVIGATION = [
  ['stacks', 'Stacks', 'stacks:index'],
  ['editor', 'Template editor', 'stacks:validate_template'],
  ['plans', 'Change sets', 'change_sets:index'],
  ['types', 'Resource types', 'stacks:list_resource_types'],
  ['deployments', 'Deployments', 'software_deployments:index'],
  ['services', 'Engines', 'service:index']];
const PROJECT = 'heat.project';
const THEME = 'heat.theme';
const EXPIRED = 'heat.expired';
const OWNER = 'heat.owner';
const THEMES = {system: 'light dark', light: 'light', dark: 'dark'};

const main = h('main', {id: 'main', tabindex: '-1'});
const navigation = h('nav', {'aria-label': t('Sections')});
const project = h('input', {
  type: 'text', size: '14', 'aria-label': t('Project'), spellcheck: 'false',
  autocomplete: 'off', on: {change: () => {
    const wanted = project.value.trim();
    if (wanted) location.hash = `#/${encodeURIComponent(wanted)}/stacks`;
  }}});
let close = null;
let api = null;
let who = null;

function themeSwitch() {
  const stored = localStorage.getItem(THEME);
  const apply = (name) => {
    document.documentElement.style.colorScheme = THEMES[name];
  };
  apply(stored in THEMES ? stored : 'system');
  return h('select', {
    'aria-label': t('Colours'), on: {change: (event) => {
      localStorage.setItem(THEME, event.target.value);
      apply(event.target.value);
    }}},
  [['system', t('System')], ['light', t('Light')], ['dark', t('Dark')]].map(
    ([name, label]) => h('option', {
      value: name, selected: name === stored}, label)));
}

function languageSwitch() {
  return h('select', {'aria-label': t('Language'),
                      on: {change: (event) => choose(event.target.value)}},
  [['en', 'English'], ['de', 'Deutsch']].map(([name, label]) => h('option', {
    value: name, selected: name === language}, label)));
}

async function logOut() {
  try {
    await session('DELETE');
  } catch (error) {
    message(error.message, 'error');
    return;
  }
  sessionStorage.clear();
  location.hash = '#/';
  location.reload();
}

/** Drop unsent texts of another user or project. */
function forgetOthers() {
  const owner = `${who.user}/${who.project_id}`;
  if (sessionStorage.getItem(OWNER) !== owner) sessionStorage.clear();
  sessionStorage.setItem(OWNER, owner);
}

function frame() {
  const identity = who.authentication === 'none'
    ? h('label', {class: 'project'}, h('span', null, t('Project')), project)
    : [h('span', {class: 'muted'}, `${who.user} · ${who.project_name}`),
       h('button', {type: 'button', class: 'quiet small',
                    on: {click: logOut}}, t('Log out'))];
  show(document.body,
    h('a', {class: 'skip', href: '#main', on: {click: (event) => {
      event.preventDefault();
      main.focus();
    }}}, t('Skip to content')),
    h('header', {class: 'bar'},
      h('a', {class: 'brand', href: '#/', 'aria-label': 'Heat'},
        h('img', {src: 'icon.svg', alt: '', width: 22, height: 22}), 'Heat'),
      navigation,
      h('div', {class: 'identity'}, identity, languageSwitch(),
        themeSwitch())),
    main, messageRegion);
}

/** Return {project, view, rest, query} of the address. */
function route() {
  const [path, query] = location.hash.replace(/^#\/?/, '').split('?');
  const parts = path.split('/').filter(Boolean).map(decodeURIComponent);
  return {project: parts[0], view: parts[1] ?? 'stacks',
          rest: parts.slice(2), query: new URLSearchParams(query ?? '')};
}

function showNavigation(current) {
  const prefix = `#/${encodeURIComponent(api.project)}`;
  show(navigation, NAVIGATION.filter(([, , rule]) => api.may(rule)).map(
    ([view, label]) => h('a', {
      href: `${prefix}/${view}`, 'aria-current': view === current ||
        (view === 'stacks' && current === 'stack') ? 'page' : null},
    t(label))));
}

let shown = '';

async function open() {
  const found = route();
  const wanted = who.project_id ?? found.project ??
    localStorage.getItem(PROJECT) ?? who.project ?? 'demo';
  if (found.project !== wanted || !(found.view in VIEWS)) {
    location.replace(`#/${encodeURIComponent(wanted)}/stacks`);
    return;
  }
  // A view that stays decides itself what a further part changes.
  const key = [wanted, found.view, ...found.rest.slice(0, 2)].join('/');
  if (key === shown && close?.moved) {
    close.moved(found);
    return;
  }
  shown = key;
  close?.();
  close = null;
  if (api?.project !== wanted) api = new Api(wanted);
  project.value = wanted;
  if (!who.project_id) localStorage.setItem(PROJECT, wanted);
  const root = h('div', {class: `view ${found.view}`}, waiting());
  show(main, root);
  const loading = VIEWS[found.view]();
  // Its failure is shown below; it may come before anybody waits for it.
  loading.catch(() => {});
  await api.learn();
  if (shown !== key) return;
  showNavigation(found.view);
  try {
    const view = await loading;
    if (shown !== key) return;
    close = view.open({root, api, route: found,
                       href: (...parts) => `#/${[wanted, ...parts].map(
                         encodeURIComponent).join('/')}`}) ?? null;
  } catch (error) {
    show(root, problem(error, () => location.reload()));
  }
}

async function start() {
  themeSwitch();
  show(document.body, main);
  try {
    who = await session();
  } catch (error) {
    show(main, problem(error, () => location.reload()));
    return;
  }
  if (who.authentication !== 'none' && !who.user) {
    const login = await import('./views/login.js');
    login.open({root: main, notice: sessionStorage.getItem(EXPIRED)
      ? t('The session has expired. Log in again.') : ''});
    sessionStorage.removeItem(EXPIRED);
    return;
  }
  onLoggedOut.listener = () => {
    if (who.authentication === 'none') return;
    onLoggedOut.listener = null;
    sessionStorage.setItem(EXPIRED, 'yes');
    location.reload();
  };
  if (who.authentication !== 'none') forgetOthers();
  frame();
  addEventListener('hashchange', open);
  await open();
}

start();
