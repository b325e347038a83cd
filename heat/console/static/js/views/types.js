// The resource types of the service, with their documentation.
import {stringify} from '../../vendor/editor.js';
import {enc} from '../api.js';
import {debounced, h, show} from '../dom.js';
import {copyButton, number, valueText} from '../format.js';
import {t} from '../i18n.js';
import {load, nothing, problem, table, title, waiting} from '../ui.js';

function constraintText(constraint) {
  const {description, ...rest} = constraint;
  return description ?? Object.entries(rest).map(([name, value]) =>
    `${name}: ${typeof value === 'object' ? JSON.stringify(value)
      .replaceAll('"', '') : value}`).join(', ');
}

/** Return rows for properties and for those within them. */
function rows(properties, prefix = '', depth = 0) {
  return Object.entries(properties ?? {}).flatMap(([name, each]) => {
    const own = `${prefix}${name === '*' ? '[]' : name}`;
    const row = h('tr', null,
      h('td', {class: 'mono'}, own, each.required &&
        h('strong', {class: 'needed', title: t('required')}, ' *')),
      h('td', null, each.type),
      h('td', null, each.description ?? '',
        (each.constraints ?? []).map((one) => h('div', {class: 'muted small'},
          constraintText(one))),
        each.default !== undefined && h('div', {class: 'muted small'},
          t('default: {value}', {value: valueText(each.default)}))),
      h('td', null, each.update_allowed ? t('in place')
        : each.immutable ? t('never') : t('by replacement')));
    const inner = each.schema && depth < 6
      ? rows(each.schema, `${own}.`, depth + 1) : [];
    return name === '*' ? inner : [row, ...inner];
  });
}

/** Return an example with the properties that are required. */
function example(type, properties) {
  const value = (each) => {
    if (each.default !== undefined) return each.default;
    const allowed = each.constraints?.find(
      (one) => one.allowed_values)?.allowed_values;
    if (allowed) return allowed[0];
    return {string: '…', number: 1, integer: 1, boolean: true, list: [],
            map: {}}[each.type] ?? '…';
  };
  const needed = Object.entries(properties ?? {}).filter(
    ([, each]) => each.required);
  const own = {type};
  if (needed.length) {
    own.properties = Object.fromEntries(
      needed.map(([name, each]) => [name, value(each)]));
  }
  return stringify({resources: {my_resource: own}});
}

async function detail(root, api, type) {
  show(root, waiting());
  try {
    const found = await api.once(`resource_types/${enc(type)}`,
      {with_description: 'true'});
    const attributes = Object.entries(found.attributes ?? {});
    const text = example(type, found.properties);
    const {support_status: support} = found;
    show(root, h('h2', null, type),
      found.description && h('p', null, found.description),
      support && support.status !== 'SUPPORTED' && h('p', {class: 'reason'},
        `${support.status} ${support.version ?? ''} ${
          support.message ?? ''}`),
      h('div', {class: 'heading'}, h('h3', null, t('Example')),
        h('span', {class: 'grow'}), copyButton(text)),
      h('pre', {class: 'value', tabindex: '0'}, text),
      h('h3', null, t('Properties')),
      Object.keys(found.properties ?? {}).length
        ? table(t('Properties'), [t('Name'), t('Type'), t('Description'),
                                  t('Updated')], rows(found.properties))
        : nothing(t('None.')),
      h('h3', null, t('Attributes')),
      attributes.length ? table(t('Attributes'),
        [t('Name'), t('Type'), t('Description')],
        attributes.map(([name, each]) => h('tr', null,
          h('td', {class: 'mono'}, name), h('td', null, each.type ?? ''),
          h('td', null, each.description ?? '')))) : nothing(t('None.')));
  } catch (error) {
    show(root, problem(error, () => detail(root, api, type)));
  }
}

/** Show the resource types. */
export function open({root, api, href, route}) {
  const list = h('ul', {class: 'type-list'});
  const place = h('article', {class: 'type-detail', tabindex: '-1'});
  const count = h('span', {class: 'muted', role: 'status'});
  const search = h('input', {
    type: 'search', placeholder: t('Find a resource type'),
    'aria-label': t('Find a resource type'),
    on: {input: debounced(60, () => draw())}});
  let types = [];
  let current = route.rest[0];

  function draw() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = types.filter((each) => words.every((word) =>
      `${each.resource_type} ${each.description ?? ''}`.toLowerCase()
        .includes(word)));
    count.textContent = number.format(found.length);
    show(list, found.map((each) => h('li', null, h('a', {
      href: href('types', each.resource_type),
      'aria-current': each.resource_type === current ? 'true' : null},
    h('strong', null, each.resource_type),
    h('span', {class: 'muted'}, each.description ?? '')))));
    list.querySelector('[aria-current]')?.scrollIntoView({block: 'nearest'});
  }

  function choose(type) {
    current = type;
    title(type ?? t('Resource types'));
    if (type) detail(place, api, type);
    else show(place, nothing(t('Choose a resource type.')));
  }

  const body = h('div', {class: 'types-split'}, list, place);
  show(root, h('div', {class: 'heading'}, h('h1', null, t('Resource types')),
    count, h('span', {class: 'grow'}), search), body);
  choose(current);
  api.once('resource_types', {with_description: 'true'}).then((found) => {
    types = found.resource_types;
    draw();
  }, (error) => load(list, () => Promise.reject(error), () => null));
  const close = () => {};
  return close;
}
