#!/bin/bash
# How long until everything is there again after world, then a renderer with a null driver, was killed and
# started again. Usage: restarts.sh [TIMES]. Prints a line of JSON for each; no time is asserted, but that a viewer
# of the world sees exactly one new frame and holds all of it, and that the renderer's picture is complete.
. "$(dirname "$0")/../scenario/instance.sh"
times=${1:-3}

start homestead
start loader
start mesher
start world
door=$dir/stenness/s/ctl/renderer.0
start renderer --null-gl

shot() {
  for _ in $(seq 1000); do [ -S "$door" ] && break; sleep 0.02; done
  [ -S "$door" ] || die "the renderer does not open its door"
  "$bin/stenness" shot "$dir/shot.png" --size 320x180 --timeout 60 >"$dir/shot.out" 2>&1 || die "no picture: $(cat "$dir/shot.out")"
  grep -q "not complete" "$dir/shot.out" && die "the picture is not complete: $(cat "$dir/shot.out")"
}

load() { cut -d' ' -f1 /proc/loadavg; }

shot
for _ in $(seq "$times"); do
  rm -f "$dir/viewer.log"
  "$viewer" --seconds 60 --spectator --cuts 25 --entities 1000 --sessions 2 >"$dir/viewer.out" 2>"$dir/viewer.log" &
  looking=$!
  for _ in $(seq 200); do grep -q snapshot "$dir/viewer.log" 2>/dev/null && break; sleep 0.1; done
  sleep 1
  stop_hard world
  start world
  wait $looking || die "viewer: $(cat "$dir/viewer.out")"
  out=$(cat "$dir/viewer.out")
  [ "$(value sessions)" = 2 ] || die "not one frame before and one after: $out"
  echo "{\"restart\":\"world\",\"complete_s\":$(value after_down_s),\"cuts\":$(value ground_cuts),\"entities\":$(value entities),\"load\":$(load)}"
done
for _ in $(seq "$times"); do
  shot
  stop_hard renderer
  rm -f "$door"
  begun=$EPOCHREALTIME
  start renderer --null-gl
  shot
  ended=$EPOCHREALTIME
  echo "{\"restart\":\"renderer, null GL\",\"complete_s\":$(awk "BEGIN { printf \"%.3f\", $ended - $begun }"),\"load\":$(load)}"
done
