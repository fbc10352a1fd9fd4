"""One instance of Stenness for a test: own folders, own pieces, everything ended by process id at the end.

The build folder comes from STN_BUILD, the source folder from STN_SOURCE (ctest sets both).
"""
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time

BUILD = os.environ.get("STN_BUILD", "build/dev")
SOURCE = os.environ.get("STN_SOURCE", ".")
BIN = os.path.join(os.path.abspath(BUILD), "bin")


class Failure(Exception):
    pass


def wait_until(what, predicate, seconds, every=0.05):
    """Polls until predicate() is true; its value is returned. Raises with `what` when the time is over."""
    deadline = time.monotonic() + seconds
    while True:
        value = predicate()
        if value:
            return value
        if time.monotonic() > deadline:
            raise Failure(f"not within {seconds} s: {what}")
        time.sleep(every)


def alive(pid):
    """Whether the process exists and is not a zombie."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as f:
            return f.read().rsplit(b")", 1)[1].split()[0] not in (b"Z", b"X")
    except OSError:
        return False


def marked(mark):
    """Pids of all live processes whose environment holds NAME=value `mark`: finds strays that no parent owns."""
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) == os.getpid():
            continue
        try:
            with open(f"/proc/{name}/environ", "rb") as f:
                if mark.encode() in f.read().split(b"\0") and alive(int(name)):
                    found.append(int(name))
        except OSError:
            pass
    return found


class Instance:
    """`with Instance() as i:` starts nothing yet; i.run() starts `stenness run`. `still`: for pictures that are compared,
    without the shadows of clouds, whose drift would be most of the difference on a slow machine."""

    def __init__(self, name="test", still=False):
        self.name = name
        self.folder = tempfile.mkdtemp(prefix="stn-")
        os.chmod(self.folder, 0o700)
        self.mark = f"STN_TEST_MARK={self.folder}"
        self.env = dict(os.environ)
        self.env.update(
            XDG_RUNTIME_DIR=self.folder,
            XDG_CONFIG_HOME=self.folder + "/config",
            XDG_CACHE_HOME=self.folder + "/cache",
            XDG_STATE_HOME=self.folder + "/state",
            XDG_DATA_HOME=self.folder + "/data",
            STENNESS_INSTANCE=name,
            STN_TEST_MARK=self.folder,
            PATH=BIN + ":" + os.environ.get("PATH", "/usr/bin:/bin"),
        )
        if still:
            self.env["STENNESS_CLOUDS"] = "off"
        self.env.pop("DISPLAY", None)
        self.env.pop("WAYLAND_DISPLAY", None)
        self.children = []
        self.log = open(self.folder + "/log", "wb")

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        for child in self.children:
            if child.poll() is None:
                child.send_signal(signal.SIGTERM)
        for child in self.children:
            try:
                child.wait(5)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
        strays = marked(self.mark)
        for pid in strays:
            os.kill(pid, signal.SIGKILL)
        self.log.close()
        if kind is not None:
            with open(self.folder + "/log", "rb") as f:
                print(f.read().decode(errors="replace")[-8000:])
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def runtime(self):
        return os.path.join(self.folder, "stenness", self.name)

    def start(self, *command, **options):
        child = subprocess.Popen(command, env=self.env, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, **options)
        self.children.append(child)
        return child

    def run(self, *options):
        return self.start(os.path.join(BIN, "stenness"), "run", *options)

    def command(self, *words, seconds=60):
        """Runs a command to its end; its CompletedProcess with text output."""
        return subprocess.run(words, env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=seconds, check=False)

    def stenness(self, *words, seconds=60):
        done = self.command(os.path.join(BIN, "stenness"), *words, seconds=seconds)
        if done.returncode != 0:
            raise Failure(f"stenness {' '.join(words)}: exit {done.returncode}: {done.stderr.strip()[-800:]}")
        return done.stdout

    def pieces(self):
        """What the supervisor says: name -> {state, pid, deaths, crash_loop}; empty while it does not run."""
        try:
            with open(self.runtime + "/run.json", encoding="utf-8") as f:
                return {p["name"]: p for p in json.load(f)["pieces"]}
        except (OSError, ValueError, KeyError):
            return {}

    def pid(self, piece, seconds=10):
        return wait_until(f"{piece} runs", lambda: self.pieces().get(piece, {}).get("pid"), seconds)

    def kill(self, piece, number=signal.SIGKILL):
        pid = self.pid(piece)
        os.kill(pid, number)
        return pid

    def status(self):
        """Peer id -> {health, line, items}; empty when nothing answers."""
        done = self.command(os.path.join(BIN, "stenness"), "status", "--json", seconds=30)
        try:
            return {p["peer"]: p for p in json.loads(done.stdout)["pieces"]}
        except (ValueError, KeyError):
            return {}

    def item(self, peer, name, fallback=0):
        return self.status().get(peer, {}).get("items", {}).get(name, fallback)

    def shot(self, path, *options, seconds=120):
        """A picture of the running instance; what the command said about it: (cuts, objects, complete)."""
        done = self.command(os.path.join(BIN, "stenness"), "shot", path, *options, seconds=seconds)
        if done.returncode != 0:
            raise Failure(f"shot: exit {done.returncode}: {done.stderr.strip()[-800:]}")
        words = done.stdout.split()
        cuts = int(words[words.index("cuts,") - 1])
        objects = int(words[words.index("objects") - 1])
        return cuts, objects, "not complete" not in done.stderr


def skip(why):
    """Ends the test as skipped, said aloud."""
    print("skipped:", why)
    raise SystemExit(77)
