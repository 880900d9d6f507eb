# Traces of one schema that is not known are compared untyped, floats by their bits; schemas and
# runs that differ, and what needs to know the channels, are refused.
cat >change.py <<'END'
import hashlib
import struct
import sys


def change(target, schema, old=b"", new=b""):
    data = bytearray(open(sys.argv[1], "rb").read())
    at = 27
    while data[at:at + 4] in (b"META", b"TICK"):
        end = at + 32 + struct.unpack_from("<I", data, at + 16)[0]
        block = bytes(data[at + 32:end]).replace(b"schema_version\x14",
                                                 b"schema_version" + bytes([schema]))
        data[at + 32:end] = block = block.replace(old, new) if old else block
        data[at + 24:at + 32] = hashlib.blake2b(block, digest_size=8).digest()
        at = end
    open(target, "wb").write(data)


one = b"\xa6move_y\xcb\xbf\xf0\x00\x00"
change("a.cdt", 22)
change("same.cdt", 22)
change("older.cdt", 16)
change("ulp.cdt", 22, one + b"\x00", one + b"\x20")
change("less.cdt", 22, one + b"\x00\x00\x00\x00", one + b"\x00\x00\x00\x01")
change("zero.cdt", 22, b"\xa6move_x\xcb\x00", b"\xa6move_x\xcb\x80")
change("run.cdt", 22, b"\xa7mode_id\x04", b"\xa7mode_id\x01")
END
python3 change.py "$GOLDEN/cdt/c2_20.cdt"
for other in same ulp less zero older run; do
    echo "$other:"
    rastrum diff a.cdt $other.cdt || echo "exit $?"
done
rastrum diff --json a.cdt zero.cdt || echo "exit $?"
rastrum diff --ignore channels.replay_step a.cdt zero.cdt || echo "exit $?"
rastrum diff --ignore replay_step a.cdt zero.cdt || echo "exit $?"
rastrum diff --channel rng_stream a.cdt zero.cdt || echo "exit $?"
rastrum diff --per-channel a.cdt zero.cdt || echo "exit $?"
rastrum bisect a.cdt zero.cdt || echo "exit $?"
rastrum dbg diff a.cdt zero.cdt || echo "exit $?"
rastrum focus --tick 0 a.cdt zero.cdt || echo "exit $?"
rastrum focus --tick 0 "$GOLDEN/cdt/c2_20.cdt" "$GOLDEN/cdt/c2_21.cdt" || echo "exit $?"
