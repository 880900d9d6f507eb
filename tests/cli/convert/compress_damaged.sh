# A compressed part that is cut, damaged or has lost its index; usage.
cp -r "$GOLDEN"/atf/two_threads a
rastrum convert --compress a -o b
f=b/thread_1/index.atf
size=$(wc -c <$f)
show() {
    rastrum cat b | tail -1 || echo "exit $?"
    rastrum verify b || echo "exit $?"
}
echo "without its index"
cp $f whole
head -c $((size - 10)) whole >$f
show
echo "cut inside a frame"
head -c 60 whole >$f
show
echo "a byte changed"
{ head -c 40 whole; printf x; tail -c +42 whole; } >$f
show
rastrum repair b -o c || echo "exit $?"
rastrum verify c || echo "exit $?"
rastrum convert --decompress b -o d || echo "exit $?"
echo "usage"
cp whole $f
rastrum convert --compress --to spec a -o x || echo "exit $?"
rastrum convert --compress --decompress a -o x || echo "exit $?"
rastrum convert --compress a || echo "exit $?"
rastrum convert --compress a -o b || echo "exit $?"
rastrum convert --compress --force --json a -o b
