#!/bin/bash
# 441 cuts wanted at once (ten around the one in focus) on the demo world, caches empty. Usage: range.sh [--no-renderer]
# Prints one line of JSON. "arrive": seconds from subscribing until the first product, until the 25 nearest cuts were
# there and until all were, how many farther ones came before the last of the 25, bytes. "change": the same once the
# ground is there and new settings make all of it stale at once. "frames": how long the GL thread's frames took
# meanwhile in a renderer with the null driver that shows all of them too, and in five seconds after each.
. "$(dirname "$0")/../scenario/instance.sh"

frames() { # what the renderer says since the last asking
  if [ "$renderer" = yes ]; then "$STN_BUILD/tests/scenario/scenario-frames"; else echo null; fi
}

# The viewer's line as the figures of one phase; $1 names the key of the whole time.
phase() {
  echo "{\"first_s\":$(value first_product_s),\"near25_s\":$(value near_s),\"farther_before_near25\":$(value others_before_near),\"all_s\":$(value "$1"),\"ground_cuts\":$(value ground_cuts),\"products\":$(value products),\"bytes\":$(value product_bytes),\"failures\":$(value failures)}"
}

renderer=yes
[ "${1:-}" = --no-renderer ] && renderer=no
start homestead
start loader
start mesher
start world
if [ $renderer = yes ]; then
  start renderer --null-gl --spectator --cuts 10 --fps 60
  for _ in $(seq 100); do frames >/dev/null 2>&1 && break; sleep 0.1; done
fi
out=$("$viewer" --seconds 200 --reach 10 --cuts 441 --grids 25 2>>"$dir/viewer.log") || die "viewer: $out"
arrive=$(phase complete_s)
arriving=$(frames) || die "no frames"
sleep 5
arrived=$(frames) || die "no frames"
# The file is there already: one change.
out=$("$viewer" --seconds 200 --reach 10 --cuts 441 --grids 25 --change 0.1 --change-until / 2>>"$dir/viewer.log") || die "viewer: $out"
change=$(phase changed_s)
changing=$(frames) || die "no frames"
sleep 5
changed=$(frames) || die "no frames"
echo "{\"arrive\":$arrive,\"change\":$change,\"frames\":{\"arriving\":$arriving,\"arrived\":$arrived,\"changing\":$changing,\"changed\":$changed}}"
