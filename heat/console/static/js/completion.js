// What may be written at a place of a HOT template, from the schemas of the
// service.
import {parseDocument} from '../vendor/editor.js';
import {enc} from './api.js';

const SECTIONS = ['heat_template_version', 'description', 'parameter_groups',
                  'parameters', 'conditions', 'resources', 'outputs'];
const RESOURCE = ['type', 'properties', 'depends_on', 'condition', 'metadata',
                  'deletion_policy', 'update_policy', 'external_id'];
const PARAMETER = ['type', 'label', 'description', 'default', 'hidden',
                   'constraints', 'immutable', 'tags'];
const OUTPUT = ['value', 'description', 'condition'];
const PARAMETER_TYPES = ['string', 'number', 'comma_delimited_list', 'json',
                         'boolean'];
const PSEUDO = ['OS::stack_name', 'OS::stack_id', 'OS::project_id'];
const DEFAULT_VERSION = 'heat_template_version.2021-04-16';

/** Return the keys above a line, by indentation: ['resources', 'web', ...]. */
export function pathAt(lines, row, column) {
  const path = [];
  let limit = column;
  for (let i = row; i >= 0 && limit > 0; i -= 1) {
    const line = i === row ? lines[i].slice(0, column) : lines[i];
    const found = line.match(/^(\s*)(- )?\s*([\w:"'.-]+)\s*:(\s|$)/);
    if (!found || line.trim().startsWith('#')) continue;
    const indent = found[1].length + (found[2]?.length ?? 0);
    if (i === row) {
      // The key on the line itself, when its value is being written.
      path.unshift(found[3]);
      limit = indent;
    } else if (indent < limit) {
      path.unshift(found[3]);
      limit = indent;
    }
  }
  return path;
}

const options = (names, extra = () => ({})) =>
  names.map((label) => ({label, ...extra(label)}));

const asKey = (label) => ({apply: `${label}: `});

export class Completion {
  constructor(api) {
    this.api = api;
  }

  /** Return the parsed template, as much of it as can be read. */
  parsed(text) {
    if (text !== this.lastText) {
      this.lastText = text;
      try {
        this.lastTemplate = parseDocument(text, {logLevel: 'silent'})
          .toJS({maxAliasCount: 50}) ?? {};
      } catch {
        this.lastTemplate = {};
      }
    }
    return typeof this.lastTemplate === 'object' ? this.lastTemplate : {};
  }

  async types() {
    const {resource_types: found} = await this.api.once('resource_types',
      {with_description: 'true'});
    return found.map((each) => ({
      label: each.resource_type, info: each.description || undefined}));
  }

  schema(type) {
    return this.api.once(`resource_types/${enc(type)}`).catch(() => null);
  }

  async functions(template) {
    const version = template.heat_template_version;
    const name = version ? `heat_template_version.${
      version instanceof Date ? version.toISOString().slice(0, 10) : version}`
      : DEFAULT_VERSION;
    const found = await this.api.once(
      `template_versions/${enc(name)}/functions`,
      {with_condition_func: 'true'}).catch(() => ({template_functions: []}));
    return found.template_functions.map((each) => ({
      label: each.functions, info: each.description || undefined,
      detail: 'function', ...asKey(each.functions)}));
  }

  /** The source of completions that the editor asks. */
  source = async (context) => {
    const {doc} = context.state;
    const line = doc.lineAt(context.pos);
    const before = line.text.slice(0, context.pos - line.from);
    const word = context.matchBefore(/[\w:.-]*$/);
    if (!word || (word.from === word.to && !context.explicit &&
                  !/[:[{,]\s*$/.test(before))) return null;
    const lines = doc.toString().split('\n');
    const found = await this.at(lines, line.number - 1, before,
      this.parsed(doc.toString()));
    if (!found?.length) return null;
    // After "key:" the word would begin with what the key ends with.
    const start = word.text.match(/^[\w.-]+:$/) ? word.to : word.from;
    return {from: start, options: found, validFor: /^[\w:.-]*$/};
  };

  /** Return the options at a place. */
  async at(lines, row, before, template) {
    const reference = await this.reference(before, template);
    if (reference) return reference;
    const isValue = /^\s*(- )?[\w:".-]+:\s+[^\s{[]*$/.test(before);
    const column = isValue ? before.length
      : before.search(/\S|$/) + (/^\s*- /.test(before) ? 2 : 0);
    const path = pathAt(lines, row, isValue ? before.length : column);
    if (isValue) return this.value(path, template);
    if (/[{]\s*[\w:]*$/.test(before)) return this.functions(template);
    return this.key(path, template);
  }

  /** Return what a function refers to: {get_param: ... and the like. */
  async reference(before, template) {
    const resources = Object.keys(template.resources ?? {});
    if (/get_param:\s*\[?\s*['"]?[\w:]*$/.test(before)) {
      return options([...Object.keys(template.parameters ?? {}), ...PSEUDO],
        (name) => ({detail: template.parameters?.[name]?.type ?? 'pseudo'}));
    }
    if (/(get_resource|depends_on):\s*\[?(\s*\w+,)*\s*\w*$/.test(before) ||
        /get_attr:\s*\[\s*\w*$/.test(before)) {
      return options(resources, (name) => ({
        detail: template.resources[name]?.type}));
    }
    const attribute = before.match(/get_attr:\s*\[\s*([\w-]+),\s*\w*$/);
    if (attribute) {
      const schema = await this.schema(
        template.resources?.[attribute[1]]?.type ?? '');
      return Object.entries(schema?.attributes ?? {}).map(
        ([label, each]) => ({label, info: each.description || undefined,
                             detail: each.type}));
    }
    if (/condition:\s*\w*$/.test(before)) {
      return options(Object.keys(template.conditions ?? {}));
    }
    return null;
  }

  async value(path, template) {
    const key = path.at(-1);
    if (path[0] === 'resources' && path.length === 3 && key === 'type') {
      return this.types();
    }
    if (path[0] === 'parameters' && path.length === 3 && key === 'type') {
      return options(PARAMETER_TYPES);
    }
    if (path.length === 1 && key === 'heat_template_version') {
      const found = await this.api.once('template_versions');
      return options(found.template_versions.filter(
        (each) => each.type === 'hot').map(
        (each) => each.version.split('.').slice(1).join('.')).reverse());
    }
    const schema = await this.property(path, template);
    if (schema?.type === 'boolean') return options(['true', 'false']);
    const allowed = (schema?.constraints ?? []).find(
      (each) => each.allowed_values)?.allowed_values;
    return allowed ? options(allowed.map(String)) : null;
  }

  /** Return the schema of the property that a path leads to. */
  async property(path, template) {
    if (path[0] !== 'resources' || path[2] !== 'properties') return null;
    const schema = await this.schema(
      template.resources?.[path[1]]?.type ?? '');
    let found = {schema: schema?.properties ?? {}};
    for (const name of path.slice(3)) {
      const inner = found.schema?.['*']?.schema ?? found.schema ?? {};
      found = inner[name];
      if (!found) return null;
    }
    return found;
  }

  async key(path, template) {
    if (!path.length) return options(SECTIONS, asKey);
    const [section] = path;
    if (section === 'resources' && path.length === 2) {
      return options(RESOURCE, asKey);
    }
    if (section === 'parameters' && path.length === 2) {
      return options(PARAMETER, asKey);
    }
    if (section === 'outputs' && path.length === 2) {
      return options(OUTPUT, asKey);
    }
    if (section === 'resources' && path[2] === 'properties') {
      const schema = await this.property(path, template);
      const inner = schema?.schema?.['*']?.schema ?? schema?.schema ?? {};
      const found = Object.entries(inner).filter(([name]) => name !== '*').map(
        ([label, each]) => ({
          label, ...asKey(label), boost: each.required ? 10 : 0,
          detail: `${each.type}${each.required ? ' *' : ''}`,
          info: each.description || undefined}));
      return found.length || path.length === 3 ? found
        : this.functions(template);
    }
    return section === 'outputs' || section === 'conditions' ||
      section === 'resources' ? this.functions(template) : null;
  }
}
