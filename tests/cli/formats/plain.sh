# Every driver, its dialects and what it can do.
rastrum formats | grep -A 1 "^murk"
