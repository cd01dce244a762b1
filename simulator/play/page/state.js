// What the page shows, as it stands behind the # of its address: machine, workload, settings, the seed, the varied value.

export const START = { machine: 'nwt', workload: 'test-write', across: '', shown: '', seed: '', settings: {} };

/** Read a state from the part of an address behind the #; what it lacks is that of the start. */
export function read(hash) {
  const state = { ...START, settings: {} };
  const words = new URLSearchParams(hash.replace(/^#/, ''));
  for (const key of ['machine', 'workload', 'across', 'shown', 'seed']) if (words.get(key)) state[key] = words.get(key);
  for (const word of words.getAll('set')) {
    const at = word.indexOf('=');
    if (at > 0) state.settings[word.slice(0, at)] = word.slice(at + 1);
  }
  return state;
}

/** Write a state so that `read` finds it again. */
export function written(state) {
  const words = new URLSearchParams({ machine: state.machine, workload: state.workload });
  for (const key of ['across', 'shown', 'seed']) if (state[key]) words.set(key, state[key]);
  for (const [name, value] of Object.entries(state.settings)) words.append('set', `${name}=${value}`);
  return `#${words}`;
}
