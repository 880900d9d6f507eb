# Draws of the random number generator: fields that are ignored, or near enough, are equal.
cp "$GOLDEN"/cdt/big-run-golden.cdt a.cdt
cp "$GOLDEN"/cdt/big-run-candidate.cdt b.cdt
draws() {
    rastrum diff --channel rng_stream --tick-start 6 --tick-end 9 "$@" a.cdt b.cdt || echo "exit $?"
}
draws --ignore 'rng_stream[*].value_15' --ignore 'rng_stream[*].state_before_u32' \
    --ignore 'rng_stream[*].state_after_u32'
draws --ignore 'rng_stream[*].value_15' --ignore 'rng_stream[*].state_before_u32'
draws --ignore 'rng_stream[0].value_15' --ignore 'rng_stream[0].state_before_u32' \
    --ignore 'rng_stream[0].state_after_u32'
draws --tolerance 'rng_stream[*].value_15=30000' --tolerance 'rng_stream[*].state_before_u32=5e9' \
    --tolerance 'rng_stream[*].state_after_u32=5e9'
draws --tolerance 'rng_stream[*].value_15=3' --ignore 'rng_stream[*].state_before_u32' \
    --ignore 'rng_stream[*].state_after_u32'
