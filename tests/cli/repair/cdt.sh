# CDT: an incomplete block is removed, the footer is rebuilt; before the first block nothing is.
cp "$GOLDEN"/cdt/cut_block.cdt run.cdt
rastrum repair run.cdt -o repaired.cdt || echo "exit $?"
rastrum verify --strict repaired.cdt
rastrum repair -n repaired.cdt
head -c 600 run.cdt >early.cdt
rastrum repair -n early.cdt || echo "exit $?"
head -c 100 run.cdt >header.cdt
rastrum repair -n header.cdt || echo "exit $?"
