// Works through a list of items, and saves what is done: progress.js each|end ITEMS
// The whole state is written and renamed after each item; or at the end.
'use strict';
const fs = require('fs');

const [mode, words] = process.argv.slice(2);
const state = { done: {}, total: 0 };

function save() {
  fs.writeFileSync('out.tmp', JSON.stringify(state));
  fs.renameSync('out.tmp', 'out');
}

let drawn = 12345;
for (let item = 0; item < Number(words); item++) {
  drawn = (drawn * 16807) % 2147483647;
  state.done[`item-${item}`] = { size: drawn % 100000, good: drawn % 7 !== 0 };
  state.total += drawn % 100000;
  if (mode === 'each') save();
}
save();
console.log(Object.keys(state.done).length, state.total);
