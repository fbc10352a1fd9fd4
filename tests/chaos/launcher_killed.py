"""Killing the launcher with SIGKILL leaves nothing behind, whatever the pieces do: one ignores SIGTERM, one is stopped,
one has a child of its own kind. Ending it politely takes at most the kill delay."""
import os
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.environ.get("STN_SOURCE", "."), "tests/support/py"))
from instance import Instance, alive, marked, wait_until  # noqa: E402

PIECES = """\
deaf: sh -c "trap '' TERM; while :; do sleep 0.2; done"
frozen: sleep 1000
plain: sleep 1000
"""


def start(i):
    path = i.folder + "/Procfile"
    with open(path, "w", encoding="utf-8") as f:
        f.write(PIECES)
    launcher = i.run("--procfile", path, "--leader", "")
    pids = {name: i.pid(name) for name in ("deaf", "frozen", "plain")}
    wait_until("the deaf piece has set its trap", lambda: len(marked(i.mark)) >= 5, 20)
    os.kill(pids["frozen"], signal.SIGSTOP)
    return launcher, pids


def killed_launcher_leaves_nothing():
    with Instance() as i:
        launcher, pids = start(i)
        launcher.kill()
        launcher.wait()
        began = time.monotonic()
        wait_until("every piece is gone", lambda: not any(alive(p) for p in pids.values()), 20)
        # A child that a piece made by itself (the shell's sleep) ends by itself; it must not outlast it for long.
        wait_until("no process of the instance is left", lambda: not marked(i.mark), 20)
        print(f"all gone after {time.monotonic() - began:.2f} s")


def asked_launcher_ends_all():
    with Instance() as i:
        launcher, pids = start(i)
        began = time.monotonic()
        launcher.send_signal(signal.SIGTERM)
        assert launcher.wait(20) == 0
        took = time.monotonic() - began
        assert not any(alive(p) for p in pids.values())
        wait_until("no process of the instance is left", lambda: not marked(i.mark), 20)
        print(f"ended in {took:.2f} s")


def dead_piece_comes_back_alone():
    with Instance() as i:
        _, pids = start(i)
        os.kill(pids["plain"], signal.SIGKILL)
        wait_until("plain is back", lambda: i.pieces()["plain"]["pid"] not in (0, pids["plain"]), 20)
        now = i.pieces()
        assert now["plain"]["deaths"] == 1
        assert now["deaf"]["pid"] == pids["deaf"] and now["frozen"]["pid"] == pids["frozen"]
        for _ in range(4):
            pid = i.pid("plain", 6)
            os.kill(pid, signal.SIGKILL)
            wait_until("its death is seen", lambda: i.pieces()["plain"]["pid"] != pid, 20)
        wait_until("a crash loop is shown", lambda: i.pieces()["plain"]["crash_loop"], 20)


if __name__ == "__main__":
    killed_launcher_leaves_nothing()
    asked_launcher_ends_all()
    dead_piece_comes_back_alone()
