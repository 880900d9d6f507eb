# CDT: pieces of a trace joined again, the two styles, a slice that would be empty.
cp "$GOLDEN"/cdt/unsealed.cdt run.cdt
rastrum slice run.cdt --to 1 -o a.cdt
rastrum slice run.cdt --from 1 -o b.cdt
rastrum merge b.cdt a.cdt -o ab.cdt
rastrum verify --strict ab.cdt
rastrum merge a.cdt ab.cdt -o c.cdt || echo "exit $?"
rastrum convert ab.cdt -o python.cdt
rastrum verify --strict python.cdt
rastrum convert --to zig python.cdt -o zig.cdt
rastrum cat --fields tick_index,phase python.cdt >p.txt
rastrum cat --fields tick_index,phase zig.cdt | cmp - p.txt
rastrum convert --to frida python.cdt -o frida.cdt || echo "exit $?"
rastrum slice run.cdt --from 9 -o none.cdt || echo "exit $?"
rastrum slice --type timing --json python.cdt -o timing.cdt
rastrum verify --strict timing.cdt
ls
# Nothing whole is there: why not is said, and it is trouble.
cp "$GOLDEN"/cdt/bad_zstd.cdt bad.cdt
rastrum slice bad.cdt -o none.cdt || echo "exit $?"
rastrum convert --to zig bad.cdt -o none.cdt || echo "exit $?"
[ ! -e none.cdt ]
