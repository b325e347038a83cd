// Building the page. Whatever comes from the service is set as text, never
// as markup: nothing here parses HTML.

const SVG = 'http://www.w3.org/2000/svg';

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === 'on') {
      for (const [event, listener] of Object.entries(value)) {
        element.addEventListener(event, listener);
      }
    } else if (name === 'value') {
      element.value = value;
    } else if (name === 'checked' || name === 'disabled') {
      element[name] = true;
    } else {
      element.setAttribute(name, value === true ? '' : String(value));
    }
  }
  element.append(...children.flat(Infinity).filter(
    (each) => each !== null && each !== undefined && each !== false,
  ).map((each) => (each instanceof Node ? each : String(each))));
  return element;
}

/** Return an HTML element; `properties.on` holds its event listeners. */
export function h(tag, properties, ...children) {
  return fill(document.createElement(tag), properties, children);
}

/** Return an SVG element. */
export function s(tag, properties, ...children) {
  return fill(document.createElementNS(SVG, tag), properties, children);
}

/** Replace what an element holds. */
export function show(element, ...children) {
  element.replaceChildren();
  return fill(element, null, children);
}

/** Return a function that runs `action` once calls have paused. */
export function debounced(milliseconds, action) {
  let timer = null;
  const call = (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...given), milliseconds);
  };
  call.cancel = () => clearTimeout(timer);
  return call;
}

/** Return a function that runs `action` at most once in the time given. */
export function throttled(milliseconds, action) {
  let timer = null;
  const call = () => {
    timer ??= setTimeout(() => {
      timer = null;
      action();
    }, milliseconds);
  };
  call.cancel = () => clearTimeout(timer);
  return call;
}
