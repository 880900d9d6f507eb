# Frames that differ as pictures: what was expected, what came, and where they differ.
cp "$GOLDEN"/aerogpu/pictures.aerogputrace a.aerogputrace
cp "$GOLDEN"/aerogpu/stream_in_packet.aerogputrace b.aerogputrace
rastrum diff --pixels --png seen a.aerogputrace b.aerogputrace 2>/dev/null || echo "exit $?"
ls seen
/usr/bin/python3 - <<'P'
import struct
for what in ("expected", "actual", "diff"):
    with open("seen/frame_0.%s.png" % what, "rb") as file:
        print(what, struct.unpack(">II", file.read(24)[16:]))
P
rastrum diff --pixels --size 20x10 --json a.aerogputrace b.aerogputrace | grep -o '"width": [0-9]*'
rastrum diff --pixels --png same a.aerogputrace a.aerogputrace && ls same 2>/dev/null || echo none
rastrum diff --png seen a.aerogputrace b.aerogputrace || echo "exit $?"
rastrum diff --pixels --size 20 a.aerogputrace b.aerogputrace || echo "exit $?"
touch file
rastrum diff --pixels --png file/below a.aerogputrace b.aerogputrace || echo "exit $?"
