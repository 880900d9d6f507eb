# A long pipe is spooled to disk; when there is no room, it is the spool that failed.
set -- 66
. "$TOOLS/long.sh"
trap '' XFSZ
ulimit -f 65536
cat run.murk | rastrum info -
