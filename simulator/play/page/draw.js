// Pictures that the page draws itself: the curve with a paper's points, and where the time went.

import { figure, html, svg, time } from './dom.js';

const HEIGHT = 300;
const EDGE = { left: 58, right: 20, top: 30, bottom: 46 };

/** Return round numbers from 0 to beyond the largest value. */
function ticks(most) {
  if (!(most > 0)) return [0, 1];
  const power = 10 ** Math.floor(Math.log10(most / 4));
  const step = [1, 2, 2.5, 5, 10].map((digit) => digit * power).find((one) => one * 4 >= most);
  return Array.from({ length: Math.ceil(most / step - 1e-9) + 1 }, (_, number) => number * step);
}

/** Return where each stop stands, from 0 to 1: by its logarithm, or one beside the other where there is none. */
function places(stops) {
  const logs = stops.map((one) => (one.number > 0 ? Math.log(one.number) : NaN));
  const [low, high] = [logs[0], logs[logs.length - 1]];
  if (stops.length > 1 && logs.every(Number.isFinite) && high > low) return logs.map((one) => (one - low) / (high - low));
  return stops.map((_, number) => (stops.length > 1 ? number / (stops.length - 1) : 0.5));
}

/** Draw the curve: `points` has y, or undefined while it is computed or refused; `paper` has y, low and high by stop. */
export function curve({ stops, points, paper, here, unit, name, width, choose }) {
  const wide = Math.max(280, Math.round(width));
  const most = Math.max(...points.filter(Number.isFinite), ...paper.map((one) => one.high), 0);
  const up = ticks(most);
  const top = up[up.length - 1];
  const at = places(stops).map((one) => EDGE.left + one * (wide - EDGE.left - EDGE.right));
  const high = (value) => HEIGHT - EDGE.bottom - (value / top) * (HEIGHT - EDGE.top - EDGE.bottom);
  const known = stops.map((_, number) => number).filter((number) => Number.isFinite(points[number]));
  const about = `${unit} over ${name}: ` + known.map((number) => `${stops[number].text} ${figure(points[number])}`).join(', ');
  const drawn = svg('svg', { viewBox: `0 0 ${wide} ${HEIGHT}`, role: 'img', 'aria-label': about });
  for (const value of up) {
    drawn.append(svg('line', { class: 'grid', x1: EDGE.left, x2: wide - EDGE.right, y1: high(value), y2: high(value) }));
    drawn.append(svg('text', { class: 'soft e', x: EDGE.left - 8, y: high(value) + 4 }, `${+value.toPrecision(6)}`));
  }
  drawn.append(svg('text', { class: 'soft', x: 4, y: 12 }, unit));
  drawn.append(svg('line', { class: 'axis', x1: EDGE.left, x2: wide - EDGE.right, y1: high(0), y2: high(0) }));
  let end = -Infinity;
  stops.forEach((stop, number) => {
    const half = stop.text.length * 3.4;
    if (number !== here && (at[number] - half < end || (here >= 0 && Math.abs(at[number] - at[here]) < half + stops[here].text.length * 3.4 + 6))) return;
    const x = Math.min(Math.max(at[number], EDGE.left - 20 + half), wide - half - 2);
    drawn.append(svg('text', { class: number === here ? 'm b' : 'm soft', x, y: HEIGHT - EDGE.bottom + 18 }, stop.text));
    end = x + half + 6;
  });
  drawn.append(svg('text', { class: 'm soft', x: (EDGE.left + wide - EDGE.right) / 2, y: HEIGHT - 6 }, name));
  if (here >= 0) drawn.append(svg('line', { class: 'guide', x1: at[here], x2: at[here], y1: EDGE.top, y2: high(0) }));
  if (stops.every((one) => one.number !== null)) {
    drawn.append(svg('polyline', { class: 'line', points: known.map((number) => `${at[number]},${high(points[number])}`).join(' ') }));
  }
  for (const one of paper) {
    const x = at[one.stop];
    drawn.append(svg('path', { class: 'paper', d: `M${x - 8} ${high(one.high)}h16M${x} ${high(one.high)}V${high(one.low)}M${x - 8} ${high(one.low)}h16` }));
    drawn.append(svg('path', { class: 'paper mean', d: `M${x - 11} ${high(one.mean)}l11-11l11 11l-11 11z` }, svg('title', {}, one.text)));
  }
  for (const number of known) {
    const point = { cx: at[number], cy: high(points[number]) };
    const told = svg('title', {}, `${stops[number].text}: ${figure(points[number])} ${unit}`);
    drawn.append(svg('circle', { class: 'dot', r: number === here ? 7.5 : 4.5, ...point, onclick: () => choose(stops[number].text) }, told));
  }
  return drawn;
}

/** Return the table of a curve's numbers. */
export function numbers({ stops, points, paper, unit, name, refused }) {
  const printed = (number) => paper.filter((one) => one.stop === number).map((one) => one.text).join('; ');
  const row = (stop, number) => html('tr', {}, html('th', { scope: 'row' }, stop.text), html('td', { class: 'n' }, Number.isFinite(points[number]) ? figure(points[number]) : '-'), html('td', {}, refused[number] ?? printed(number)));
  return html('table', {}, html('thead', {}, html('tr', {}, html('th', { scope: 'col' }, name), html('th', { scope: 'col', class: 'n' }, unit), html('th', { scope: 'col' }, paper.length ? 'in the paper' : ''))), html('tbody', {}, stops.map(row)));
}

/** Return the account of a job: a bar of its pieces, then each as a row with its letter, time and share. */
export function account(job) {
  const colour = (place) => `p${Math.min(place, 7)}`;
  const letter = (place) => (place < 7 ? String.fromCharCode(65 + place) : '\u00b7');
  const pieces = job.rows.flatMap((row, place) => [[row.service_ns, false], [row.wait_ns, true]].filter(([ns]) => ns > 0).map(([ns, waits]) => ({ share: ns / job.total_ns, waits, place })));
  const bar = html('div', { class: 'stack', 'aria-hidden': 'true' }, pieces.map(({ share, waits, place }) => {
    const made = html('span', { class: `${colour(place)}${waits ? ' wait' : ''}` }, share > 0.04 ? html('b', { class: colour(place) }, letter(place)) : '');
    made.style.width = `${100 * share}%`;
    return made;
  }));
  const rows = job.rows.map((row, place) => {
    const share = (row.wait_ns + row.service_ns) / job.total_ns;
    const how = row.service_ns === 0 ? 'waiting' : row.wait_ns === 0 ? 'served' : `${figure((100 * row.wait_ns) / (row.wait_ns + row.service_ns))} % of it waiting`;
    return html('tr', {}, html('th', { scope: 'row' }, html('span', { class: `key ${colour(place)}`, 'aria-hidden': 'true' }, letter(place)), row.column), html('td', { class: 'n' }, row.time), html('td', { class: 'n' }, `${(100 * share).toFixed(1)} %`), html('td', {}, `${how}${row.what ? `; ${row.what}` : ''}`));
  });
  const heads = ['', 'time', 'share', ''].map((text, place) => html('th', { scope: 'col', class: place === 1 || place === 2 ? 'n' : null }, text || html('span', { class: 'unseen' }, place ? 'what it is' : 'resource')));
  return html('div', { class: 'job' }, html('h3', {}, `${job.name}: ${time(job.total_ns)}`), bar, html('div', { class: 'scroll' }, html('table', { class: 'times' }, html('thead', {}, html('tr', {}, heads)), html('tbody', {}, rows))));
}
