# From a pipe, wrapped, in other chunks and another dialect.
cp "$GOLDEN"/cdt/big-run-golden.cdt a.cdt
gzip -k a.cdt
rastrum diff - a.cdt <a.cdt
cat a.cdt | rastrum diff a.cdt.gz -
rastrum convert --to zig --quiet a.cdt -o zig.cdt 2>/dev/null
rastrum diff --paranoid --ignore events.hit_head a.cdt zig.cdt
cat a.cdt | rastrum tick - 3 | head -n 1
