# What is there of a session whose recorder was killed.
cp -r "$GOLDEN"/atf/crashed session
rastrum tree session
