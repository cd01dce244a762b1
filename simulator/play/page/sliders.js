// The sliders: a range over stops with a field for any value beside it; words as a list; flags as a box.

import { html } from './dom.js';

/** Return the stops of a slider, with one for a value that is none of them. */
export function stops(slider, value) {
  const texts = slider.stops.map((one) => one.text);
  return value === undefined || texts.includes(value) ? texts : [...texts, value];
}

/** Return the group of a slider; `moved` is called with each new value, undefined for that of the file. */
export function group(slider, value, moved) {
  const now = value ?? slider.now;
  const id = `s-${slider.name}`;
  const told = html('p', { class: 'was', id: `${id}-was` }, value === undefined ? '' : `in the file: ${slider.now}`);
  const set = (text) => moved(slider.name, text === slider.now ? undefined : text);
  const title = html('label', { for: id }, slider.label || slider.name, slider.label ? html('span', { class: 'path' }, slider.name) : '');
  const made = html('div', { class: value === undefined ? 'slider' : 'slider moved', 'data-name': slider.name });
  if (slider.kind === 'flag') {
    const box = html('input', { type: 'checkbox', id, checked: now === 'true', onchange: () => set(String(box.checked)) });
    made.append(html('div', { class: 'check' }, box, title), told);
  } else if (slider.kind === 'word') {
    const list = html('select', { id, onchange: () => set(list.value) }, slider.stops.map((one) => html('option', { selected: one.text === now }, one.text)));
    made.append(html('div', { class: 'top' }, title), list, told);
  } else {
    number(made, slider, now, { id, title, told, set });
  }
  return made;
}

function number(made, slider, now, { id, title, told, set }) {
  const texts = slider.stops.map((one) => one.text);
  const field = html('input', {
    type: 'text', value: now, spellcheck: 'false', autocomplete: 'off', 'aria-label': `${slider.label || slider.name}: any value`,
    onchange: () => set(field.value.trim() || slider.now),
  });
  made.append(html('div', { class: 'top' }, title, field));
  if (texts.length > 1) {
    const at = Math.max(0, texts.indexOf(now));
    const range = html('input', {
      type: 'range', id, min: 0, max: texts.length - 1, step: 1, value: at, 'aria-valuetext': now, 'aria-describedby': `${id}-was`,
      oninput: () => {
        const text = texts[range.value];
        range.setAttribute('aria-valuetext', text);
        field.value = text;
        set(text);
      },
    });
    made.append(range);
  } else {
    field.id = id;
    field.removeAttribute('aria-label');
  }
  made.append(told);
}

/** Bring a group that is on the page to another value, without taking the focus away. */
export function update(made, slider, value) {
  const now = value ?? slider.now;
  made.classList.toggle('moved', value !== undefined);
  made.querySelector('.was').textContent = value === undefined ? '' : `in the file: ${slider.now}`;
  const [box, list, range, field] = ['[type=checkbox]', 'select', '[type=range]', '[type=text]'].map((one) => made.querySelector(one));
  if (box) box.checked = now === 'true';
  if (list) list.value = now;
  if (field && document.activeElement !== field) field.value = now;
  if (range) {
    const at = slider.stops.findIndex((one) => one.text === now);
    if (at >= 0) range.value = at;
    range.setAttribute('aria-valuetext', now);
  }
}
