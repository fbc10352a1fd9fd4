"""Each piece is killed in turn while the world is shown: the others keep running, the killed one is back in 2 s, and the
picture is complete again."""
import os
import sys
import time

sys.path.insert(0, os.path.join(os.environ.get("STN_SOURCE", "."), "tests/support/py"))
import picture  # noqa: E402
from instance import Instance, alive, wait_until  # noqa: E402

SIZE = "320x180"
PIECES = ("loader", "world", "mesher", "renderer")


def main():
    with Instance(still=True) as i:
        i.run("--headless", "--size", SIZE)
        before = i.folder + "/before.png"
        i.pid("renderer")
        cuts, objects, complete = i.shot(before, "--size", SIZE, "--timeout", "90")
        assert complete, "no complete picture to begin with"
        want = picture.small(before)
        for piece in PIECES:
            others = {name: p["pid"] for name, p in i.pieces().items() if name != piece}
            old = i.kill(piece)
            began = time.monotonic()
            wait_until(f"{piece} runs again", lambda: i.pieces().get(piece, {}).get("pid") not in (0, None, old), 20)
            back = time.monotonic() - began
            after = f"{i.folder}/{piece}.png"
            cuts, objects, complete = i.shot(after, "--size", SIZE, "--timeout", "60")
            whole = time.monotonic() - began
            far = picture.difference(want, picture.small(after))
            print(f"{piece}: back after {back:.2f} s, complete picture after {whole:.2f} s ({cuts} cuts, {objects} objects), "
                  f"differs by {far:.2f}")
            assert complete and cuts >= 25, (piece, cuts, complete)
            assert far < 12, f"after {piece} was killed the picture differs by {far:.2f}"
            now = i.pieces()
            for name, pid in others.items():
                assert now[name]["pid"] == pid and alive(pid), f"{name} did not survive the death of {piece}"


if __name__ == "__main__":
    main()
