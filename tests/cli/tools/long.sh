# long.sh - makes run.murk, a sound trace of about $1 MB; sourced by the cases.
#
# 103 bytes of header, then the frames of the long golden over and over.
cp "$GOLDEN/murk/big-steady.murk" run.murk
tail -c +104 run.murk >frames
while [ "$(stat -c %s frames)" -lt 1000000 ]; do
    cat frames frames >twice
    mv twice frames
done
made=0
while [ $made -lt "$1" ]; do
    cat frames >>run.murk
    made=$((made + 1))
done
