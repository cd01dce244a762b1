// Merges sorted runs of keys and values into one file: merged RUNS
// Each run is read through a buffer of 256 KiB, and what is written goes through one of 1 MiB.
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{BufReader, BufWriter, ErrorKind, Read, Result, Write};

fn next(run: &mut BufReader<File>) -> Result<Option<(u64, u64)>> {
    let (mut key, mut value) = ([0; 8], [0; 8]);
    match run.read_exact(&mut key) {
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(None),
        read => read?,
    }
    run.read_exact(&mut value)?;
    Ok(Some((u64::from_le_bytes(key), u64::from_le_bytes(value))))
}

fn main() -> Result<()> {
    let many: usize = std::env::args().nth(1).expect("RUNS").parse().expect("a number of runs");
    let mut runs = Vec::new();
    let mut first = BinaryHeap::new();
    for at in 0..many {
        runs.push(BufReader::with_capacity(1 << 18, File::open(format!("run{at}"))?));
        if let Some(pair) = next(&mut runs[at])? {
            first.push(Reverse((pair, at)));
        }
    }
    let mut out = BufWriter::with_capacity(1 << 20, File::create("out")?);
    while let Some(Reverse(((key, value), at))) = first.pop() {
        out.write_all(&key.to_le_bytes())?;
        out.write_all(&value.to_le_bytes())?;
        if let Some(pair) = next(&mut runs[at])? {
            first.push(Reverse((pair, at)));
        }
    }
    out.flush()
}
