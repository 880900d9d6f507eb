/* reduce_journal.c - the outcomes of tests so far, kept in a file.
 *
 * The way of a reduction depends on the outcomes alone, so that they are all that must be kept.
 * The first lines say what they belong to; then each is one character. */
#include "cli/reduce_journal.h"
#include "cli/say.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { JOURNAL_MOST = 1 << 30 };

/* "OUT.reduce"; a slash at the end of a directory's name does not count. */
static char *journal_path(const char *out)
{
    static const char suffix[] = ".reduce";
    size_t len = strlen(out);
    while (len > 1 && out[len - 1] == '/')
        len--;
    char *path = malloc(len + sizeof suffix);
    if (path)
        snprintf(path, len + sizeof suffix, "%.*s%s", (int)len, out, suffix);
    return path;
}

/* What must be the same for outcomes to be taken up. */
static char *heading(uint64_t identity, const char *const *command, size_t word_count)
{
    size_t size = 80, len;
    for (size_t i = 0; i < word_count; i++)
        size += strlen(command[i]) + 24;
    char *text = malloc(size);
    if (!text)
        return NULL;
    len = (size_t)snprintf(text, size, "rastrum reduce 1\ntrace %016" PRIx64 "\n", identity);
    for (size_t i = 0; i < word_count; i++)
        len += (size_t)snprintf(text + len, size - len, "word %zu %s\n", strlen(command[i]),
                                command[i]);
    snprintf(text + len, size - len, "outcomes\n");
    return text;
}

static bool write_all(int fd, const char *text, size_t len)
{
    while (len) {
        ssize_t n = write(fd, text, len);
        if (n < 0 && errno != EINTR)
            return false;
        text += n > 0 ? n : 0;
        len -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* The whole file; NULL: it cannot be read. */
static char *journal_read_all(int fd, size_t *len)
{
    struct stat st;
    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > JOURNAL_MOST)
        return NULL;
    char *text = malloc((size_t)st.st_size + 1);
    *len = 0;
    while (text && *len < (size_t)st.st_size) {
        ssize_t n = read(fd, text + *len, (size_t)st.st_size - *len);
        if (n <= 0)
            break;
        *len += (size_t)n;
    }
    return text;
}

static int take_up(struct journal *j, const char *head, bool restart)
{
    size_t len, head_len = strlen(head);
    char *text = journal_read_all(j->fd, &len);
    if (!text)
        return trouble("%s: cannot be read", j->path);
    bool same = len >= head_len && !memcmp(text, head, head_len);
    if (len && !same && !restart) {
        free(text);
        return trouble("%s belongs to another trace or command; --restart starts over", j->path);
    }
    if (!same || restart) {
        free(text);
        if (ftruncate(j->fd, 0) < 0 || lseek(j->fd, 0, SEEK_SET) < 0 ||
            !write_all(j->fd, head, head_len))
            return trouble("%s: %s", j->path, strerror(errno));
        j->ours = true;
        return 0;
    }
    j->ours = true;
    j->known = text;
    j->at = head_len;
    j->known_count = len;
    return 0;
}

int journal_open(struct journal *j, const char *out, uint64_t identity, const char *const *command,
                 size_t word_count, bool restart)
{
    char *head = heading(identity, command, word_count);
    j->fd = -1;
    j->path = journal_path(out);
    if (!head || !j->path) {
        free(head);
        return trouble("out of memory");
    }
    j->fd = open(j->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    int status =
        j->fd < 0 ? trouble("%s: %s", j->path, strerror(errno)) : take_up(j, head, restart);
    free(head);
    return status;
}

char journal_next(struct journal *j)
{
    return j->at < j->known_count ? j->known[j->at++] : 0;
}

int journal_add(struct journal *j, char outcome)
{
    return write_all(j->fd, &outcome, 1) ? 0 : trouble("%s: %s", j->path, strerror(errno));
}

void journal_close(struct journal *j, bool done)
{
    if (j->fd >= 0)
        close(j->fd);
    if (done && j->ours)
        unlink(j->path);
    free(j->path);
    free(j->known);
}
