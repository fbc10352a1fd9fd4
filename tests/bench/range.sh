#!/bin/bash
# 441 cuts wanted at once (ten around the one in focus) on the demo world, caches empty. Usage: range.sh [--no-renderer]
# Prints one line of JSON: seconds until the first product, until the 25 nearest cuts were there and until all were, how
# many farther ones came before the last of the 25, bytes; and how long the GL thread's frames took meanwhile in a
# renderer with the null driver that shows all of them too, and in the five seconds after.
. "$(dirname "$0")/../scenario/instance.sh"

start homestead
start loader
start mesher
start world
if [ "${1:-}" != --no-renderer ]; then
  start renderer --null-gl --spectator --cuts 10 --fps 60
  for _ in $(seq 100); do "$STN_BUILD/tests/scenario/scenario-frames" --door ctl/renderer.0 >/dev/null 2>&1 && break; sleep 0.1; done
fi
out=$("$viewer" --seconds 200 --reach 10 --cuts 441 --grids 25 2>>"$dir/viewer.log") || die "viewer: $out"
busy=null
calm=null
if [ "${1:-}" != --no-renderer ]; then
  busy=$("$STN_BUILD/tests/scenario/scenario-frames" --door ctl/renderer.0) || die "renderer: no frames"
  sleep 5
  calm=$("$STN_BUILD/tests/scenario/scenario-frames" --door ctl/renderer.0) || die "renderer: no frames"
fi
echo "{\"first_s\":$(value first_product_s),\"near25_s\":$(value near_s),\"farther_before_near25\":$(value others_before_near),\"all_s\":$(value complete_s),\"ground_cuts\":$(value ground_cuts),\"products\":$(value products),\"bytes\":$(value product_bytes),\"failures\":$(value failures),\"frames_meanwhile\":$busy,\"frames_after\":$calm}"
