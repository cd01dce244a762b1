# Splits lines into a file for each key, each opened for its line only: awk -f split.awk lines
BEGIN { for (key = 0; key < 16; key++) { printf "" > ("part" key); close("part" key) } }
{ part = "part" $1; print $2 >> part; close(part) }
