// Whom the page asks: a server, or Python in a worker of this page. Both take a question and promise its answer.

/** Questions over HTTP, to the folder that the page came from. */
function server() {
  return {
    told: 'Runs are made by nwtsim on this computer.',
    async ask(question, signal) {
      const answer = await fetch('ask', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(question),
        signal,
      });
      return answer.json();
    },
  };
}

/** Questions to a worker, which answers one after the other. */
function worker() {
  const made = new Worker('worker.js', { type: 'module' });
  const named = (name) => document.querySelector(`meta[name=${name}]`).content.split(' ').filter(Boolean);
  const full = (words) => words.map((one) => new URL(one, location.href).href);
  made.postMessage({ pyodide: full(named('pyodide'))[0], packages: full(named('packages')) });
  const waiting = new Map();
  let last = 0;
  made.onmessage = ({ data }) => {
    waiting.get(data.number)?.(data.answer);
    waiting.delete(data.number);
  };
  return {
    told: 'Runs are made by nwtsim in this browser: nothing leaves this computer.',
    ask(question, signal) {
      const number = ++last;
      return new Promise((done, fail) => {
        signal?.addEventListener('abort', () => {
          made.postMessage({ number, drop: true });
          waiting.delete(number);
          fail(new DOMException('dropped', 'AbortError'));
        });
        waiting.set(number, done);
        made.postMessage({ number, question });
      });
    },
  };
}

/** The engine that the page names. */
export function engine() {
  return document.querySelector('meta[name=engine]').content === 'worker' ? worker() : server();
}
