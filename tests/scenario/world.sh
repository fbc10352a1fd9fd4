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
  # The yard and its field belong to somebody: 20 by 19 tiles and 9 by 9.
  [ "$(value marked)" = 461 ] || die "$(value marked) tiles are marked"
  grep -q '"mark":"homestead/marks/claim"' <<<"$out" || die "the mark is not named"
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
record) # what was seen is remembered after a restart, where the server does not send it, and can be carried off
  look --seconds 40 --cuts 25 --grids 9 --stay 3
  [ "$(value remembered)" = 0 ] || die "a new world remembers"
  for name in world homestead; do
    kill "${pid[$name]}"
    wait "${pid[$name]}" 2>/dev/null
  done
  start homestead --map-reach 0 # the grid that one stands in alone
  start world
  look --seconds 60 --cuts 25 --grids 9 --remembered 8 --stay 1
  [ "$(value remembered)" -lt "$(value grids)" ] || die "nothing is live"
  "$bin/stenness" status --all >"$dir/status.out" 2>&1
  grep -q 'record.state.*in use' "$dir/status.out" || die "the status does not speak of the record: $(cat "$dir/status.out")"
  # Export while the world runs; the import into another record knows nothing twice.
  "$bin/stenness" map export "$dir/all.hmap" || die "no export"
  "$bin/stenness" map import "$dir/all.hmap" --map "$dir/other.sqlite" | tee "$dir/import.out" || die "no import"
  grep -Eq ' [1-9][0-9]* grids and 0 markers are new, 0 grids were known' "$dir/import.out" || die "import: $(cat "$dir/import.out")"
  "$bin/stenness" map import "$dir/all.hmap" | grep -q ' 0 grids and 0 markers are new' || die "known ground was taken again"
  # A record that cannot be used: said, and the world goes on.
  kill "${pid[world]}"
  wait "${pid[world]}" 2>/dev/null
  echo "no database at all, but long enough to look like the first page of one, which it is not............." \
    >"$dir/state/stenness/map-homestead-s.sqlite"
  rm -f "$dir"/state/stenness/*-wal "$dir"/state/stenness/*-shm
  start world
  look --seconds 40 --cuts 0 --grids 1 --stay 1
  "$bin/stenness" status --all >"$dir/status.out" 2>&1
  grep -q 'nothing is recorded' "$dir/status.out" || die "a damaged record is not said: $(cat "$dir/status.out")"
  ;;
*) die "no such case: $1" ;;
esac
