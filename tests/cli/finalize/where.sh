# Beside the capture by default, in its folder; standard input has no folder.
mkdir in
python3 "$TOOLS/capture.py" --ticks 1 --no-end >in/a.b.raw
rastrum finalize in/a.b.raw
ls in
rastrum finalize - <in/a.b.raw
cat in/a.b.raw | rastrum finalize --quiet - --json --out piped
ls piped
echo old >in/a.b.survival.run1.cdt
rastrum finalize in/a.b.raw --quiet || echo "exit $?"
cat in/a.b.survival.run1.cdt
cp "$GOLDEN"/cdt/frida.cdt in/a.b.survival.run1.cdt
rastrum finalize in/a.b.raw --quiet
rastrum verify in/a.b.survival.run1.cdt
