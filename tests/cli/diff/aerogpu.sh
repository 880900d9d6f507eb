# AeroGPU: frame by frame, packet by packet; blobs by what they hold; streams and tables alone.
a="$GOLDEN"/aerogpu/appendix_a.aerogputrace
rastrum diff "$a" "$a"
python3 - "$a" "$GOLDEN"/aerogpu/every_state.acmd "$GOLDEN"/aerogpu/table.aloc <<'PY'
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
at = data.index(struct.pack("<II", 9, 4))  # DRAW
data[at + 8] += 1
open("drawn.aerogputrace", "wb").write(data)
data = open(sys.argv[1], "rb").read()
open("cut.aerogputrace", "wb").write(data[:at + 12])
stream = bytearray(open(sys.argv[2], "rb").read())
stream[-4] ^= 1
open("b.acmd", "wb").write(stream)
table = bytearray(open(sys.argv[3], "rb").read())
table[24 + 8] ^= 1  # the first gpa
open("b.aloc", "wb").write(table)
PY
rastrum diff "$a" drawn.aerogputrace || echo "exit $?"
rastrum diff --json "$a" drawn.aerogputrace || echo "exit $?"
rastrum diff --ignore 'packets[*].DRAW.vertex_count' "$a" drawn.aerogputrace
rastrum diff --tolerance 'packets[*].DRAW.vertex_count=1' "$a" drawn.aerogputrace
rastrum diff --channel blobs "$a" drawn.aerogputrace
rastrum diff "$a" cut.aerogputrace || echo "exit $?"
rastrum diff cut.aerogputrace "$a" || echo "exit $?"
rastrum diff "$GOLDEN"/aerogpu/every_state.acmd b.acmd || echo "exit $?"
rastrum diff "$GOLDEN"/aerogpu/table.aloc b.aloc || echo "exit $?"
rastrum diff "$a" b.acmd || echo "exit $?"
rastrum diff --pixels "$a" "$a" || echo "exit $?"
rastrum diff -k "$a" "$GOLDEN"/aerogpu/two_frames.aerogputrace 2>/dev/null || echo "exit $?"
rastrum bisect "$a" drawn.aerogputrace || echo "exit $?"
