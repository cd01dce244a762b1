# Tells when each file of a repository was changed last: dates.sh each|once
# git log for each file; or one git log, of which the first commit with a file counts.
export GIT_DIR=packed LC_ALL=C
case $1 in
    each)
        git ls-tree -r --name-only main | while read -r name; do
            echo "$name $(git log -1 --format=%ct main -- "$name")"
        done ;;
    once)
        git log --format=@%ct --name-only main |
            awk '/^@/ { time = substr($0, 2); next } NF && !seen[$0]++ { print $0, time }' | sort ;;
esac
