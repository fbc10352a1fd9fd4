#include "client/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static stn_status read_line(int fd, char *out, size_t cap, stn_err *err)
{
    size_t n = 0;
    for (;;) {
        char c;
        ssize_t got = read(fd, &c, 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0 || c == '\n')
            break;
        if (n + 1 >= cap)
            return stn_fail(err, STN_USAGE, "password: more than %zu bytes", cap - 1);
        out[n++] = c;
    }
    out[n] = 0;
    return n > 0 ? STN_OK : stn_fail(err, STN_USAGE, "password: none given");
}

stn_status stn_terminal_password(const char *user, char *out, size_t cap, stn_err *err)
{
    struct termios shown, hidden;
    stn_status st;
    int fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);

    out[0] = 0;
    if (fd < 0)
        return stn_fail(err, STN_USAGE,
                        "password: no terminal to ask on (a saved token needs none: leave --user out)");
    if (tcgetattr(fd, &shown) != 0) {
        close(fd);
        return stn_fail(err, STN_IO, "terminal: %s", strerror(errno));
    }
    hidden = shown;
    hidden.c_lflag &= ~(tcflag_t)ECHO;
    tcsetattr(fd, TCSAFLUSH, &hidden);
    dprintf(fd, "Password of %s: ", user);
    st = read_line(fd, out, cap, err);
    tcsetattr(fd, TCSAFLUSH, &shown);
    dprintf(fd, "\n");
    close(fd);
    return st;
}
