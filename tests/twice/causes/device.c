/* device.c - the random device, opened in each way that there is. */
#define _GNU_SOURCE
#include "take.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

int open64(const char *, int, ...);
int openat64(int, const char *, int, ...);

static int open_by(const char *how)
{
    if (!strcmp(how, "open"))
        return open("/dev/urandom", O_RDONLY);
    if (!strcmp(how, "open64"))
        return open64("/dev/random", O_RDONLY | O_CLOEXEC);
    if (!strcmp(how, "openat"))
        return openat(AT_FDCWD, "/dev/urandom", O_RDONLY);
    return !strcmp(how, "openat64") ? openat64(3, "/dev/urandom", O_RDONLY) : -1;
}

static unsigned draw(const char *how)
{
    unsigned v = 0;
    int fd = open_by(how);
    if (fd >= 0) {
        (void)!read(fd, &v, sizeof v);
        close(fd);
    } else if (!strcmp(how, "fopen")) {
        FILE *f = fopen("/dev/urandom", "rb");
        if (f) {
            (void)!fread(&v, 1, sizeof v, f);
            fclose(f);
        }
    } else if (!strcmp(how, "getentropy")) {
        (void)!getentropy(&v, sizeof v);
    } else {
        (void)!getrandom(&v, sizeof v, 0);
    }
    return v;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "getrandom";
    for (int i = 0; i < 4; i++)
        printf("%d ", take(draw(how)));
    puts("");
}
