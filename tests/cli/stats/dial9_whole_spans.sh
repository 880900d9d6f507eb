# Spans that are one event each, as annotations of their schemas say: a start or a length, in
# any unit, named by a field or by the schema; two roles are none, and a name that is known wins.
/usr/bin/python3 -B - "$GOLDEN/dial9" <<'END' >spans.trc
import sys
sys.path.insert(0, sys.argv[1])
from make import *
def roles(type_id, *fields):
    return annotations(type_id, *((i, k, v) for i, k, v in fields))
out = HEADER + strings((0, "query"), (1, "render"))
out += schema(0, "Timed", ("took", VARINT), ("name", POOLED_STRING), ("worker", VARINT))
out += roles(0, (0, "dial9.role", "span.duration"), (0, "unit", "us"),
             (1, "dial9.role", "span.name"), (2, "dial9.role", "tokio.worker_id"))
out += schema(1, "Request", ("begun", VARINT | OPTIONAL), ("other", VARINT))
out += roles(1, (0, "dial9.role", "span.start"), (1, "unit", "ms"), (9, "dial9.role", "span.start"))
out += schema(2, "Both", ("a", VARINT), ("b", VARINT))
out += roles(2, (0, "dial9.role", "span.start"), (1, "dial9.role", "span.duration"))
out += schema(3, "PollEndEvent", ("worker_id", VARINT))
out += roles(3, (0, "dial9.role", "span.start"))
out += reset(1_000_000)
for took in (5, 7, 30):
    out += event(0, 10, varint(took), u32(took % 2), varint(0))
out += event(1, 70, present(varint(1_000_040)), varint(1))   # 60 ns
out += event(1, 0, present(varint(1_000_000)), varint(1))    # 100 ns
out += event(1, 0, present(varint(2_000_000)), varint(1))    # not over yet
out += event(1, 0, absent(), varint(1))
out += event(0, 0, varint(2**63), u32(0), varint(0))         # longer than can be
out += event(2, 0, varint(1), varint(2)) + event(3, 0, varint(0))
sys.stdout.buffer.write(out)
END
rastrum stats -t spans,span_active,span_segments spans.trc
rastrum stats --json -t summary spans.trc | grep -E 'custom|"spans'
