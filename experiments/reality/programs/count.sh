# Counts a word in each of some files, with a process for each: count.sh
for part in parts/*; do
    grep -c 7 "$part"
done
