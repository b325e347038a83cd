// The form of a template's parameters, as POST /validate describes them.
import {h, show} from './dom.js';
import {t} from './i18n.js';
import {field} from './ui.js';

/** Return the limits of a parameter as text. */
function limits(parameter) {
  const found = [];
  const between = (least, most, unit) => {
    if (least === undefined && most === undefined) return;
    found.push(`${least ?? '…'} – ${most ?? '…'}${unit}`);
  };
  between(parameter.MinLength, parameter.MaxLength, ` ${t('characters')}`);
  between(parameter.MinValue, parameter.MaxValue, '');
  if (parameter.AllowedPattern) found.push(parameter.AllowedPattern);
  if (parameter.CustomConstraint) found.push(parameter.CustomConstraint);
  return found.join(', ');
}

const asText = (value) => (value === undefined || value === null ? ''
  : typeof value === 'object' ? JSON.stringify(value) : String(value));

export class ParameterForm {
  constructor(onChange) {
    this.onChange = onChange;
    this.values = {};
    this.given = {};
    this.element = h('form', {class: 'parameters', on: {
      submit: (event) => event.preventDefault()}});
    this.key = null;
    this.draw({});
  }

  /** Take over the parameters and groups that a template declares. */
  setSchema(parameters, groups = []) {
    const key = JSON.stringify([parameters, groups], (name, value) => (
      name === 'Value' ? undefined : value));
    if (key === this.key) return;
    this.key = key;
    this.parameters = parameters;
    this.draw(parameters, groups);
  }

  draw(parameters, groups = []) {
    const names = Object.keys(parameters);
    if (!names.length) {
      show(this.element, h('p', {class: 'nothing'},
        t('The template declares no parameters.')));
      return;
    }
    const grouped = new Set(groups.flatMap((each) => each.parameters ?? []));
    const rest = names.filter((name) => !grouped.has(name));
    const fields = (list) => list.filter((name) => parameters[name]).map(
      (name) => this.field(name, parameters[name]));
    show(this.element, groups.map((group) => h('fieldset', null,
      h('legend', null, group.label || t('Parameters')),
      group.description && h('p', {class: 'muted'}, group.description),
      fields(group.parameters ?? []))), fields(rest));
  }

  field(name, parameter) {
    const change = (value) => {
      if (value === '') delete this.values[name];
      else this.values[name] = value;
      this.onChange();
    };
    const hint = [parameter.Description, limits(parameter)]
      .filter(Boolean).join(' · ');
    const label = `${parameter.Label ?? name}${
      parameter.Default === undefined && !(name in this.given) ? ' *' : ''}`;
    return field(label, this.control(name, parameter, change), hint || null);
  }

  control(name, parameter, change) {
    const isGiven = name in this.given;
    const initial = asText(isGiven ? this.given[name] : parameter.Default);
    const current = name in this.values ? this.values[name] : '';
    const isHidden = parameter.NoEcho === 'true' || parameter.NoEcho === true;
    const choices = parameter.AllowedValues ??
      (parameter.Type === 'Boolean' ? ['true', 'false'] : null);
    const common = {name, autocomplete: 'off', spellcheck: 'false'};
    if (choices) {
      return h('select', {...common, on: {
        change: (event) => change(event.target.value)}},
      h('option', {value: ''},
        !initial ? '' : t(isGiven ? 'as it is: {value}'
          : 'default: {value}', {value: choices.find((each) =>
          String(each).toLowerCase() === initial.toLowerCase()) ??
          initial})),
      choices.map((each) => h('option', {
        value: String(each), selected: String(each) === current},
      String(each))));
    }
    if (parameter.Type === 'Json') {
      return h('textarea', {...common, rows: 4, placeholder: initial,
                            value: current, on: {
        input: (event) => change(event.target.value)}});
    }
    return h('input', {
      ...common,
      type: isHidden ? 'password' : parameter.Type === 'Number' ? 'number'
        : 'text',
      ...(parameter.Type === 'Number' ? {step: 'any', min: parameter.MinValue,
                                         max: parameter.MaxValue} : {}),
      placeholder: isHidden && initial ? '••••' : initial, value: current,
      on: {input: (event) => change(event.target.value)}});
  }
}
