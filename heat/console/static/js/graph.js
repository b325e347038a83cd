// A dependency graph as a drawing: zoom, search, keys, levels of detail.
import {h, s, show} from './dom.js';
import {GLYPHS, kindOf} from './format.js';
import {t} from './i18n.js';
import {layout} from './layout.js';

const MARGIN = 32;
const SCALES = [0.04, 2.5];
const NAME_LENGTH = 22;
const TYPE_LENGTH = 27;

const clipped = (text, length) =>
  (text.length > length ? `${text.slice(0, length - 1)}…` : text);

/** Return the edges of a graph and of the groups within it. */
function allEdges(graph) {
  return [...graph.edges, ...graph.nodes.flatMap(
    (node) => (node.group ? allEdges(node.group) : []))];
}

/** Return the nodes of a graph and of the groups within it. */
export function allNodes(graph) {
  return graph.nodes.flatMap(
    (node) => [node, ...(node.group ? allNodes(node.group) : [])]);
}

function curve(from, to) {
  const x1 = from.x + from.width;
  const y1 = from.y + (from.isGroup ? 23 : from.height / 2);
  const x2 = to.x;
  const y2 = to.y + (to.isGroup ? 23 : to.height / 2);
  const bend = Math.max(24, Math.abs(x2 - x1) / 2);
  return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
}

export class GraphView {
  /**
   * `onSelect(id)` is called when a node is chosen (null for none),
   * `onToggle(id)` when one with a stack inside is to fold or unfold.
   */
  constructor({onSelect, onToggle = null, label}) {
    Object.assign(this, {onSelect, onToggle});
    this.view = {x: 0, y: 0, scale: 1};
    this.nodes = new Map();
    this.boxes = new Map();
    this.places = new Map();
    this.current = null;
    this.edgeLayer = s('g', {class: 'edges', 'aria-hidden': 'true'});
    this.nodeLayer = s('g', {class: 'nodes'});
    // Boxes with a stack inside lie below the edges.
    this.groupLayer = s('g', {class: 'groups'});
    this.canvas = s('g', null, this.groupLayer, this.edgeLayer,
      this.nodeLayer);
    this.svg = s('svg', {class: 'graph', role: 'group', 'aria-label': label},
      s('defs', null, s('marker', {
        id: 'arrow', viewBox: '0 0 8 8', refX: '7', refY: '4',
        markerWidth: '6', markerHeight: '6', orient: 'auto'},
      s('path', {d: 'M0 0L8 4L0 8z', class: 'arrow'}))),
      this.canvas);
    this.count = h('span', {class: 'muted', role: 'status'});
    this.search = h('input', {
      type: 'search', placeholder: t('Find a resource'),
      'aria-label': t('Find a resource'), on: {
        input: () => this.find(this.search.value),
        keydown: (event) => {
          if (event.key === 'Enter') this.nextFound();
        }}});
    const button = (text, name, action) => h('button', {
      type: 'button', class: 'quiet small', 'aria-label': name, title: name,
      on: {click: action}}, text);
    this.tools = h('div', {class: 'graph-tools'}, this.search, this.count,
      h('span', {class: 'grow'}),
      button('−', t('Zoom out'), () => this.zoom(1 / 1.3)),
      button('+', t('Zoom in'), () => this.zoom(1.3)),
      button(t('Fit'), t('Fit'), () => this.fit()));
    this.element = h('div', {class: 'graph-box'}, this.tools, this.svg);
    this.listen();
  }

