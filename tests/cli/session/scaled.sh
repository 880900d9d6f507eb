# Eight times as many threads take about eight times as long, whatever is done with them. CPU time
# of the program alone; what grows with the square takes 64 times as long.
cat > times.py <<END
import os, resource, subprocess, sys, tempfile

def make(name, count, index):
    for i in range(count):
        os.makedirs("%s/thread_%d" % (name, i))
        with open("%s/thread_%d/index.atf" % (name, i), "wb") as file:
            file.write(index)
    with open(name + "/manifest.json", "w") as file:
        file.write('{"threads": [%s], "repaired": [%s]}\n' % (
            ", ".join('{"id": %d, "has_detail": false}' % i for i in range(count)),
            ", ".join("%d" % i for i in range(0, count, 2))))

def seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run([os.environ["RASTRUM"]] + command, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before

with open(sys.argv[1], "rb") as file:
    index = file.read()[:-64]  # not closed, so that repair has a patch for each
def compare(few, many):
    make(few, 1000, index)
    make(many, 8000, index)
    for command in (["info", "IN"], ["verify", "IN"], ["repair", "-n", "IN"],
                    ["diff", "IN", "IN"], ["stats", "IN"]):
        took = [seconds([name if word == "IN" else word for word in command])
                for name in (few, many)]
        linear = took[1] < 3 * 8 * max(took[0], 0.02)
        print(command[0], "linear" if linear else "%.2f s, then %.2f s" % tuple(took))

# So many files take a disk that others use as well too long.
memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else "."
with tempfile.TemporaryDirectory(dir=memory) as folder:
    compare(folder + "/few", folder + "/many")
END
python3 times.py "$GOLDEN/atf/two_threads/thread_0/index.atf"
