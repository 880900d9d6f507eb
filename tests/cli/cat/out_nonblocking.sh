# Whoever shares the pipe may have made it non-blocking: a full one is waited for.
set -- 3
. "$TOOLS/long.sh"
rastrum cat run.murk | cksum >whole
/usr/bin/python3 - <<'P' | /usr/bin/python3 "$TOOLS/slowly.py" 1 | cksum | cmp - whole
import os, subprocess, sys
os.set_blocking(1, False)
sys.exit(subprocess.run(["rastrum", "cat", "run.murk"]).returncode)
P
