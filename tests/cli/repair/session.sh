# What was lost of a session is said with the part that lost it; its name may end in a slash.
cd "$GOLDEN/atf"
rastrum repair -n crashed >/dev/null || echo "exit $?"
rastrum repair -n crashed/ >/dev/null || echo "exit $?"
rastrum repair -n broken_manifest >/dev/null || echo "exit $?"
rastrum info crashed/ >/dev/null || echo "exit $?"
