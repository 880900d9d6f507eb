/* report_page.h - the page of a report while it is written; shared by its sections. */
#ifndef VIEW_REPORT_PAGE_H
#define VIEW_REPORT_PAGE_H

#include "view/versus.h"
#include "view/html_escape.h"

#include <rastrum/html_report.h>

struct report_page {
    struct out out;
    const struct shown *shown;
    const char *paths[SIDES_MOST]; /* as they were given */
    const char *names[SIDES_MOST]; /* their last components */
    const struct ras_html_report_options *options;
    struct arena texts;
    struct comparison *comparison; /* of two */
    uint64_t place;                /* that the report is about; RAS_NONE: none */
    struct ras_compare_options how;
    struct out embedded, embed_note; /* traces as scripts, and what the page says of them */
    uint64_t column;                 /* of the timeline: how much of a tick is shown; 0: not set */
};

/* The report of what is shown, appended to `out`. */
int report_put(struct out *out, const struct shown *, const struct ras_html_report_options *,
               struct ras_html_report *found, struct ras_error *) RAS_CHECKED;

/* Sections. RAS_OK, or a negative status with err: memory, or cancelled. */
int report_pair(struct report_page *, struct ras_error *);
int report_single(struct report_page *, struct ras_error *);
int report_pictures(struct report_page *, struct ras_error *);
int report_times(struct report_page *, struct ras_error *);
int report_timeline(struct report_page *, struct ras_error *);
int report_endings(struct report_page *, struct ras_error *);
void report_settings(struct report_page *);
void report_commands(struct report_page *);

/* report_embed.c: with a viewer in the options, its policy, its styles, and at the end the traces
 * and its scripts. */
void embed_policy(struct out *, struct ras_bytes viewer);
void embed_styles(struct out *, struct ras_bytes viewer);
int embed_make(struct report_page *, struct ras_error *);
void embed_put(struct report_page *);

/* report_table.c */
void report_heading(struct report_page *, const char *text);
void report_cell(struct report_page *, const char *class, const char *text);
/* A table {"columns", "rows"} of figures, at most so many rows. Columns X and X_actual are a pair,
 * `sides` are their heads; NULL: all columns are shown. */
void report_figures(struct report_page *, const struct ras_value *table, size_t most,
                    const char *const *sides);
/* A figure as people read it: by the unit in which the column's name ends. */
const char *report_figure(struct arena *, const char *column, const struct ras_value *);
const char *report_bytes(struct arena *, uint64_t bytes);
const char *report_ns(struct arena *, double ns);
bool report_number(const struct ras_value *, double *);

extern const char *const report_style[]; /* ends with NULL */
#endif
