// Lists the stock of a store, a line for each item, with writeln! into a file:
// listing file|line|buffered ITEMS
// The file itself, which gets a call for each piece of a line; each line as a whole; or a BufWriter.
use std::fs::File;
use std::io::{BufWriter, Result, Write};

fn listed(out: &mut dyn Write, items: u64, by_line: bool) -> Result<()> {
    let mut state = 88172645463325252u64;
    for number in 0..items {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let (left, price) = (state % 500, (state >> 20) % 100_000);
        if by_line {
            let line = format!("{number};item-{left};{left};{}.{:02}\n", price / 100, price % 100);
            out.write_all(line.as_bytes())?;
        } else {
            writeln!(out, "{number};item-{left};{left};{}.{:02}", price / 100, price % 100)?;
        }
    }
    out.flush()
}

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().collect();
    let items = words[2].parse().expect("a number of items");
    let mut file = File::create("out")?;
    match words[1].as_str() {
        "buffered" => listed(&mut BufWriter::new(file), items, false),
        mode => listed(&mut file, items, mode == "line"),
    }
}
