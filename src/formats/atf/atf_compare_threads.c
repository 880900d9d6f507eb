/* atf_compare_threads.c - which threads of two sessions are the same one.
 *
 * Threads are numbered by their first event, which is a race: a program that always does the same
 * has other numbers in every recording. Who created a thread, and as which of its threads, does
 * not depend on that, so that threads are paired by it where both manifests know it of all. */
#include "formats/atf/atf_compare.h"

#include <stdlib.h>

/* Numbers by their value, for "0.10" comes after "0.9". */
static int path_order(const char *a, const char *b)
{
    while (*a && *b) {
        size_t n = strspn(a, "0123456789"), m = strspn(b, "0123456789");
        if (n && m) {
            int order = n != m ? (n < m ? -1 : 1) : memcmp(a, b, n);
            if (order)
                return order;
            a += n;
            b += m;
        } else if (*a != *b) {
            return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
        } else {
            a++;
            b++;
        }
    }
    return *a ? 1 : *b ? -1 : 0;
}

int atf_pairing_order(const struct atf_pairing *a, const struct atf_pairing *b)
{
    if (a->path && b->path)
        return path_order(a->path, b->path);
    return a->id < b->id ? -1 : a->id > b->id;
}

static int by_order(const void *a, const void *b)
{
    return atf_pairing_order(a, b);
}

/* The threads from `at` on that are of one process; where they end. */
static size_t process_end(const struct ras_atf_session *s, size_t at)
{
    size_t end = at;
    while (end < s->thread_count && s->threads[end].process == s->threads[at].process)
        end++;
    return end;
}

/* Whether each of them has a path of its own; they are sorted by it then. */
static bool has_paths(struct atf_pairing *p, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!p[i].path)
            return false;
    qsort(p, count, sizeof *p, by_order);
    for (size_t i = 1; i < count; i++)
        if (!path_order(p[i - 1].path, p[i].path))
            return false;
    return true;
}

static void pair_by_number(struct atf_pairing *p, size_t count)
{
    for (size_t i = 0; i < count; i++)
        p[i].path = NULL;
    qsort(p, count, sizeof *p, by_order);
}

static struct atf_pairing *list(const struct ras_atf_session *s)
{
    struct atf_pairing *p = calloc(s->thread_count + 1, sizeof *p);
    for (size_t i = 0; p && i < s->thread_count; i++)
        p[i] = (struct atf_pairing){
            .thread = i, .path = atf_thread_path(s, &s->threads[i]), .id = s->threads[i].thread_id};
    return p;
}

bool atf_pair_threads(const struct ras_atf_session *a, const struct ras_atf_session *b,
                      struct atf_pairing *out[2], bool *numbers)
{
    out[0] = list(a);
    out[1] = list(b);
    if (!out[0] || !out[1])
        return false;
    for (size_t i = 0, k = 0; i < a->thread_count || k < b->thread_count;) {
        size_t i_end = process_end(a, i), k_end = process_end(b, k);
        bool paths = has_paths(out[0] + i, i_end - i) && has_paths(out[1] + k, k_end - k);
        if (!paths) {
            pair_by_number(out[0] + i, i_end - i);
            pair_by_number(out[1] + k, k_end - k);
        }
        *numbers |= !paths && i_end - i > 1 && k_end - k > 1;
        i = i_end;
        k = k_end;
    }
    return true;
}
