#!/bin/bash
# World with real processes: what a viewer is told, and what is left when a piece dies. Usage: world.sh CASE
. "$(dirname "$0")/instance.sh"

start homestead
start loader
start mesher
start world

case $1 in
arrive) # everything wanted comes, and stays
  look --seconds 40 --cuts 25 --entities 100 --grids 9 --stay 2
  [ "$(value gaps)" = 0 ] || die "messages were lost"
  ;;
walk) # the driver walks, its window moves with it; a spectator sees the same world and drives nothing
  look --seconds 40 --cuts 25
  x=$(value player_x)
  "$viewer" --seconds 30 --cuts 25 --stay 8 --spectator >"$dir/spectator.out" 2>>"$dir/viewer.log" &
  spectator=$!
  look --seconds 40 --cuts 25 --stay 5 --walk 120,60
  grep -q '"driver":true' <<<"$out" || die "the first that may drive does not"
  wait $spectator || die "spectator: $(cat "$dir/spectator.out")"
  grep -q '"driver":false' "$dir/spectator.out" || die "a spectator drives"
  look --seconds 20 --cuts 25
  [ "$(value player_x)" != "$x" ] || die "the player did not move: $x"
  ;;
mesher) # a mesher killed under load: nothing is lost
  "$viewer" --seconds 40 --cuts 25 --stay 4 >"$dir/viewer.out" 2>>"$dir/viewer.log" &
  looking=$!
  for _ in 1 2 3; do
    sleep 0.5
    kill -9 "${pid[mesher]}"
    wait "${pid[mesher]}" 2>/dev/null
    start mesher
  done
  wait $looking || die "viewer: $(cat "$dir/viewer.out")"
  cat "$dir/viewer.out"
  ;;
restart) # world killed in mid-session: a new frame, complete again
  "$viewer" --seconds 50 --cuts 25 --sessions 2 --stay 1 >"$dir/viewer.out" 2>>"$dir/viewer.log" &
  looking=$!
  for _ in $(seq 60); do grep -q snapshot "$dir/viewer.log" && break; sleep 0.1; done
  sleep 2
  kill -9 "${pid[world]}"
  wait "${pid[world]}" 2>/dev/null
  start world
  wait $looking || die "viewer: $(cat "$dir/viewer.out")"
  cat "$dir/viewer.out"
  ;;
server) # the server restarts: world logs in again by itself
  "$viewer" --seconds 60 --cuts 25 --sessions 2 --stay 1 >"$dir/viewer.out" 2>>"$dir/viewer.log" &
  looking=$!
  sleep 6
  kill -9 "${pid[homestead]}"
  wait "${pid[homestead]}" 2>/dev/null
  start homestead
  wait $looking || die "viewer: $(cat "$dir/viewer.out")"
  cat "$dir/viewer.out"
  ;;
*) die "no such case: $1" ;;
esac
