# Looks for the lines of wanted articles in a table: wanted.sh each|once|join
# grep for each of them; or one grep for all of them; or join, since both are sorted.
case $1 in
    each) while read -r code; do grep "^$code," articles.csv; done < codes ;;
    once) grep -wFf codes articles.csv ;;
    join) LC_ALL=C join -t , codes articles.csv ;;
esac
