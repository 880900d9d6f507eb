# An option there is not is named, for every verb.
for verb in formats info du cat verify; do
    rastrum $verb --frobnicate && echo done || echo "$verb $?"
    rastrum $verb -Z && echo done || echo "$verb $?"
done
