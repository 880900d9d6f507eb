# every.sh - each golden of the format named by $1 through every verb; sourced by the cases.
#
# Whatever the bytes are, a verb ends by itself with a status of 0 to 3.
for file in "$GOLDEN/$1"/*; do
    case $file in
    *.json* | *.rc | *.py | *.md | *__pycache__ | */big-*) continue ;;
    esac
    for verb in info du cat verify; do
        status=0
        rastrum $verb "$file" >/dev/null 2>said || status=$?
        [ $status -le 3 ] || echo "$(basename "$file") $verb $status"
        # Errors and remarks are lines of their own, each with the program's name.
        grep -v '^rastrum: ' said | sed "s,^,$(basename "$file") $verb: ," || :
    done
done
