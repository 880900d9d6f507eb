/* agents_page.h - skills/AGENTS.md as it is in the program, made by tools/assets. */
#ifndef CLI_AGENTS_PAGE_H
#define CLI_AGENTS_PAGE_H

#include <stddef.h>
#include <stdint.h>

extern const uint8_t *const agents_page;
extern const size_t agents_page_size;
#endif
