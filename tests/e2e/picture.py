"""One command shows the world: `stenness shot` on its own starts everything, waits for the ground and the objects, writes a
picture that is no blank, and leaves no process behind. A running instance gives the same picture again."""
import os
import sys

sys.path.insert(0, os.path.join(os.environ.get("STN_SOURCE", "."), "tests/support/py"))
import picture  # noqa: E402
from instance import Instance, marked  # noqa: E402

SIZE = "320x180"


def own_instance():
    with Instance() as i:
        path = i.folder + "/world.png"
        cuts, objects, complete = i.shot(path, "--size", SIZE, "--timeout", "60")
        cells = picture.small(path)
        print(f"own instance: {cuts} cuts, {objects} objects, spread {picture.spread(cells):.1f}")
        assert complete and cuts >= 25 and objects >= 10, (cuts, objects, complete)
        assert picture.spread(cells) > 8, "the picture is nearly blank"
        assert not marked(i.mark), "processes were left behind"


def running_instance():
    with Instance(still=True) as i:
        i.run("--headless", "--size", SIZE)
        first, second = i.folder + "/1.png", i.folder + "/2.png"
        i.pid("renderer")
        i.shot(first, "--size", SIZE, "--timeout", "60")
        cuts, _, complete = i.shot(second, "--size", SIZE, "--timeout", "60")
        far = picture.difference(picture.small(first), picture.small(second))
        print(f"running instance: two pictures differ by {far:.2f}")
        assert complete and cuts >= 25
        assert far < 6, "two pictures of the same place differ"


if __name__ == "__main__":
    own_instance()
    running_instance()
