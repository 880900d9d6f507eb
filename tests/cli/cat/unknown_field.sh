# A field that no type has is said, not passed over in silence.
rastrum cat --depth 0 --fields tick_id,tikc "$GOLDEN/murk/no_frames.murk" || echo "exit $?"
rastrum cat --type frame --fields coord "$GOLDEN/murk/no_frames.murk" || echo "exit $?"
rastrum cat --type command --fields coord "$GOLDEN/murk/no_frames.murk"
