# Writes the values of a table in units of their group's running deviation, a line for each row:
# awk -v mode=flush|lines -f normal.awk table.csv. fflush after each line; or only at the end.
BEGIN { FS = ","; print "number,group,normal" > "out" }
NR > 1 {
    count[$3]++
    off = $2 - mean[$3]
    mean[$3] += off / count[$3]
    square[$3] += off * ($2 - mean[$3])
    deviation = count[$3] > 1 ? sqrt(square[$3] / (count[$3] - 1)) : 1
    printf "%d,%s,%.6f\n", $1, $3, ($2 - mean[$3]) / deviation > "out"
    if (mode == "flush") fflush("out")
}
