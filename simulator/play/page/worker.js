// Python in a worker, which answers the questions of the page one after the other.

const waiting = [];
let desk = null;

/** Load Python and its packages, from where the page says. */
async function start({ pyodide, packages }) {
  const fetched = Promise.all(packages.map(content)); // while Python starts
  fetched.catch(() => {}); // It is awaited below.
  const { loadPyodide } = await import(`${pyodide}pyodide.mjs`);
  const python = await loadPyodide({ indexURL: pyodide });
  for (const [row, one] of (await fetched).entries()) python.unpackArchive(one, packages[row].endsWith('.whl') ? 'wheel' : 'zip');
  return python.runPython('from simulator.play.questions import Desk\nDesk()');
}

async function content(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  return answer.arrayBuffer();
}

async function next() {
  let made;
  try {
    made = await desk;
  } catch (error) {
    made = { answered: () => JSON.stringify({ error: `Python did not start: ${error.message}`, kind: 'failed' }) };
  }
  const first = waiting.shift();
  if (first) postMessage({ number: first.number, answer: JSON.parse(made.answered(JSON.stringify(first.question))) });
}

onmessage = ({ data }) => {
  if (data.packages) desk = start(data);
  else if (data.drop) {
    const at = waiting.findIndex((one) => one.number === data.number);
    if (at >= 0) waiting.splice(at, 1);
  } else {
    waiting.push(data);
    setTimeout(next); // What is dropped meanwhile is not begun.
  }
};
