# Text is for people: words for codes, the time once, the module's name; JSON has all of it.
cp -r "$GOLDEN"/atf/two_threads calls
rastrum cat --limit 4 calls
rastrum cat --limit 1 --fields timestamp_ns,event_kind,module calls
rastrum cat --limit 1 --json calls
