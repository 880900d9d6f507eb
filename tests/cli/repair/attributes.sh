# Repaired in place, a file keeps its user attributes and its access control list.
cat >set.py <<'PY'
import os, struct, sys
# version 2; user rwx of owner, rw- of user 12, mask rw-, others ---
ENTRIES = ((1, 6, 0xffffffff), (2, 6, 12), (4, 0, 0xffffffff), (0x10, 6, 0xffffffff),
           (0x20, 0, 0xffffffff))
LIST = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *e) for e in ENTRIES)
try:
    if sys.argv[1] == "set":
        os.setxattr(sys.argv[2], "user.origin", b"machine 7")
        os.setxattr(sys.argv[2], "system.posix_acl_access", LIST)
    else:
        print(os.getxattr(sys.argv[2], "user.origin").decode(),
              os.getxattr(sys.argv[2], "system.posix_acl_access") == LIST)
except OSError as error:
    print("attributes cannot be set here: %s" % error, file=sys.stderr)
    sys.exit(77)
PY
for links in 1 2; do
    cp "$GOLDEN"/murk/cut_frame.murk $links.murk
    python3 set.py set $links.murk || exit 77
    [ $links = 1 ] || ln $links.murk other.murk
    rastrum repair --in-place --quiet $links.murk || echo "exit $?"
    python3 set.py get $links.murk
done
cp "$GOLDEN"/murk/all_payloads.murk old.murk; python3 set.py set old.murk
rastrum slice --quiet --force -o old.murk 1.murk >/dev/null; python3 set.py get old.murk
