// Books amounts, with running numbers and balances: bookings.js read|tail|known BOOKINGS
// The last booking is found by reading the whole file before each one; or the end of the file; or
// it is remembered.
'use strict';
const fs = require('fs');

const [mode, words] = process.argv.slice(2);
const END = 128;
fs.writeFileSync('out', '0,opened,0,0\n');
let known = '0,opened,0,0';

function last() {
  if (mode === 'known') return known;
  if (mode === 'tail') {
    const file = fs.openSync('out', 'r');
    const size = fs.fstatSync(file).size;
    const end = Buffer.alloc(Math.min(END, size));
    fs.readSync(file, end, 0, end.length, size - end.length);
    fs.closeSync(file);
    return end.toString('latin1').trimEnd().split('\n').at(-1);
  }
  return fs.readFileSync('out', 'utf8').trimEnd().split('\n').at(-1);
}

let drawn = 12345;
for (let booking = 0; booking < Number(words); booking++) {
  drawn = (drawn * 16807) % 2147483647;
  const [number, , , balance] = last().split(',');
  const amount = (drawn % 20001) - 10000;
  known = `${Number(number) + 1},customer-${drawn % 997},${amount},${Number(balance) + amount}`;
  fs.appendFileSync('out', known + '\n');
}
