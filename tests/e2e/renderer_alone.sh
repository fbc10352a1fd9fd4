#!/bin/sh
# The renderer without any other process: it opens, draws, says what it waits for, and ends well. With a driver that draws
# in software, with one that does nothing, and with no display at all.
set -u
bin=$STN_BUILD/bin/stenness-renderer
run=$(mktemp -d)
trap 'rm -rf "$run"' EXIT
XDG_RUNTIME_DIR=$run
export XDG_RUNTIME_DIR
unset DISPLAY WAYLAND_DISPLAY
fail() { echo "FAIL: $1"; cat "$run/log"; exit 1; }

"$bin" --null-gl --instance e2e --frames 300 --fps 0 >"$run/log" 2>&1 || fail "300 frames with a driver that does nothing"

if "$bin" --headless --gl-debug --preset high --instance e2e --size 320x180 --frames 5 >"$run/log" 2>&1; then
    grep -q "GL says" "$run/log" && fail "the driver complains"
    grep -q "error" "$run/log" && fail "an error without a reason"
    echo "headless drawing: good"
else
    grep -q "EGL\|OpenGL" "$run/log" || fail "no drawing, and no word about what is missing"
    echo "headless drawing: skipped, $(tail -n 1 "$run/log")"
fi

# A driver that has OpenGL 2.1 alone (Mesa can be told to say so).
MESA_GL_VERSION_OVERRIDE=2.1 "$bin" --headless --instance e2e --size 320x180 --frames 5 >"$run/log" 2>&1 &&
    fail "a driver without OpenGL 3.3 draws"
grep -q "OpenGL 3.3\|EGL" "$run/log" || fail "OpenGL 2.1, and the text does not say what is missing"

SDL_VIDEODRIVER=x11 "$bin" --instance e2e --frames 1 >"$run/log" 2>&1 && fail "a window without a display"
grep -q -- "--headless" "$run/log" || fail "no display, and the text does not say what to do"

"$bin" --size 5x5 >"$run/log" 2>&1
[ $? -eq 64 ] || fail "--size 5x5 is not a usage error"
"$bin" --null-gl --instance e2e --bind fly=F2 --frames 1 >"$run/log" 2>&1 && fail "an unknown action is bound"
grep -q "fly" "$run/log" || fail "an unknown action is not named"

# A stop by signal is an end as wished.
"$bin" --null-gl --instance e2e >"$run/log" 2>&1 &
pid=$!
sleep 1
kill -TERM $pid
wait $pid || fail "SIGTERM is not an end with status 0"
echo "good"
