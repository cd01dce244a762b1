// The page: moves of a slider become questions, and their answers become what is seen.

import { account, curve, numbers } from './draw.js';
import { by, figure, html, time } from './dom.js';
import { engine } from './engine.js';
import { group, update } from './sliders.js';
import { read, written } from './state.js';

const asks = engine();
let slow = false; // whether the last run was made by the engine in Python
let state = read(location.hash);
let about = null; // the answer to 'machine': sliders, workloads, published points
let known = new Map(); // settings as text -> the answer to 'point'
let before = null; // the run before, for the change
let shownNow = null; // the run on the page
let work = null; // what the newest move has under way
let timer = 0;

const ask = (name, more = {}, signal) => asks.ask({ ask: name, machine: state.machine, workload: state.workload, ...more }, signal);
const keyOf = (settings) => JSON.stringify(Object.entries(settings).sort());
const sliderOf = (name) => about.sliders.find((one) => one.name === name);

/** Say how far the page is: `asking`, `answered`, `whole` (with what limits), or `refused`. */
function stand(word) {
  document.body.dataset.stand = word;
  by('results').setAttribute('aria-busy', word === 'asking');
}

function wrong(text) {
  if (text) stand('refused');
  by('wrong').textContent = text ?? '';
  by('wrong').hidden = !text;
}

// -- a machine and a job -------------------------------------------------------------------------

async function begin() {
  const files = await asks.ask({ ask: 'shipped' });
  if (files.error) return wrong(files.error);
  const option = (one) => html('option', { value: one.name, title: one.title }, one.name);
  by('machine').replaceChildren(...files.machine.map(option));
  begin.titles = Object.fromEntries(files.workload.map((one) => [one.name, one.title]));
  begin.first = files.first;
  by('foot').textContent = asks.told;
  await open();
}

async function open() {
  clearTimeout(timer);
  work?.abort();
  known = new Map();
  before = shownNow = null;
  let found = await ask('machine');
  if (found.error && found.kind === 'input') found = await another(found);
  if (found.error) return wrong(found.error);
  about = found;
  by('machine').value = state.machine;
  jobs([state.workload]);
  by('titles').textContent = `${about.titles[0] || state.machine}: ${about.titles[1] || state.workload}`;
  for (const name of Object.keys(state.settings)) if (!sliderOf(name)) delete state.settings[name];
  if (!sliderOf(state.across)) state.across = about.across;
  drawSliders();
  showSeed();
  by('names').replaceChildren(...about.sliders.filter((one) => !one.own).map((one) => html('option', { value: one.name })));
  follow();
}

/** List jobs to choose from. */
function jobs(names) {
  by('workload').replaceChildren(...names.map((name) => html('option', { value: name, title: begin.titles[name] ?? '' }, name)));
  by('workload').value = state.workload;
}

/** Ask which jobs the machine can run, once for each machine. */
async function fitting() {
  if (by('workload').length > 1) return;
  const machine = state.machine;
  const found = (fitting.known ??= {})[machine] ?? (await asks.ask({ ask: 'fitting', machine }));
  if (found.error || machine !== state.machine) return;
  fitting.known[machine] = found;
  jobs(found.workloads);
}

/** Take the first job that the machine can run, where it cannot run the one that is asked for. */
async function another(refused) {
  for (const name of [begin.first[state.machine] ?? 'copy-file', ...Object.keys(begin.titles)]) {
    const found = await ask('machine', { workload: name });
    if (!found.error) {
      state.workload = name;
      return found;
    }
    if (/^no machine/.test(found.error)) break;
  }
  return refused;
}

// -- sliders -------------------------------------------------------------------------------------

function drawSliders() {
  const first = about.sliders.filter((one) => one.own || one.name in state.settings);
  by('sliders').replaceChildren(...first.map((one) => group(one, state.settings[one.name], moved)));
  const options = about.sliders.filter((one) => one.stops.length > 1 && (one.own || one.name in state.settings || one.name === state.across));
  by('across').replaceChildren(...options.map((one) => html('option', { value: one.name }, one.label || one.name)));
  by('across').value = state.across;
}

