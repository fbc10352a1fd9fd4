#!/bin/bash
# What the driver does and what comes of it, through all processes. Usage: act.sh CASE
. "$(dirname "$0")/instance.sh"
driver=$STN_BUILD/tests/scenario/scenario-driver

act() { # arguments of the driver; its line in $out
  out=$("$driver" --seconds 90 "$@" 2>>"$dir/driver.log") || die "driver $*: $out"
  echo "$out"
}

# The embedded server's own word on where it listens.
server_address() {
  for _ in $(seq 200); do
    sed -n 's/.*"udp": "\([^"]*\)".*/\1/p' "$dir/stenness/s/homestead.json" 2>/dev/null | grep . && return
    sleep 0.1
  done
  die "homestead does not say where it is"
}

case $1 in
menu) # right click, choose, and the thing is another; what is chosen twice is as it was
  start homestead
  start loader
  start world
  act --menu homestead/things/campfire --choose "Put out" --state homestead/things/campfire=01
  act --menu homestead/things/campfire --choose Light --state homestead/things/campfire=
  ;;
smoke) # a fire that is put out smokes on for some seconds, until one who draws it says that it is over
  start homestead
  start loader
  start mesher
  start world
  start renderer --null-gl --spectator
  act --overlays homestead/things/campfire=1
  # Nobody's word would end it after a minute.
  act --menu homestead/things/campfire --choose "Put out" --overlays homestead/things/campfire=0 --seconds 50
  act --menu homestead/things/campfire --choose Light --overlays homestead/things/campfire=1
  ;;
place) # what the server asks to place is put down by the driver, and another viewer sees it come and go
  post=homestead/things/guidepost
  start homestead
  start loader
  start world
  act --count $post=0
  "$driver" --seconds 90 --watch --count $post=1 >"$dir/watch.out" 2>>"$dir/watch.log" &
  pid[watch]=$!
  act --menu homestead/things/well --choose "Set up a guidepost" --put --count $post=1
  wait "${pid[watch]}" || die "another viewer does not see it: $(cat "$dir/watch.out")"
  act --menu $post --choose "Take away" --count $post=0
  ;;
cave) # one session, another place: the ground under it is asked for and built, walls and all
  start homestead
  start loader
  start mesher
  start world
  act --menu homestead/things/cavemouth --choose "Crawl in"
  for _ in $(seq 60); do
    look --seconds 60 --cuts 25 --entities 2 --grids 9
    [[ $(value player_x) = ??????.* ]] && break
    sleep 1
  done
  [[ $(value player_x) = ??????.* ]] || die "the player is not in the cave: $out"
  look --seconds 60 --cuts 25 --entities 2 --grids 9 --stay 1
  [ "$(value failures)" = 0 ] || die "ground that cannot be built: $out"
  ;;
party) # two people of one party see each other's places and names, and lose who leaves
  start homestead --one-party
  start loader
  start world --user first
  act --sessions 1
  address=$(server_address) || exit 1
  start_as other world --instance other --server "$address" --user other --map none --state none
  act --party 2 --name other
  "$bin/stenness" status --all >"$dir/status.out" 2>&1
  grep -q 'party.members.*2' "$dir/status.out" || die "the status does not speak of the party: $(cat "$dir/status.out")"
  act --instance other --party 2
  ;;
travel) # the server hands over to another session: a new frame, the old session is closed, and it goes on from there
  for seal in "" --encrypt; do
    start homestead
    start loader
    start world $seal
    act --menu homestead/things/rowboat --choose "Row away" --sessions 2
    act --menu homestead/things/campfire --choose "Put out" --state homestead/things/campfire=01
    for _ in $(seq 100); do
      "$bin/stenness" status --all >"$dir/status.out" 2>&1
      grep -Eq '^ *clients +1$' "$dir/status.out" && break
      sleep 0.1
    done
    grep -Eq '^ *clients +1$' "$dir/status.out" || die "the first session is still there: $(cat "$dir/status.out")"
    grep -Eq 'handed-over +1$' "$dir/status.out" || die "nobody was handed over: $(cat "$dir/status.out")"
    for name in world loader homestead; do stop_hard $name || :; done
  done
  ;;
*) die "no such case: $1" ;;
esac
