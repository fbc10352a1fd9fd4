"""A mesher on a second machine (a network namespace of its own): one command, one address, one key. A wrong server key, a
key that is not listed and a plain client are each said in words on the side that can know, within 5 s; the right key works
afterwards without a restart of the world.

Needs root for `ip netns`; skipped without."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ.get("STN_SOURCE", "."), "tests/support/py"))
from instance import BIN, Instance, skip, wait_until  # noqa: E402

ADDRESS = "10.231.77"


class SecondMachine:
    """A namespace joined to this one by a veth pair; both are removed at the end."""

    def __init__(self):
        tag = str(os.getpid() % 100000)
        self.name, self.here, self.there = "stn-" + tag, "stna" + tag, "stnb" + tag

    def __enter__(self):
        for words in (
            ("netns", "add", self.name),
            ("link", "add", self.here, "type", "veth", "peer", "name", self.there),
            ("link", "set", self.there, "netns", self.name),
            ("addr", "add", ADDRESS + ".1/24", "dev", self.here),
            ("link", "set", self.here, "up"),
            ("-n", self.name, "addr", "add", ADDRESS + ".2/24", "dev", self.there),
            ("-n", self.name, "link", "set", self.there, "up"),
            ("-n", self.name, "link", "set", "lo", "up"),
        ):
            subprocess.run(("ip",) + words, check=True)
        return self

    def __exit__(self, *_):
        subprocess.run(("ip", "netns", "del", self.name), check=False)
        subprocess.run(("ip", "link", "del", self.here), check=False, stderr=subprocess.DEVNULL)

    def start(self, instance, log, *command):
        out = open(log, "wb")
        child = subprocess.Popen(("ip", "netns", "exec", self.name) + command, env=instance.env, stdin=subprocess.DEVNULL,
                                 stdout=out, stderr=out)
        instance.children.append(child)
        return child


def said(path, words):
    try:
        with open(path, "r", encoding="utf-8", errors="replace") as f:
            return words in f.read()
    except OSError:
        return False


def stop(child):
    child.terminate()
    child.wait(5)


def main():
    if os.geteuid() != 0 or subprocess.run(("ip", "netns", "list"), capture_output=True, check=False).returncode != 0:
        skip("network namespaces need root")
    with Instance() as i, SecondMachine() as far:
        keys = i.folder + "/keys"
        for name in ("world", "desk", "stranger", "wrong"):
            i.stenness("keys", "--folder", keys, "new", name)
        i.stenness("keys", "--folder", keys, "allow", keys + "/desk.pub")
        server = i.stenness("keys", "--folder", keys, "show", "world").strip()
        wrong = i.stenness("keys", "--folder", keys, "show", "wrong").strip()
        endpoint = f"tcp://{ADDRESS}.1:7731"
        procfile = i.folder + "/Procfile"
        with open(procfile, "w", encoding="utf-8") as f:
            f.write("homestead: stenness-homestead\nloader: stenness-loader\n"
                    f"world: stenness-world --mesh-endpoint {endpoint} --mesh-keys {keys}/world.pub_secret "
                    f"--mesh-allow {keys}/allowed\n"
                    "renderer: stenness-renderer --headless --size 320x180\n")
        i.run("--procfile", procfile)
        here = i.folder + "/log"
        wait_until("world is up", lambda: "world.0" in i.status(), 15)

        def attach(log, server_key, own):
            return far.start(i, log, os.path.join(BIN, "stenness"), "mesher", "--instance", "second", "--connect", endpoint,
                             "--server-key", server_key, "--key", f"{keys}/{own}.pub_secret")

        log = i.folder + "/wrong-server"
        child = attach(log, wrong, "desk")
        wait_until("the client is told to check --server-key",
                   lambda: said(log, "the server refused the handshake: check --server-key"), 20)
        wait_until("the server says that it is not known", lambda: said(here, "does not know our key"), 20)
        stop(child)
        log = i.folder + "/stranger"
        child = attach(log, server, "stranger")
        wait_until("the server says who is not on the list", lambda: said(here, "is not on the list"), 20)
        wait_until("the client hears that it is not on the list", lambda: said(log, "does not have our key on its list"), 20)
        stop(child)
        log = i.folder + "/plain"
        child = far.start(i, log, os.path.join(BIN, "stenness"), "mesher", "--instance", "second", "--connect", endpoint)
        wait_until("a plain client is turned away with words", lambda: said(log, "key"), 20)
        stop(child)

        child = attach(i.folder + "/right", server, "desk")
        wait_until("the far mesher builds cuts", lambda: i.item("world.0", "cuts.built") >= 25, 60)
        cuts, _, complete = i.shot(i.folder + "/far.png", "--size", "320x180")
        print(f"built by the far mesher: {cuts} cuts")
        assert complete and cuts >= 25
        stop(child)


if __name__ == "__main__":
    main()