function moved(name, value) {
  if (value === undefined) delete state.settings[name];
  else state.settings[name] = value;
  const made = [...by('sliders').children].find((one) => one.dataset.name === name);
  if (made) update(made, sliderOf(name), value);
  else drawSliders();
  follow();
}

/** Draw what varies from another seed, or from none. */
function seed(text) {
  if (text !== state.seed) known = new Map();
  state.seed = text;
  showSeed();
  follow();
}

function showSeed() {
  by('seed').value = state.seed;
  by('seed-told').textContent = state.seed ? 'Times vary as the machine states, drawn from this seed.' : '';
}

// -- runs ----------------------------------------------------------------------------------------

/** Ask for what the sliders say, once they have been still for a moment. */
function follow() {
  stand('asking');
  history.replaceState(null, '', written(state));
  clearTimeout(timer);
  timer = setTimeout(() => {
    work?.abort();
    work = new AbortController();
    run(work.signal).catch((error) => {
      if (error.name !== 'AbortError') wrong(`No answer: ${error.message}. Is nwtsim still running?`);
    });
  }, slow ? 250 : 40); // milliseconds
}

async function run(signal) {
  const settings = { ...state.settings };
  const found = await ask('run', { settings, seed: state.seed }, signal);
  signal.throwIfAborted();
  wrong(found.error && `${found.error}${shownNow ? '\nWhat follows is of the run before.' : ''}`);
  by('results').hidden = Boolean(found.error) && !shownNow;
  if (found.error) return void (await fitting());
  slow = found.engine !== 'native';
  stand('answered');
  [before, shownNow] = [shownNow, found];
  known.set(keyOf(settings), found);
  show(found);
  await points(settings, signal);
  if (slow) offerLimits(settings, signal);
  else await limits(settings, signal);
  stand('whole');
  await fitting();
}

function show(found) {
  chooseShown(found);
  headline(found);
  by('told').replaceChildren(...found.told.slice(1).map((line) => html('span', {}, line)));
  by('where').replaceChildren(...found.where.map(account));
  // These come from nwtsim itself, with all names and texts in them escaped.
  by('diagram').innerHTML = found.diagram;
  by('resources').innerHTML = found.resources;
  overTime(found.over_time);
  by('command').textContent = found.command;
  by('copied').textContent = '';
  by('warned').replaceChildren(...found.warned.map((line) => html('li', {}, line)));
}

/** Show the pictures over time, each with its heading in one cell of a grid. */
function overTime(text) {
  const read = new DOMParser().parseFromString(text, 'text/html').body;
  const made = html('div', { class: 'over' });
  for (const one of [...read.children]) {
    if (one.localName === 'h3') made.append(html('div', {}, one));
    else if (one.localName === 'figure' && made.lastChild) made.lastChild.append(one);
    else made.append(one);
  }
  by('over-time').replaceChildren(text ? made : html('p', { class: 'note' }, 'This run is too long for a picture of its resources over time.'));
}

const WORDS = { write_MBps: ['Writing', 'MB/s'], read_MBps: ['Reading', 'MB/s'], elapsed_ns: ['Time', ''] };

/** Keep to a figure that the run has: what it wrote, else read, else its time. */
function chooseShown(found) {
  const has = ['write_MBps', 'read_MBps', 'elapsed_ns'].filter((key) => found[key] > 0);
  if (!has.includes(state.shown)) state.shown = has[0];
  for (const option of by('shown').options) option.disabled = !has.includes(option.value);
  by('shown').value = state.shown;
}

