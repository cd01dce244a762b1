# Adds up the first column of a table by group: columns.sh read|mapfile|awk
# read(1) of the shell for each line; or all lines in an array; or awk.
mode=$1
declare -A sums

added() {
    local number=${1%%,*} group=${1##*,}
    ((sums[$group] += number))
}

case $mode in
    read)
        {
            read -r line # The heading.
            while IFS= read -r line; do added "$line"; done
        } < table.csv
        ;;
    mapfile)
        mapfile -s 1 -t lines < table.csv
        for line in "${lines[@]}"; do added "$line"; done
        ;;
    awk)
        awk -F, 'NR > 1 { sums[$3] += $1 } END { for (one in sums) print one, sums[one] }' \
            table.csv | sort
        exit
        ;;
esac
for group in "${!sums[@]}"; do echo "$group ${sums[$group]}"; done | sort
