# Fills in the values of a form, where their names are: filled.sh each|once
# sed -i for each value; or one sed with a script of all of them.
cp form.txt out
if [ "$1" = once ]; then
    sed -i -f values.sed out
else
    while read -r command; do sed -i "$command" out; done < values.sed
fi
