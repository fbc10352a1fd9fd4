#!/bin/bash
# World with real processes: what a viewer is told, and what is left when a piece dies. Usage: world.sh CASE
# Processes run in an instance of their own below a temporary runtime folder; all of them end with the script.
set -u
bin=$STN_BUILD/bin
viewer=$STN_BUILD/tests/scenario/scenario-viewer
dir=$(mktemp -d)
export XDG_RUNTIME_DIR=$dir XDG_CACHE_HOME=$dir/cache XDG_STATE_HOME=$dir/state XDG_CONFIG_HOME=$dir/config STENNESS_INSTANCE=s
declare -A pid

start() { # NAME [arguments]
  local name=$1
  shift
  "$bin/stenness-$name" "$@" >>"$dir/$name.log" 2>&1 &
  pid[$name]=$!
}

finish() {
  local status=$?
  for name in "${!pid[@]}"; do kill -9 "${pid[$name]}" 2>/dev/null; done
  wait 2>/dev/null
  if [ $status -ne 0 ]; then
    for log in "$dir"/*.log; do echo "== ${log##*/}"; tail -15 "$log"; done
  fi
  [ -n "${STN_KEEP:-}" ] || rm -rf "$dir"
  exit $status
}
trap finish EXIT

die() { echo "FAILED: $*"; exit 1; }

# The number behind a key of the viewer's line.
value() { sed -n "s/.*\"$1\":\([-0-9.]*\).*/\1/p" <<<"$out"; }

look() { # arguments of the viewer; its line in $out
  out=$("$viewer" "$@" 2>>"$dir/viewer.log") || die "viewer $*: $out"
  echo "$out"
}

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
