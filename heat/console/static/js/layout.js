// A layered layout of a dependency graph, groups within groups.
//
// What is needed stands left of what needs it. A layer with many nodes takes
// several columns, so that a thousand independent nodes make a block.

const GAP_X = 56;
const GAP_Y = 14;
const COLUMN_GAP = 18;
const PADDING = 14;
export const NODE = {width: 196, height: 46};
const HEADER = 46;

/** Return the layer of each node: the longest way from one without needs. */
export function layers(names, edges) {
  const needs = new Map(names.map((name) => [name, 0]));
  const next = new Map(names.map((name) => [name, []]));
  for (const [from, to] of edges) {
    if (!needs.has(from) || !needs.has(to) || from === to) continue;
    needs.set(to, needs.get(to) + 1);
    next.get(from).push(to);
  }
  const layer = new Map(names.map((name) => [name, 0]));
  const ready = names.filter((name) => needs.get(name) === 0);
  for (let i = 0; i < ready.length; i += 1) {
    for (const to of next.get(ready[i])) {
      layer.set(to, Math.max(layer.get(to), layer.get(ready[i]) + 1));
      needs.set(to, needs.get(to) - 1);
      if (needs.get(to) === 0) ready.push(to);
    }
  }
  return layer;
}

/** Return the names of each layer, ordered so that few edges cross. */
function ordered(names, edges) {
  const layer = layers(names, edges);
  const rows = [];
  for (const name of names) (rows[layer.get(name)] ??= []).push(name);
  const around = new Map(names.map((name) => [name, [[], []]]));
  for (const [from, to] of edges) {
    if (!around.has(from) || !around.has(to)) continue;
    around.get(from)[1].push(to);
    around.get(to)[0].push(from);
  }
  const place = new Map();
  const number = () => rows.forEach((row) => row.forEach((name, i) =>
    place.set(name, row.length > 1 ? i / (row.length - 1) : 0.5)));
  number();
  for (let sweep = 0; sweep < 6; sweep += 1) {
    const side = sweep % 2;
    for (const row of side ? rows.toReversed() : rows) {
      const wanted = new Map(row.map((name) => {
        const near = around.get(name)[side];
        const sum = near.reduce((total, each) => total + place.get(each), 0);
        return [name, near.length ? sum / near.length : place.get(name)];
      }));
      row.sort((a, b) => wanted.get(a) - wanted.get(b));
    }
    number();
  }
  return rows;
}

/** Place one layer in columns; return its width and height. */
function placeLayer(row, sizes, limit, x, placed) {
  let column = x;
  let y = 0;
  let width = 0;
  let height = 0;
  for (const name of row) {
    const size = sizes.get(name);
    if (y > 0 && y + size.height > limit) {
      column += width + COLUMN_GAP;
      y = 0;
      width = 0;
    }
    placed.set(name, {x: column, y, ...size});
    y += size.height + GAP_Y;
    width = Math.max(width, size.width);
    height = Math.max(height, y - GAP_Y);
  }
  return {width: column + width - x, height};
}

/**
 * Lay out a graph: {nodes: [{id, group?: graph}], edges: [[from, to]]}.
 *
 * Returns {width, height, places: Map of id to {x, y, width, height}}; the
 * places within groups are absolute, too.
 */
export function layout(graph) {
  const inner = new Map();
  const sizes = new Map();
  for (const node of graph.nodes) {
    if (!node.group) {
      sizes.set(node.id, NODE);
      continue;
    }
    const found = layout(node.group);
    inner.set(node.id, found);
    sizes.set(node.id, {
      width: Math.max(NODE.width, found.width + 2 * PADDING),
      height: found.height + HEADER + PADDING});
  }
  const names = graph.nodes.map((node) => node.id);
  const rows = ordered(names, graph.edges);
  const area = [...sizes.values()].reduce(
    (sum, size) => sum + (size.width + GAP_X) * (size.height + GAP_Y), 0);
  const limit = Math.max(520, Math.sqrt(area) * 0.75);
  const placed = new Map();
  const heights = [];
  let x = 0;
  for (const row of rows) {
    const {width, height} = placeLayer(row, sizes, limit, x, placed);
    heights.push(height);
    x += width + GAP_X;
  }
  const height = Math.max(0, ...heights);
  rows.forEach((row, i) => row.forEach((name) => {
    placed.get(name).y += (height - heights[i]) / 2;
  }));
  const places = new Map();
  for (const [name, place] of placed) {
    places.set(name, place);
    for (const [each, its] of inner.get(name)?.places ?? []) {
      places.set(each, {...its, x: its.x + place.x + PADDING,
                        y: its.y + place.y + HEADER});
    }
  }
  return {width: Math.max(0, x - GAP_X), height, places};
}
