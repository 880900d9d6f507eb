# Murk: headers, commands as a set with order, hashes, ticks that one side lacks.
a="$GOLDEN"/murk/all_payloads.murk
rastrum diff "$a" "$a"
rastrum diff "$a" "$GOLDEN"/murk/cut_frame.murk || echo "exit $?"
rastrum diff "$GOLDEN"/murk/cut_frame.murk "$a" || echo "exit $?"
python3 - "$a" b.murk <<'PY'
import sys
data = bytearray(open(sys.argv[1], "rb").read())
data[-1] ^= 0xff  # the last snapshot hash
open(sys.argv[2], "wb").write(data)
PY
rastrum diff "$a" b.murk || echo "exit $?"
rastrum diff --hash-only --json "$a" b.murk || echo "exit $?"
rastrum diff --ignore snapshot_hash "$a" b.murk
rastrum diff --channel commands --channel header "$a" b.murk
rastrum diff --channel rng "$a" b.murk || echo "exit $?"
rastrum diff -k "$a" "$GOLDEN"/murk/presence.murk 2>/dev/null || echo "exit $?"
rastrum bisect "$a" b.murk || echo "exit $?"
