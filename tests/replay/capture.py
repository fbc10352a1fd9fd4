"""A capture of a running instance, listed, and played into a renderer in the place of world and loader: the same picture
comes out at the end. Filmed twice, the same capture gives the same pictures to the byte."""
import os
import sys

sys.path.insert(0, os.path.join(os.environ.get("STN_SOURCE", "."), "tests/support/py"))
import picture  # noqa: E402
from instance import BIN, Instance  # noqa: E402

SIZE = "320x180"


FILM_SIZE, FILM_FRAMES = "192x108", 4

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


def film(i, tape, number):
    """The capture as a film of a few frames, far apart: what lies in its folder afterwards, in order."""
    folder = f"{i.folder}/film{number}"
    done = i.command(os.path.join(BIN, "stenness-renderer"), "--headless", "--size", FILM_SIZE, "--film", folder,
                     "--film-of", tape, "--film-rate", "2", "--film-frames", str(FILM_FRAMES), seconds=300)
    assert done.returncode == 0, f"no film, exit {done.returncode}: {done.stderr[-2000:]}"
    names = sorted(os.listdir(folder))
    assert names == [f"frame-{n:05d}.png" for n in range(1, FILM_FRAMES + 1)], names
    pictures = []
    for name in names:
        with open(os.path.join(folder, name), "rb") as f:
            pictures.append(f.read())
    first = picture.small(os.path.join(folder, names[0]))
    assert picture.spread(first) > 8, "the film is nearly blank"
    return pictures


def films(i, tape):
    """The same capture gives the same film, to the byte; and something moves in it."""
    # A driver that is unloaded leaves records of its own behind; what is ours the unit tests look for.
    i.env["ASAN_OPTIONS"] = i.env.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    first, second = film(i, tape, 1), film(i, tape, 2)
    for n, (a, b) in enumerate(zip(first, second), 1):
        assert a == b, f"frame {n} of two films of one capture differs"
    assert len(set(first)) == FILM_FRAMES, "nothing moves in the film"
    print(f"films: {FILM_FRAMES} frames, the same twice")


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
        films(i, tape)
        far_off = picture.difference(picture.small(first), picture.small(again))
        print(f"replayed: {cuts} cuts, {objects} objects, differs by {far_off:.2f}")
        assert whole and complete and cuts >= 25
        # Animals and the fire have moved on between the two: the place must be the same, not every pixel.
        assert far_off < 8, f"the replayed picture differs by {far_off:.2f}"


if __name__ == "__main__":
    main()
