// What may be written at a place of a template, from the schemas of the
// service.
import {parseDocument} from '../vendor/editor.js';
import {enc} from './api.js';
import {isJson, readJson, writeName} from './json_place.js';

/** The words of each language; the first version is the default. */
const HOT = {
  versions: ['heat_template_version'],
  version: 'heat_template_version.2021-04-16',
  sections: ['heat_template_version', 'description', 'parameter_groups',
             'parameters', 'conditions', 'resources', 'outputs'],
  parameters: 'parameters', resources: 'resources', outputs: 'outputs',
  conditions: 'conditions', type: 'type', properties: 'properties',
  resource: ['type', 'properties', 'depends_on', 'condition', 'metadata',
             'deletion_policy', 'update_policy', 'external_id'],
  parameter: ['type', 'label', 'description', 'default', 'hidden',
              'constraints', 'immutable', 'tags'],
  output: ['value', 'description', 'condition'],
  types: ['string', 'number', 'comma_delimited_list', 'json', 'boolean'],
  pseudo: ['OS::stack_name', 'OS::stack_id', 'OS::project_id'],
  toParameters: /get_param:\s*\[?\s*['"]?[\w:]*$/,
  toResources: new RegExp('(get_resource|depends_on):\\s*\\[?' +
    '(\\s*\\w+,)*\\s*\\w*$|get_attr:\\s*\\[\\s*\\w*$'),
  toAttributes: /get_attr:\s*\[\s*([\w-]+),\s*\w*$/,
  toConditions: /condition:\s*\w*$/,
  dependsOn: 'depends_on', getAttribute: 'get_attr',
  refersTo: {get_param: ['parameters'], get_resource: ['resources'],
             get_attr: ['resources'], depends_on: ['resources'],
             condition: ['conditions'], if: ['conditions']},
};
const CFN = {
  versions: ['AWSTemplateFormatVersion', 'HeatTemplateFormatVersion'],
  version: 'AWSTemplateFormatVersion.2010-09-09',
  sections: ['AWSTemplateFormatVersion', 'Description', 'Parameters',
             'Mappings', 'Conditions', 'Resources', 'Outputs'],
  parameters: 'Parameters', resources: 'Resources', outputs: 'Outputs',
  conditions: 'Conditions', type: 'Type', properties: 'Properties',
  resource: ['Type', 'Properties', 'DependsOn', 'Condition', 'Metadata',
             'DeletionPolicy', 'UpdatePolicy'],
  parameter: ['Type', 'Description', 'Default', 'NoEcho', 'AllowedValues',
              'AllowedPattern', 'MinLength', 'MaxLength', 'MinValue',
              'MaxValue', 'ConstraintDescription'],
  output: ['Value', 'Description', 'Condition'],
  types: ['String', 'Number', 'CommaDelimitedList', 'Json'],
  pseudo: ['AWS::StackName', 'AWS::StackId', 'AWS::Region'],
  // A reference may be to either.
  toParameters: /\bRef:\s*['"]?[\w:]*$/,
  toResources: new RegExp('\\bRef:\\s*[\'"]?\\w*$|' +
    'DependsOn:\\s*\\[?(\\s*\\w+,)*\\s*\\w*$|' +
    'Fn::GetAtt:\\s*\\[\\s*\\w*$'),
  toAttributes: /Fn::GetAtt:\s*\[\s*(\w+),\s*\w*$/,
  toConditions: /Condition:\s*\w*$/,
  dependsOn: 'DependsOn', getAttribute: 'Fn::GetAtt',
  refersTo: {'Ref': ['parameters', 'resources'], 'Fn::GetAtt': ['resources'],
             'DependsOn': ['resources'], 'Condition': ['conditions'],
             'Fn::If': ['conditions']},
};

/** Return the words of the language that a template is in. */
const wordsOf = (template) =>
  (CFN.versions.some((each) => each in template) ? CFN : HOT);

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

/** The types of properties whose values have no quotes in JSON. */
const LITERAL = ['boolean', 'integer', 'number'];

/** Return the type of a resource or parameter, as far as it is written. */
const typeIn = (thing, words) => thing?.[words.type];

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
    const {versions, version} = wordsOf(template);
    const given = versions.find((each) => each in template);
    const value = template[given];
    const name = given ? `${given}.${value instanceof Date
      ? value.toISOString().slice(0, 10) : value}` : version;
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
    if (isJson(doc.toString())) return this.jsonSource(context);
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
    const words = wordsOf(template);
    const found = [];
    if (words.toParameters.test(before)) {
      found.push(...this.names('parameters', template));
    }
    if (words.toResources.test(before)) {
      found.push(...this.names('resources', template));
    }
    const attribute = before.match(words.toAttributes);
    if (attribute) return this.attributes(attribute[1], template);
    if (words.toConditions.test(before)) {
      return this.names('conditions', template);
    }
    return found.length ? found : null;
  }

  /** Return the names in a section: parameters, resources, conditions. */
  names(section, template) {
    const words = wordsOf(template);
    const things = template[words[section]] ?? {};
    const pseudo = section === 'parameters' ? words.pseudo : [];
    return [
      ...options(Object.keys(things),
        (name) => ({detail: typeIn(things[name], words)})),
      ...options(pseudo, () => ({detail: 'pseudo'}))];
  }

  /** Return the attributes of a resource of the template. */
  async attributes(name, template) {
    const words = wordsOf(template);
    const schema = await this.schema(
      typeIn(template[words.resources]?.[name], words) ?? '');
    return Object.entries(schema?.attributes ?? {}).map(
      ([label, each]) => ({label, info: each.description || undefined,
                           detail: each.type}));
  }

  async value(path, template) {
    const words = wordsOf(template);
    const [section, key] = [path[0], path.at(-1)];
    const isType = path.length === 3 && key === words.type;
    if (section === words.resources && isType) return this.types();
    if (section === words.parameters && isType) return options(words.types);
    if (path.length === 1 && words.versions.includes(key)) {
      const found = await this.api.once('template_versions');
      return options(found.template_versions.map((each) => each.version)
        .filter((each) => each.startsWith(`${key}.`)).map(
          (each) => each.slice(key.length + 1)).reverse());
    }
    const schema = await this.property(path, template);
    if (schema?.type === 'boolean') return options(['true', 'false']);
    const allowed = (schema?.constraints ?? []).find(
      (each) => each.allowed_values)?.allowed_values;
    return allowed ? options(allowed.map(String)) : null;
  }

  /** Return the schema of the property that a path leads to. */
  async property(path, template) {
    const words = wordsOf(template);
    if (path[0] !== words.resources || path[2] !== words.properties) {
      return null;
    }
    const schema = await this.schema(
      typeIn(template[words.resources]?.[path[1]], words) ?? '');
    let found = {schema: schema?.properties ?? {}};
    for (const name of path.slice(3)) {
      const inner = found.schema?.['*']?.schema ?? found.schema ?? {};
      found = inner[name];
      if (!found) return null;
    }
    return found;
  }

  async key(path, template) {
    const words = wordsOf(template);
    if (!path.length) {
      const isKnown = [HOT, CFN].some(
        ({versions}) => versions.some((each) => each in template));
      return options(isKnown ? words.sections
        : [...HOT.sections, ...CFN.sections], asKey);
    }
    const [section] = path;
    const within = {[words.resources]: words.resource,
                    [words.parameters]: words.parameter,
                    [words.outputs]: words.output}[section];
    if (within && path.length === 2) return options(within, asKey);
    if (section === words.resources && path[2] === words.properties) {
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
    return [words.outputs, words.conditions, words.resources].includes(section)
      ? this.functions(template) : null;
  }

  /** The source of completions of a template that is JSON. */
  async jsonSource(context) {
    const {value: template, place} = readJson(
      context.state.doc.toString(), context.pos);
    // Enter after a bracket begins a line; it accepts nothing.
    if (!place || (!context.explicit && !place.isQuoted &&
                   place.from === context.pos)) return null;
    const path = place.path.filter((each) => typeof each === 'string');
    const found = place.isKey ? await this.jsonKey(path, template)
      : await this.jsonReference(place, template) ??
        await this.value(path, template);
    if (!found?.length) return null;
    const schema = place.isKey ? null : await this.property(path, template);
    const how = {isKey: place.isKey,
                 isLiteral: LITERAL.includes(schema?.type)};
    return {
      from: place.from, validFor: /^[\w:.-]*$/,
      options: found.map((each) => ({...each,
        apply: (view, {label}, from, to) =>
          writeName(view, label, from, to, how)}))};
  }

  async jsonKey(path, template) {
    // Users choose the names of parameters, resources and the like.
    if (path.length === 1) return null;
    const words = wordsOf(template);
    const found = await this.key(path, template);
    const isValue = path[0] === words.resources && path.length > 3 &&
      path[2] === words.properties && found?.[0]?.detail !== 'function';
    return isValue ? [...found, ...await this.functions(template)] : found;
  }

  /** Return what the function at a place refers to, null if to nothing. */
  async jsonReference({path, list}, template) {
    const words = wordsOf(template);
    const isItem = typeof path.at(-1) === 'number';
    const index = isItem ? path.at(-1) : 0;
    const key = path.at(isItem ? -2 : -1);
    if (!Object.hasOwn(words.refersTo, key)) return null;
    if (key === words.getAttribute && index === 1) {
      return this.attributes(list[0], template);
    }
    if (index && key !== words.dependsOn) return null;
    return words.refersTo[key].flatMap(
      (section) => this.names(section, template));
  }
}
