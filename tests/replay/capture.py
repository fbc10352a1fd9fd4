"""A capture of a running instance, listed, and played into a renderer in the place of world and loader: the same picture
comes out at the end."""
import os
import sys

sys.path.insert(0, os.path.join(os.environ.get("STN_SOURCE", "."), "tests/support/py"))
import picture  # noqa: E402
from instance import BIN, Instance  # noqa: E402

SIZE = "320x180"


# A capture begins with everything being asked for again; a machine that is slow needs longer to be told it all.
SECONDS = (8, 40, 120)


def capture(i, tape, seconds):
    print(i.stenness("capture", tape, "--seconds", str(seconds), seconds=seconds + 60).strip())
    listing = i.stenness("replay", tape, "--list")
    for word in ("renderer", "world", "loader", "mesher"):
        assert word in listing, f"the list of the capture does not name {word}:\n{listing}"


def play(far, tape, picture_file):
    """What the picture was made of, and whether the capture held an answer to all that was asked."""
    far.start(os.path.join(BIN, "stenness"), "replay", tape, "--speed", "0")
    far.start(os.path.join(BIN, "stenness-renderer"), "--headless", "--size", SIZE)
    cuts, objects, complete = far.shot(picture_file, "--size", SIZE, "--timeout", "60")
    with open(far.folder + "/log", encoding="utf-8", errors="replace") as log:
        whole = "was not asked for in the capture" not in log.read()
    return cuts, objects, complete, whole


def main():
    with Instance(still=True) as i:
        i.run("--headless", "--size", SIZE)
        i.pid("renderer")
        first, again, tape = i.folder + "/live.png", i.folder + "/replayed.png", i.folder + "/walk.mcap"
        _, _, complete = i.shot(first, "--size", SIZE, "--timeout", "90")
        assert complete
        for seconds in SECONDS:
            capture(i, tape, seconds)
            with Instance("second", still=True) as far:
                cuts, objects, complete, whole = play(far, tape, again)
            if whole:
                break
            print(f"{seconds} s were not enough for all answers")
        far_off = picture.difference(picture.small(first), picture.small(again))
        print(f"replayed: {cuts} cuts, {objects} objects, differs by {far_off:.2f}")
        assert whole and complete and cuts >= 25
        # Animals and the fire have moved on between the two: the place must be the same, not every pixel.
        assert far_off < 8, f"the replayed picture differs by {far_off:.2f}"


if __name__ == "__main__":
    main()
