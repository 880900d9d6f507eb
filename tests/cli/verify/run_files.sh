# Why a file of a run cannot be opened: it is not there, is no file, or what the system says.
rastrum run arena --ticks 4 -q -o run >/dev/null
rm run/state.cdt run/events.trc run/replay.murk
mkdir run/events.trc
ln -s replay.murk run/replay.murk
rastrum verify run | grep run.file || echo "exit $?"
# Of the other operand, too.
for verb in diff bisect report; do
    rastrum $verb run nothing -o out || echo "exit $?"
    rastrum $verb nothing run -o out || echo "exit $?"
done
ls
