# Frames beside golden pictures: the same, another, none, one too many, one that is no PNG.
t="$GOLDEN"/aerogpu/pictures.aerogputrace
rastrum replay --quiet --png good "$t" >hashes
rastrum replay --golden good "$t" | cmp - hashes && echo same
cp -r good wrong
cp good/frame_0.png wrong/frame_1.png
rastrum replay --golden wrong "$t" >/dev/null || echo "exit $?"
ls wrong
rastrum replay --golden wrong --png made "$t" >/dev/null || echo "exit $?"
ls made
rastrum replay --golden wrong --json "$t" | tail -c 20
rastrum replay --golden good --size 32x32 "$t" >/dev/null || echo "exit $?"
rm good/frame_0.png
rastrum replay --golden good "$t" >/dev/null || echo "exit $?"
cp good/frame_1.png good/frame_0.png
cp good/frame_1.png good/frame_7.png
rastrum replay --golden good --frame 1 "$t" >/dev/null && echo one
rastrum replay --golden good "$t" >/dev/null || echo "exit $?"
echo no picture >good/frame_1.png
rastrum replay --golden good --frame 1 "$t" >/dev/null || echo "exit $?"
rastrum replay --golden nowhere "$t" >/dev/null || echo "exit $?"
