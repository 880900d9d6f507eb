# The reader takes what the recorder can write: more files than any short integer counts.
python3 - "$GOLDEN/atf/two_threads/thread_0/index.atf" <<END
import os, sys
with open(sys.argv[1], "rb") as file:
    index = bytearray(file.read())
index[8] = 0  # no detail.atf
for i in range(17000):
    os.makedirs("many/thread_%d" % i)
    with open("many/thread_%d/index.atf" % i, "wb") as file:
        file.write(index)
END
rastrum info many | grep records
rastrum cat --quiet --limit 1 many | wc -l
rastrum cat --quiet --from 135999 --axis seq many | wc -l
