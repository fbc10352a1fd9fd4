# An instance of its own below a temporary runtime folder, for scripts that start real processes: sourced with
# STN_BUILD set. All processes end with the script.
set -u
bin=$STN_BUILD/bin
viewer=$STN_BUILD/tests/scenario/scenario-viewer
dir=$(mktemp -d)
export XDG_RUNTIME_DIR=$dir XDG_CACHE_HOME=$dir/cache XDG_STATE_HOME=$dir/state XDG_CONFIG_HOME=$dir/config STENNESS_INSTANCE=s
declare -A pid

start_as() { # NAME PROGRAM [arguments]
  local name=$1 program=$2
  shift 2
  "$bin/stenness-$program" "$@" >>"$dir/$name.log" 2>&1 &
  pid[$name]=$!
}

start() { # PROGRAM [arguments]
  start_as "$1" "$@"
}

stop_hard() { # NAME
  kill -9 "${pid[$1]}"
  wait "${pid[$1]}" 2>/dev/null
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
