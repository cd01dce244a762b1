// Elements from texts: nothing that comes from a file or a person becomes markup here.

const SVG = 'http://www.w3.org/2000/svg';

function filled(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, '');
    else if (value !== false && value != null) made.setAttribute(name, value);
  }
  made.append(...children.flat().filter((one) => one != null && one !== ''));
  return made;
}

/** Return an element of HTML. */
export const html = (name, attributes = {}, ...children) => filled(document.createElement(name), attributes, children);

/** Return an element of SVG. */
export const svg = (name, attributes = {}, ...children) => filled(document.createElementNS(SVG, name), attributes, children);

/** Return the element with an id. */
export const by = (id) => document.getElementById(id);

/** Return a number with three digits, as reports write it. */
export function figure(number) {
  if (!Number.isFinite(number)) return '-';
  const size = Math.abs(number);
  if (size >= 1000) return Math.round(number).toLocaleString('en');
  return number.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 || size === 0 ? 2 : 3);
}

/** Return a time in ns for people. */
export function time(ns) {
  for (const [unit, size] of [['h', 3.6e12], ['min', 6e10], ['s', 1e9], ['ms', 1e6], ['us', 1e3]]) {
    if (ns >= size * (unit === 'h' || unit === 'min' ? 2 : 1)) return `${figure(ns / size)} ${unit}`;
  }
  return `${Math.round(ns)} ns`;
}
