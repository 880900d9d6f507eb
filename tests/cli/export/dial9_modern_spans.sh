# A modern span has a track: from its creation to its close, and in it each stay.
cd "$GOLDEN/dial9"
rastrum export --to chrome -o - modern_spans.trc