  listen() {
    this.svg.addEventListener('wheel', (event) => {
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY * 0.0015), event);
    }, {passive: false});
    this.svg.addEventListener('pointerdown', (event) => this.drag(event));
    this.svg.addEventListener('click', (event) => this.click(event));
    this.svg.addEventListener('keydown', (event) => this.key(event));
    this.svg.addEventListener('focusin', (event) => {
      const id = event.target.closest?.('.node')?.dataset.id;
      if (id && event.target.matches(':focus-visible')) this.reveal(id);
    });
    this.observer = new ResizeObserver(() => {
      if (!this.wasFitted && this.svg.clientWidth) this.fit();
    });
    this.observer.observe(this.svg);
  }

  drag(event) {
    if (event.button !== 0) return;
    const start = {x: event.clientX, y: event.clientY, ...this.origin()};
    this.moved = false;
    const move = (each) => {
      const [dx, dy] = [each.clientX - start.x, each.clientY - start.y];
      if (Math.abs(dx) + Math.abs(dy) > 4) this.moved = true;
      this.view.x = start.left + dx;
      this.view.y = start.top + dy;
      this.transform();
    };
    const end = () => {
      removeEventListener('pointermove', move);
      removeEventListener('pointerup', end);
    };
    addEventListener('pointermove', move);
    addEventListener('pointerup', end);
  }

  origin() {
    return {left: this.view.x, top: this.view.y};
  }

  click(event) {
    if (this.moved) return;
    const node = event.target.closest('.node');
    if (!node) {
      this.select(null);
    } else if (event.target.closest('.fold')) {
      this.onToggle?.(node.dataset.id);
    } else {
      this.select(node.dataset.id);
    }
  }

  key(event) {
    const id = event.target.closest?.('.node')?.dataset.id;
    if (!id) return;
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      this.select(id);
    } else if (event.key === 'Escape') {
      this.select(null);
    } else if ((event.key === '+' || event.key === '-') && this.onToggle) {
      this.onToggle(id);
    } else if (event.key.startsWith('Arrow')) {
      event.preventDefault();
      this.step(id, event.key.slice(5));
    }
  }

  /** Move the focus to the nearest node in a direction. */
  step(id, direction) {
    const here = this.places.get(id);
    const [dx, dy] = {Left: [-1, 0], Right: [1, 0], Up: [0, -1],
                      Down: [0, 1]}[direction];
    let best = null;
    for (const [other, place] of this.places) {
      if (other === id) continue;
      const x = place.x - here.x;
      const y = place.y - here.y;
      const along = dx * x + dy * y;
      if (along <= 0) continue;
      const cost = along + 3 * Math.abs(dx ? y : x);
      if (!best || cost < best.cost) best = {other, cost};
    }
    if (best) this.focus(best.other);
  }

  focus(id) {
    const box = this.boxes.get(id);
    if (!box) return;
    this.canvas.querySelector('[tabindex="0"]')
      ?.setAttribute('tabindex', '-1');
    box.setAttribute('tabindex', '0');
    box.focus();
    this.reveal(id);
  }

  /** Show a graph: the form of the layout, with name, type and status. */
  setGraph(graph) {
    const found = layout(graph);
    this.size = found;
    this.places = found.places;
    const nodes = allNodes(graph);
    this.nodes = new Map(nodes.map((node) => [node.id, node]));
    for (const node of nodes) {
      this.places.get(node.id).isGroup = Boolean(node.group);
    }
    this.edges = allEdges(graph);
    show(this.edgeLayer, this.edges.map(([from, to]) => {
      const [a, b] = [this.places.get(from), this.places.get(to)];
      return a && b && s('path', {
        d: curve(a, b), class: 'edge', 'data-from': from, 'data-to': to,
        'marker-end': 'url(#arrow)'});
    }));
    this.boxes.clear();
    const focused = document.activeElement?.closest?.('.node')?.dataset.id;
    const boxes = nodes.map((node, i) => this.box(node, i === 0));
    show(this.groupLayer, boxes.filter((box, i) => nodes[i].group));
    show(this.nodeLayer, boxes.filter((box, i) => !nodes[i].group));
    if (!this.wasFitted && this.svg.clientWidth) this.fit();
    else this.transform();
    if (focused) this.boxes.get(focused)?.focus();
    this.mark();
    this.find(this.search.value);
  }

  box(node, isFirst) {
    const place = this.places.get(node.id);
    const kind = kindOf(node.status);
    const own = s('g', {
      class: `node ${node.status === null ? 'plain' : kind}${
        node.group ? ' group' : ''}`,
      transform: `translate(${place.x} ${place.y})`, 'data-id': node.id,
      'data-name': node.name, role: 'button',
      tabindex: isFirst ? '0' : '-1'},
    s('title', null, this.describe(node)),
    s('rect', {class: 'body', width: place.width, height: place.height,
               rx: 7}),
    s('rect', {class: 'stripe', x: 7, y: 9, width: 3.5, height: 28,
               rx: 1.75}),
    s('text', {class: 'name', x: 19, y: 19, 'aria-hidden': 'true'},
    clipped(node.name, NAME_LENGTH)),
    s('text', {class: 'type', x: 19, y: 36, 'aria-hidden': 'true'},
    clipped(node.type, TYPE_LENGTH)),
    node.status !== null && s('text', {
      class: 'sign', 'aria-hidden': 'true', y: 20,
      x: (node.canUnfold ? 156 : 178)}, GLYPHS[kind]),
    node.canUnfold && s('g', {class: 'fold', 'aria-hidden': 'true',
                              transform: 'translate(170 6)'},
    s('rect', {width: 20, height: 18, rx: 4}),
    s('text', {x: 10, y: 13.5}, node.group ? '−' : '+')));
    this.boxes.set(node.id, own);
    return own;
  }

  describe(node) {
    return [node.name, node.type, node.status?.replaceAll('_', ' '),
            node.canUnfold && (node.group ? t('unfolded') : t('folded'))]
      .filter(Boolean).join(', ');
  }

  /** Change the colour and sign of a node. */
  setStatus(id, status) {
    const node = this.nodes.get(id);
    const box = this.boxes.get(id);
    if (!node || node.status === status) return;
    node.status = status;
    const kind = kindOf(status);
    const classes = [...box.classList].filter(
      (each) => !(each in GLYPHS));
    box.setAttribute('class', [...classes, kind].join(' '));
    box.querySelector('.sign').textContent = GLYPHS[kind];
    box.querySelector('title').textContent = this.describe(node);
  }

  select(id, {quietly = false} = {}) {
    this.current = this.nodes.has(id) ? id : null;
    this.mark();
    if (!quietly) this.onSelect(this.current);
  }

  /** Emphasise the selected node and its edges. */
  mark() {
    for (const each of this.svg.querySelectorAll('.is-selected, .is-near')) {
      each.classList.remove('is-selected', 'is-near');
    }
    this.svg.classList.toggle('has-selection', this.current !== null);
    if (this.current === null) return;
    this.boxes.get(this.current)?.classList.add('is-selected');
    for (const edge of this.edgeLayer.children) {
      const {from, to} = edge.dataset;
      if (from !== this.current && to !== this.current) continue;
      edge.classList.add('is-near');
      this.boxes.get(from === this.current ? to : from)
        ?.classList.add('is-near');
    }
  }

  find(text) {
    const wanted = text.trim().toLowerCase();
    this.found = [];
    for (const [id, node] of this.nodes) {
      const isHit = wanted && `${node.name} ${node.type} ${node.status ?? ''}`
        .toLowerCase().includes(wanted);
      this.boxes.get(id).classList.toggle('is-hit', Boolean(isHit));
      if (isHit) this.found.push(id);
    }
    this.svg.classList.toggle('has-search', Boolean(wanted));
    this.count.textContent = wanted
      ? t('{count} found', {count: this.found.length}) : '';
    this.at = -1;
  }

  nextFound() {
    if (!this.found.length) return;
    this.at = (this.at + 1) % this.found.length;
    this.goTo(this.found[this.at]);
  }

  /** Zoom to a node and select it. */
  goTo(id) {
    const place = this.places.get(id);
    if (!place) return;
    this.view.scale = Math.max(this.view.scale, 0.9);
    this.centre(place);
    this.select(id);
  }

  centre(place) {
    const {scale} = this.view;
    this.view.x = this.svg.clientWidth / 2 -
      (place.x + Math.min(place.width, 196) / 2) * scale;
    this.view.y = this.svg.clientHeight / 2 - (place.y + 23) * scale;
    this.transform();
  }

  /** Move the drawing if a node is out of sight. */
  reveal(id) {
    const place = this.places.get(id);
    const {x, y, scale} = this.view;
    const [left, top] = [place.x * scale + x, place.y * scale + y];
    if (left < 0 || top < 0 || left + 60 > this.svg.clientWidth ||
        top + 30 > this.svg.clientHeight) this.centre(place);
  }

  zoom(factor, event = null) {
    const {x, y, scale} = this.view;
    const box = this.svg.getBoundingClientRect();
    const px = event ? event.clientX - box.left : box.width / 2;
    const py = event ? event.clientY - box.top : box.height / 2;
    const next = Math.min(SCALES[1], Math.max(SCALES[0], scale * factor));
    this.view = {scale: next, x: px - (px - x) * next / scale,
                 y: py - (py - y) * next / scale};
    this.transform();
  }

  fit() {
    const {clientWidth: width, clientHeight: height} = this.svg;
    if (!this.size || !width) return;
    this.wasFitted = true;
    const scale = Math.min(1.15, (width - 2 * MARGIN) / (this.size.width || 1),
      (height - 2 * MARGIN) / (this.size.height || 1));
    const fitted = Math.max(SCALES[0], scale);
    this.view = {scale: fitted,
                 x: (width - this.size.width * fitted) / 2,
                 y: (height - this.size.height * fitted) / 2};
    this.transform();
  }

  transform() {
    const {x, y, scale} = this.view;
    this.canvas.setAttribute('transform',
      `translate(${x.toFixed(1)} ${y.toFixed(1)}) scale(${scale.toFixed(4)})`);
    // Text that nobody could read is not drawn.
    this.svg.classList.toggle('is-far', scale < 0.55);
    this.svg.classList.toggle('is-very-far', scale < 0.3);
  }

  stop() {
    this.observer.disconnect();
  }
}
