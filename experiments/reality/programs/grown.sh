# Makes an archive of the files of a list: grown.sh each|once
# Each file is appended by a tar of its own, which reads the archive up to its end; or one
# tar has a list of them.
rm -f out
if [ "$1" = once ]; then
    tar -cf out -T list
else
    while read -r file; do tar -rf out "$file"; done < list
fi
