# Frames that take a while are counted on a terminal: by replay, and in parts of a hundred by diff.
/usr/bin/python3 "$TOOLS/onterm.py" || exit 77
t="$GOLDEN"/aerogpu/pictures.aerogputrace
show() {
    wanted=$1
    shift
    /usr/bin/python3 "$TOOLS/onterm.py" --stderr shown "$@" >answer
    grep -q "$wanted" shown && echo progress || echo silent
}
big="--size 4096x2048"
show 'replay: 2 of 2 frames, [0-9]* frames/s, 0 s left' rastrum replay $big --png made "$t"
tail -c 4 shown | od -c | head -n 1
show 'replay: ' rastrum replay --quiet "$t"
show 'diff: [0-9]*%' rastrum diff --pixels $big "$t" "$t"