function headline(found) {
  const [word, unit] = WORDS[state.shown];
  const value = state.shown === 'elapsed_ns' ? found.elapsed : `${figure(found[state.shown])} ${unit}`;
  const made = [`${word}: ${value}`];
  if (state.shown !== 'elapsed_ns') made.push(html('span', { class: 'unit' }, ` in ${found.elapsed}`));
  if (before && before[state.shown] > 0 && before[state.shown] !== found[state.shown]) {
    const was = state.shown === 'elapsed_ns' ? before.elapsed : figure(before[state.shown]);
    made.push(html('span', { class: 'change' }, ` (before: ${was})`));
  }
  by('headline').replaceChildren(...made);
}

// -- the curve -----------------------------------------------------------------------------------

async function points(settings, signal) {
  const slider = sliderOf(state.across);
  if (!slider) return;
  drawCurve(slider, settings);
  // The neighbours of the value first: they are what a next move would ask for.
  const order = slider.stops.map((one) => one.text);
  const here = Math.max(0, order.indexOf(settings[slider.name] ?? slider.now));
  order.sort((a, b) => Math.abs(slider.stops.findIndex((one) => one.text === a) - here) - Math.abs(slider.stops.findIndex((one) => one.text === b) - here));
  for (const text of order) {
    const varied = withValue(settings, slider, text);
    if (known.has(keyOf(varied))) continue;
    const found = await ask('point', { settings: varied, seed: state.seed }, signal);
    signal.throwIfAborted();
    known.set(keyOf(varied), found);
    drawCurve(slider, settings);
  }
}

function withValue(settings, slider, text) {
  const varied = { ...settings };
  if (text === slider.now) delete varied[slider.name];
  else varied[slider.name] = text;
  return varied;
}

function drawCurve(slider, settings) {
  const now = settings[slider.name] ?? slider.now;
  const found = slider.stops.map((one) => known.get(keyOf(withValue(settings, slider, one.text))));
  const values = found.map((one) => one?.[state.shown]);
  const scale = state.shown === 'elapsed_ns' ? 1e9 : 1;
  const name = slider.label ? `${slider.label} (${slider.name})` : slider.name;
  const paper = printed(slider, settings);
  const what = {
    stops: slider.stops,
    points: values.map((one) => (Number.isFinite(one) && one > 0 ? one / scale : NaN)),
    refused: found.map((one) => one?.error),
    here: slider.stops.findIndex((one) => one.text === now),
    unit: state.shown === 'elapsed_ns' ? 'seconds' : `MB/s ${state.shown === 'write_MBps' ? 'written' : 'read'}`,
    width: by('curve').clientWidth,
    choose: (text) => moved(slider.name, text === slider.now ? undefined : text),
    name,
    paper,
  };
  by('curve').replaceChildren(curve(what));
  by('numbers').replaceChildren(numbers(what));
  const missing = slider.stops.filter((_, number) => found[number]?.error).map((one) => one.text);
  by('curve-told').textContent = [
    'Dots: simulated, with all other values as they are set; between them nothing was. Large dot: the value now.',
    paper.length ? `Diamonds: the mean of the paper's runs, with a bar from the slowest to the fastest (${paper[0].source}).` : about.published.length ? 'The paper has no numbers for these values.' : '',
    missing.length ? `The machine cannot be run with ${missing.join(', ')}.` : '',
  ].filter(Boolean).join(' ');
}

/** Return the published cells that are of these settings, by the stop at which they stand. */
function printed(slider, settings) {
  const work = { write_MBps: 'write', read_MBps: 'read' }[state.shown];
  const fits = (cell) => Object.entries(cell.settings).every(([name, value]) => name === slider.name || (settings[name] ?? sliderOf(name)?.now) === value);
  return about.published.filter((cell) => cell.work === work && fits(cell)).map((cell) => ({
    stop: slider.stops.findIndex((one) => one.text === (cell.settings[slider.name] ?? slider.now)),
    mean: cell.mean_MBps,
    low: cell.low_MBps,
    high: cell.high_MBps,
    source: `table ${cell.table}`,
    text: `${cell.mean_MBps} (${cell.low_MBps} to ${cell.high_MBps} MB/s, ${cell.runs} runs, table ${cell.table})`,
  })).filter((one) => one.stop >= 0);
}

