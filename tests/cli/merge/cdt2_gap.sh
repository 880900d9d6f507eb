# Container 2 has each tick between the first and the last: traces that do not adjoin are refused,
# and a copy of one that lacks ticks says so.
rastrum slice -q --axis tick --to 2 "$GOLDEN"/cdt/big-c2.cdt -o first.cdt
rastrum slice -q --axis tick --from 2 --to 5 "$GOLDEN"/cdt/big-c2.cdt -o middle.cdt
rastrum slice -q --axis tick --from 5 "$GOLDEN"/cdt/big-c2.cdt -o last.cdt
rastrum merge last.cdt first.cdt -o joined.cdt || echo "exit status $?"
rastrum merge -q last.cdt first.cdt middle.cdt -o joined.cdt
rastrum verify joined.cdt
rastrum slice "$GOLDEN"/cdt/c2_gap.cdt -o copy.cdt
