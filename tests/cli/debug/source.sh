# How the bytes were reached: read, inflated, from a pipe, file by file of a directory.
cp "$GOLDEN/murk/all_payloads.murk" a.murk
gzip -nk a.murk
RASTRUM_DEBUG=source rastrum cat a.murk >/dev/null
echo '--- gzip' >&2
RASTRUM_DEBUG=source rastrum cat a.murk.gz >/dev/null
echo '--- pipe' >&2
cat a.murk | RASTRUM_DEBUG=source rastrum cat - >/dev/null
echo '--- directory' >&2
session=$(ls -d "$GOLDEN"/atf/*/ | head -n 1)
RASTRUM_DEBUG=source rastrum cat "$session" 2>&1 >/dev/null | head -n 3 |
    sed "s,$GOLDEN,GOLDEN," >&2
