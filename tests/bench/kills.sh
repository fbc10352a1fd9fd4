#!/bin/bash
# Two meshers under load, one of them killed at random again and again. Usage: kills.sh KILLS [SEED]
# A viewer changes the ground settings all the time, so that all 98 halves of its 49 cuts are built anew; when the
# last kill is over, each must come with the newest settings, none twice for one setting, and no lease may be left.
# Prints one line of JSON; exit 1 when a rule is broken.
. "$(dirname "$0")/../scenario/instance.sh"
kills=${1:-100}
RANDOM=${2:-1}

start homestead
start loader
start world
start_as mesher0 mesher --threads 1
start_as mesher1 mesher --threads 1

"$viewer" --seconds $((60 + kills)) --reach 3 --cuts 49 --change 0.25 --change-until "$dir/over" >"$dir/viewer.out" 2>>"$dir/viewer.log" &
looking=$!
for _ in $(seq 300); do grep -q changing "$dir/viewer.log" 2>/dev/null && break; sleep 0.1; done
grep -q changing "$dir/viewer.log" || die "nothing came within 30 s"
begun=$EPOCHREALTIME
for _ in $(seq "$kills"); do
  sleep 0.$((RANDOM % 25 + 10))
  name=mesher$((RANDOM % 2))
  stop_hard $name
  start_as $name mesher --threads 1
done
over=$EPOCHREALTIME
touch "$dir/over"
wait $looking || die "viewer: $(cat "$dir/viewer.out")"
ended=$EPOCHREALTIME
out=$(cat "$dir/viewer.out")
for key in twice leases failures gaps; do
  [ "$(value $key)" = 0 ] || die "$key: $out"
done
[ "$(value swaps)" -gt 0 ] || die "no change was shown at once: $out"
echo "{\"kills\":$kills,\"killing_s\":$(awk "BEGIN { print $over - $begun }"),\"settled_s\":$(awk "BEGIN { print $ended - $over }"),\"changes\":$(value changes),\"products\":$(value products),\"cuts\":$(value cuts),\"twice\":$(value twice),\"leases\":$(value leases),\"failures\":$(value failures),\"swaps\":$(value swaps),\"swap_longest_s\":$(value swap_longest_s)}"
