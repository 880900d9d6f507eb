/* html_escape.h - text of a trace in HTML and SVG: the one function through which it goes. */
#ifndef VIEW_HTML_ESCAPE_H
#define VIEW_HTML_ESCAPE_H

#include "base/out.h"

/* Append text, of content or of an attribute in double quotes. & < > " ' become references;
 * control characters and what is not UTF-8 become U+FFFD; line breaks, tabs and controls of the
 * direction of text, which could make it show what it is not, become visible escapes (\n, \u202e).
 */
void html_bytes(struct out *, const void *text, size_t len);
void html_text(struct out *, const char *text);
/* The same, formatted. */
void html_format(struct out *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
#endif
