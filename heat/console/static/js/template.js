// What a template says: which resource needs which other, and why.

const HOT = {get_resource: 'get_resource', get_attr: 'get_attr'};
const CFN = {'Ref': 'Ref', 'Fn::GetAtt': 'Fn::GetAtt'};

/** Return the sections of a template of either language. */
export function sectionsOf(template) {
  const isHot = 'heat_template_version' in (template ?? {});
  const resources = (isHot ? template.resources : template?.Resources) ?? {};
  return {
    isHot,
    resources: typeof resources === 'object' ? resources : {},
    parameters: (isHot ? template.parameters : template?.Parameters) ?? {},
  };
}

/** Yield [name, function, path] for each reference within a value. */
function* references(value, functions, path) {
  if (Array.isArray(value)) {
    for (const [i, each] of value.entries()) {
      yield* references(each, functions, `${path}[${i}]`);
    }
  } else if (value && typeof value === 'object') {
    for (const [key, each] of Object.entries(value)) {
      if (key in functions) {
        const name = Array.isArray(each) ? each[0]
          : String(each).split('.')[0];
        if (typeof name === 'string') yield [name, key, path, each];
      }
      yield* references(each, functions, path ? `${path}.${key}` : key);
    }
  }
}

const listOf = (value) =>
  (Array.isArray(value) ? value : value ? [value] : []);

/**
 * Return the edges of a template: a map from the name of a resource to a map
 * from what it needs to the reasons, such as
 * {kind: 'get_attr', path: 'properties.value', detail: 'store.value'}.
 */
export function needsOf(template) {
  const {isHot, resources} = sectionsOf(template);
  const functions = isHot ? HOT : CFN;
  const needs = new Map();
  for (const [name, resource] of Object.entries(resources)) {
    const own = new Map();
    const add = (other, reason) => {
      if (typeof other !== 'string' || !Object.hasOwn(resources, other) ||
          other === name) return;
      if (!own.has(other)) own.set(other, []);
      own.get(other).push(reason);
    };
    const explicit = isHot ? 'depends_on' : 'DependsOn';
    for (const other of listOf(resource?.[explicit])) {
      add(other, {kind: explicit, path: '', detail: ''});
    }
    for (const [other, kind, path, given] of
      references(resource ?? {}, functions, '')) {
      add(other, {kind, path, detail: Array.isArray(given)
        ? given.map((each) => (typeof each === 'object'
          ? '…' : each)).join('.') : String(given)});
    }
    needs.set(name, own);
  }
  return needs;
}

/** Return the type of a resource of a template. */
export function typeOf(resource) {
  return String(resource?.type ?? resource?.Type ?? '');
}

/** Return the graph of a template for the layout, with reasons of edges. */
export function graphOf(template) {
  const {resources} = sectionsOf(template);
  const reasons = needsOf(template);
  const edges = [];
  for (const [to, own] of reasons) {
    for (const from of own.keys()) edges.push([from, to]);
  }
  return {
    nodes: Object.entries(resources).map(([id, resource]) => ({
      id, name: id, type: typeOf(resource), status: null})),
    edges, reasons};
}

/** Return a reason of an edge as text. */
export function reasonText(reason) {
  const where = reason.path ? ` (${reason.path})` : '';
  return `${reason.kind}${reason.detail ? `: ${reason.detail}` : ''}${where}`;
}