// -- what limits ---------------------------------------------------------------------------------

async function limits(settings, signal) {
  const found = await ask('limits', { settings, seed: state.seed }, signal);
  signal.throwIfAborted();
  if (found.error) return void by('limits').replaceChildren(html('p', {}, found.error));
  const levers = found.levers.map((one) => html('li', {}, html('span', { class: 'what' }, `${one.resource}: ${one.change.replaceAll('->', '\u2192')}`), html('span', { class: 'saves' }, `saves ${one.saves} (${(100 * one.share).toFixed(0)} %)`), tryIt(one)));
  by('limits').replaceChildren(...found.told.map((line) => html('p', {}, sentence(line))), levers.length ? html('ul', { class: 'levers' }, levers) : '');
}

/** Leave out what the heading says already. */
function sentence(line) {
  const text = line.replace(/^What limits: /, '').replaceAll('->', '\u2192');
  return text[0].toUpperCase() + text.slice(1);
}

function tryIt(lever) {
  if (!lever.settings.every(([name]) => sliderOf(name))) return '';
  return html('button', { type: 'button', 'aria-label': `Try ${lever.resource}: ${lever.change}`, onclick: () => {
    for (const [name, value] of lever.settings) state.settings[name] = value;
    drawSliders();
    follow();
    by('answer').focus();
  } }, 'Try');
}

function offerLimits(settings, signal) {
  const button = html('button', { type: 'button', onclick: () => {
    by('limits').replaceChildren(html('p', {}, 'Some thirty runs\u2026'));
    limits(settings, signal).catch(() => {});
  } }, 'Find what limits this run');
  by('limits').replaceChildren(button);
}

// -- the rest of the page ------------------------------------------------------------------------

async function copy(text, told) {
  try {
    await navigator.clipboard.writeText(text);
    by('copied').textContent = told;
  } catch {
    by('copied').textContent = `It cannot be copied here: ${text}`;
  }
}

by('machine').onchange = () => {
  const machine = by('machine').value;
  state = { ...read(''), machine, workload: begin.first[machine] ?? state.workload };
  open();
};
by('workload').onchange = () => {
  state = { ...state, workload: by('workload').value, across: '', shown: '' };
  open();
};
by('across').onchange = by('shown').onchange = () => {
  Object.assign(state, { across: by('across').value, shown: by('shown').value });
  before = null;
  if (shownNow) headline(shownNow);
  follow();
};
by('draw').onsubmit = (event) => {
  event.preventDefault();
  seed(by('seed').value.trim());
};
by('reset').onclick = () => {
  state.settings = {};
  drawSliders();
  seed('');
};
by('more').onsubmit = (event) => {
  event.preventDefault();
  const slider = sliderOf(by('name').value.trim());
  if (!slider) return wrong(`There is no value ${by('name').value.trim() || 'without a name'} here; the list has all names.`);
  wrong('');
  by('name').value = '';
  slider.own = true;
  drawSliders();
  document.getElementById(`s-${slider.name}`)?.focus();
};
by('pair').onsubmit = by('axes').onsubmit = (event) => event.preventDefault();
by('copy').onclick = () => copy(by('command').textContent, 'Copied: paste it into a terminal.');
by('link').onclick = () => copy(location.href, 'Copied: what is behind the # holds all values.');
window.addEventListener('hashchange', () => {
  state = read(location.hash);
  open();
});
let wide = 0;
new ResizeObserver(([{ contentRect }]) => {
  if (Math.abs(contentRect.width - wide) < 2 || !about || !shownNow) return;
  wide = contentRect.width;
  drawCurve(sliderOf(state.across), state.settings);
}).observe(by('curve'));

begin().catch((error) => wrong(`No answer: ${error.message}. Is nwtsim still running?`));
