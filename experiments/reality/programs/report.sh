# Writes a line for each record: report.sh line|loop RECORDS
# The file is opened for each line; or the whole loop is redirected.
mode=$1 records=$2
: > out
if [ "$mode" = loop ]; then
    for ((number = 0; number < records; number++)); do
        echo "record $number of $records"
    done >> out
else
    for ((number = 0; number < records; number++)); do
        echo "record $number of $records" >> out
    done
fi
