"""debsource.py - Debian's source packages, for what is built from them: ports and a game.

They come from the mirrors that apt uses here, with lists of source packages of our own: nobody
needs to configure deb-src, and nothing of this system changes. All of it is in build-sources.
"""
import glob
import os
import shutil
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PLACE = os.path.join(ROOT, "build-sources")


class NotRun(Exception):
    """A compiler or package that is needed cannot be had; the text says which and why."""


class Failed(Exception):
    """What is there does not build."""


def call(*words, where=ROOT, otherwise=Failed):
    """Run a command; what it prints. `otherwise` with its last lines when it fails."""
    try:
        done = subprocess.run(words, cwd=where, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace",
                              env={**os.environ, "LC_ALL": "C"})
    except FileNotFoundError as error:
        raise NotRun("there is no %s: 'tools/deps' installs it" % words[0]) from error
    if done.returncode:
        raise otherwise("%s: exit status %d\n%s" % (" ".join(words[:4]), done.returncode,
                                                    done.stdout[-3000:]))
    return done.stdout


def mirrors():
    """deb-src lines for the mirrors of Debian that apt has here, whatever it has of others."""
    form = "$(ORIGIN)|$(REPO_URI) $(RELEASE)|$(COMPONENT)"
    found = []
    for line in call("apt-get", "indextargets", "--format", form,
                     "Created-By: Packages").splitlines():
        origin, where, component = line.split("|")
        if origin == "Debian" and component == "main" and where not in found:
            found.append(where)
    if not found:
        raise NotRun("apt has no mirror of Debian")
    return "".join("deb-src %s main\n" % where for where in found)


def apt_options(apt, listed):
    """apt's options for a list of sources, and a place for what it keeps, of our own."""
    return ["-q", "-o", "Dir::Etc::SourceList=" + listed, "-o", "Dir::Etc::SourceParts=-",
            "-o", "Dir::State::Lists=" + os.path.join(apt, "lists"), "-o",
            "Dir::Cache=" + os.path.join(apt, "cache"), "-o", "APT::Sandbox::User="]


def unpacked(name):
    """The unpacked source package; it is fetched once."""
    place = os.path.join(PLACE, name)
    if os.path.isdir(place):
        return place
    apt = os.path.join(PLACE, "apt")
    os.makedirs(os.path.join(apt, "lists", "partial"), exist_ok=True)
    listed = os.path.join(apt, "sources.list")
    if not os.path.exists(listed):
        text = mirrors()
        with open(listed + ".new", "w", encoding="utf-8") as file:
            file.write(text)
        call("apt-get", *apt_options(apt, listed + ".new"), "update", otherwise=NotRun)
        os.rename(listed + ".new", listed)
    fetched = os.path.join(apt, name)
    shutil.rmtree(fetched, ignore_errors=True)
    os.makedirs(fetched)
    try:
        call("apt-get", *apt_options(apt, listed), "source", "--download-only", name,
             where=fetched, otherwise=NotRun)
    except NotRun:  # the lists are old, or a mirror gave none: they are fetched again next time
        os.unlink(listed)
        raise
    shutil.rmtree(place + ".new", ignore_errors=True)
    call("dpkg-source", "-x", glob.glob(fetched + "/*.dsc")[0], place + ".new", where=fetched)
    os.rename(place + ".new", place)
    return place
