# Version 2 and both layouts of version 1 become version 3; what fits both is refused.
python3 <<'END'
import struct
def write(name, version, frames):
    head = b"MURK" + bytes([version]) + b"".join(struct.pack("<I", 1) + b"t" for _ in range(4))
    open(name, "wb").write(head + struct.pack("<QQIQI", 1, 2, 0, 4, 0) + frames)
def frame(tick, *commands):
    return struct.pack("<QI", tick, len(commands)) + b"".join(commands) + struct.pack("<Q", 9)
def command(sources):
    return struct.pack("<BIQB", 2, 8, 77, 1) + sources
flags = command(b"\x01" + struct.pack("<Q", 5) + b"\x00")
plain = command(struct.pack("<QQ", 5, 0))
write("v2.murk", 2, frame(1, flags) + frame(2))
write("v1.murk", 1, frame(1, plain) + frame(2))
write("v1b.murk", 1, frame(1, flags) + frame(2))
write("v1none.murk", 1, frame(1) + frame(2))
write("torn.murk", 2, frame(1, flags)[:-3])
END
fields=tick_id,entity_id,source_id,source_seq,expires_after_tick,arrival_seq
for name in v2 v1 v1b v1none; do
    rastrum convert $name.murk -o $name.new
    rastrum cat --fields $fields $name.new
done
rastrum convert torn.murk -o torn.new || echo "exit $?"
rastrum convert "$GOLDEN"/murk/version_9.murk -o nine.new 2>err || echo "exit $?"
sed 's|/.*/||' err
# From standard input, a file or a pipe, wrapped or not.
rastrum convert - -o in.new <v2.murk
cat v2.murk | rastrum convert - -o pipe.new
gzip -c v1.murk | rastrum convert - -o gzip.new
cat v2.new | rastrum convert - -o newer.new
cmp in.new v2.new && cmp pipe.new v2.new && cmp gzip.new v1.new && cmp newer.new v2.new
cat torn.murk | rastrum convert - -o - >torn.two || echo "exit $?"
cmp torn.new torn.two
