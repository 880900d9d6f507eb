# Frames that take a while are counted on a terminal: by replay, and in parts of a hundred by diff.
/usr/bin/python3 "$TOOLS/onterm.py" || exit 77
rastrum run arena --ticks 300 --pens aerogpu -o run >run.txt 2>&1
t=run/gpu.aerogputrace
show() {
    wanted=$1
    shift
    /usr/bin/python3 "$TOOLS/onterm.py" --stderr shown "$@" >answer
    grep -q "$wanted" shown && echo progress || echo silent
}
big="--size 1024x1024"
show 'replay: [0-9]* of 300 frames, [0-9]* frames/s, [0-9]* s left' rastrum replay $big "$t"
tail -c 4 shown | od -c | head -n 1
show 'replay: ' rastrum replay --quiet "$t"
show 'diff: [0-9]*%' rastrum diff --pixels $big "$t" "$t"
# bisect counts both traces.
show 'bisect: [0-9]*%' rastrum bisect --draws --size 512x512 "$t" "$t"
