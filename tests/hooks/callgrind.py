"""callgrind.py - how often functions of programs as they are were called, by two countings.

`record --unmodified` and callgrind, each twice: functions that a program does not call equally
often in two runs of the same kind are left out. Functions are those that the dynamic symbol table
of the module names.
"""
import os
import re
import shutil
import subprocess

from place import NOT_RUN, Wrong

TEXT = "the quick brown fox jumps over the lazy dog 0123456789\n" * 400
PERL = ("my %h; $h{$_ % 97} .= chr(65 + $_ % 26) for 1..3000; "
        "print join(',', map { length $h{$_} } sort { $a <=> $b } keys %h), eval { die 1 } // 2")
PYTHON = ("import json, re\nfor n in range(200):\n"
          "    d = json.loads(json.dumps({'a': [n, 'x' * n]}))\n"
          "print(len(d), re.sub('[a-c]+', 'x', 'aabbccdd' * 50))")
LUA = ("local t = {} for i = 1, 2000 do t[i] = (i * 7919) % 1009 end table.sort(t) "
       "print(t[1], #table.concat(t, ','), pcall(error, 'x'), ('ab'):rep(50):gsub('a', 'c'))")
SQL = ("create table t(a, b); with recursive n(i) as (select 1 union all select i + 1 from n "
       "limit 500) insert into t select i, i * 7 % 13 from n; "
       "select b, count(*), sum(a) from t group by b")
# The module whose functions are counted ("": the program), and the program; standard input is TEXT.
PROGRAMS = [
    ("", ["lua5.4", "-e", LUA]),
    ("", ["perl", "-e", PERL]),
    ("", ["/usr/bin/python3", "-S", "-c", PYTHON]),
    ("", ["bash", "-c", "for i in 1 2 3 4 5 6 7 8 9; do x=$((i * 3)); [[ $x == 2* ]] && echo $x; "
          "done"]),
    ("liblzma", ["xz", "-c"]),
    ("libbz2", ["bzip2", "-c"]),
    ("libz", ["zstd", "--format=gzip", "-c"]),
    ("libpcre2", ["grep", "-P", "-c", "qu(?=ick) .*d(og|ig)"]),
    ("libsqlite3", ["sqlite3", ":memory:", SQL]),
    ("libcrypto", ["openssl", "dgst", "-sha256"]),
    ("libmagic", ["file", "-"]),
]
# With what each of the two adds, so that a program finds as many variables.
ENVIRONMENT = {"PATH": os.environ["PATH"], "LC_ALL": "C", "TZ": "UTC", "PYTHONHASHSEED": "0",
               "PERL_HASH_SEED": "0", "HOME": "/nonexistent", "RASTRUM_RECORD": "",
               "LD_LIBRARY_PATH": "/usr/lib/debug", "GLIBCPP_FORCE_NEW": "1",
               "GLIBCXX_FORCE_NEW": "1"}


def environment_of(c):
    """A shell that finds a wrong PWD sets it once more; and valgrind is a shell script."""
    return dict(ENVIRONMENT, PWD=os.path.realpath(c.path(".")))


def callgrind_counts(c, words):
    """{object: {function: calls}}"""
    out = c.path("callgrind.out")
    done = c.run("setarch", "-R", "valgrind", "-q", "--tool=callgrind",
                 "--callgrind-out-file=" + out, "--compress-pos=no", *words,
                 stdin=open(c.path("text"), "rb"), env=environment_of(c))
    if not os.path.exists(out):
        raise Wrong("callgrind: %s" % done.stderr.decode()[-300:])
    names, counts, current = {}, {}, {}
    with open(out, encoding="utf-8", errors="replace") as text:
        for line in text:
            found = re.match(r"(c?)(ob|fn)=\((\d+)\)(?: (.*))?$", line)
            if found:
                kind, number = found[2], found[3]
                if found[4]:
                    names[kind, number] = found[4]
                current[found[1] + kind] = names[kind, number]
                if not found[1] and kind == "ob":
                    current.pop("cob", None)
            elif line.startswith("calls="):
                ob = os.path.basename(current.pop("cob", current.get("ob", "")))
                name = re.sub(r"'\d+$", "", current["cfn"])  # of a recursion
                calls = counts.setdefault(ob, {})
                calls[name] = calls.get(name, 0) + int(line[6:].split()[0])
    return counts


def recorded_counts(c, module, words):
    out = c.path("counted")
    shutil.rmtree(out, ignore_errors=True)
    glob = "--unmodified" + ("=%s*" % module if module else "")
    done = c.run("setarch", "-R", c.rastrum, "record", glob, "-q", "-o", out, "--", *words,
                 stdin=open(c.path("text"), "rb"), env=environment_of(c))
    if done.returncode not in (0, 1):
        raise Wrong("%s: exit status %d: %s" % (words[0], done.returncode, done.stderr.decode()))
    return c.counts(out)


def exported(path):
    done = subprocess.run(["nm", "-D", "--defined-only", path], stdout=subprocess.PIPE, text=True)
    return {line.split()[2].split("@")[0] for line in done.stdout.splitlines()
            if line.split()[1] in "TW"}


def module_path(module, program):
    if not module:
        return os.path.realpath(program)
    done = subprocess.run(["ldd", program], stdout=subprocess.PIPE, text=True)
    found = re.search(r"=> (\S*/%s\S*)" % module, done.stdout)
    return os.path.realpath(found[1]) if found else None


def compared(c, module, words):
    """How many functions were compared, and those that differ."""
    program = shutil.which(words[0])
    path = module_path(module, program) if program else None
    if not path:
        return 0, {}
    names = exported(path)
    ours, ours_again = (recorded_counts(c, module, words) for _ in range(2))
    theirs, theirs_again = (callgrind_counts(c, words).get(os.path.basename(path), {})
                            for _ in range(2))
    steady = {name for name in names & set(ours) & set(theirs)
              if ours[name] == ours_again.get(name) and theirs[name] == theirs_again.get(name)}
    return len(steady), {name: (ours[name], theirs[name]) for name in steady
                         if ours[name] != theirs[name]}


def as_callgrind_counts(c):
    """Exported functions of eleven programs and libraries of the distribution."""
    if not shutil.which("valgrind") or not shutil.which("setarch"):
        NOT_RUN.add("unmodified: not run: comparison with callgrind, which is not installed")
        return
    with open(c.path("text"), "w", encoding="utf-8") as text:
        text.write(TEXT)
    wrong = {}
    for module, words in PROGRAMS:
        count, differ = compared(c, module, words)
        name = os.path.basename(words[0]) + (" (%s)" % module if module else "")
        print("unmodified: %s: %d functions, %d called as often by callgrind%s" % (
            name, count, count - len(differ), "".join(", %s %d for %d" % (n, *differ[n])
                                                       for n in sorted(differ)[:5])))
        if len(differ) * 50 > count:
            wrong[name] = differ
    if wrong:
        raise Wrong("more than one in fifty differ: %s" % wrong)
