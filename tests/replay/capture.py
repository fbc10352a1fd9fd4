"""A capture of a running instance, listed, and played into a renderer in the place of world and loader: the same picture
comes out at the end."""
import os
import sys

sys.path.insert(0, os.path.join(os.environ.get("STN_SOURCE", "."), "tests/support/py"))
import picture  # noqa: E402
from instance import BIN, Instance  # noqa: E402

SIZE = "320x180"


def main():
    with Instance() as i, Instance("second") as far:
        i.run("--headless", "--size", SIZE)
        i.pid("renderer")
        first, again, tape = i.folder + "/live.png", i.folder + "/replayed.png", i.folder + "/walk.mcap"
        _, _, complete = i.shot(first, "--size", SIZE, "--timeout", "90")
        assert complete
        print(i.stenness("capture", tape, "--seconds", "8", seconds=60).strip())
        listing = i.stenness("replay", tape, "--list")
        for word in ("renderer", "world", "loader", "mesher"):
            assert word in listing, f"the list of the capture does not name {word}:\n{listing}"

        far.start(os.path.join(BIN, "stenness"), "replay", tape, "--speed", "0")
        far.start(os.path.join(BIN, "stenness-renderer"), "--headless", "--size", SIZE)
        cuts, objects, complete = far.shot(again, "--size", SIZE, "--timeout", "60")
        far_off = picture.difference(picture.small(first), picture.small(again))
        print(f"replayed: {cuts} cuts, {objects} objects, differs by {far_off:.2f}")
        assert complete and cuts >= 25
        # Animals and the fire have moved on between the two: the place must be the same, not every pixel.
        assert far_off < 8, f"the replayed picture differs by {far_off:.2f}"


if __name__ == "__main__":
    main()
