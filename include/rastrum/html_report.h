/* html_report.h - a report of a run or a trace, or of two that are compared, as one HTML file.
 *
 * The file is static: it has no script, and refers to nothing outside itself. The same input gives
 * the same bytes.
 *
 *     struct ras_html_report made;
 *     const char *const paths[] = {"good", "bad"};
 *     if (ras_html_report(&made, paths, 2, NULL, sink, err) == RAS_OK && made.diverged)
 *         printf("first difference at %" PRIu64 "\n", made.first); */
#ifndef RASTRUM_HTML_REPORT_H
#define RASTRUM_HTML_REPORT_H

#include <rastrum/rastrum.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ras_gpu; /* gpu.h */

struct ras_html_report_options {
    size_t struct_size;        /* sizeof, or 0: see docs/abi.md */
    const struct ras_gpu *gpu; /* draws pictures: ras_gpu() of librastrum-gpu; NULL: none are */
    bool has_tick;
    uint64_t tick;     /* in place of the first divergence: a tick, frame or number of a record */
    bool has_pictures; /* else 2 */
    uint32_t
        pictures; /* frames that are shown, each of both sides and how they differ; 6 at most */
    bool big;     /* above RAS_HTML_REPORT_MOST bytes, too */
    const struct ras_options *open; /* NULL: as found */
    ras_progress *progress;         /* NULL: none */
    void *user;
    /* rastrum.html, to be put into the report with as many ticks of the traces as fit in 3 MiB;
     * none: a report without scripts */
    struct ras_bytes viewer;
};
#define RAS_HTML_REPORT_MOST (UINT64_C(5) << 20)

/* What is in it. */
struct ras_html_report {
    bool compared; /* two sides were */
    bool diverged;
    bool lost;      /* something is missing, cut or damaged, so that not all is known */
    uint64_t first; /* divergent place; RAS_NONE: none, or it is not known */
    uint64_t size_bytes;
    uint64_t reserved[4];
};

/* One path, or two, the expected one first. RAS_EUSAGE: the two are not of one kind, or there is no
 * such tick; RAS_ELIMIT: the file would be too large. Nothing is written to the sink if it fails.
 */
RAS_API int ras_html_report(struct ras_html_report *out, const char *const *paths, size_t count,
                            const struct ras_html_report_options *options, struct ras_sink *sink,
                            struct ras_error *err) RAS_CHECKED;

#ifdef __cplusplus
}
#endif
#endif
