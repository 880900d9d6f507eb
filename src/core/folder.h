/* folder.h - what only the library does with folders. */
#ifndef CORE_FOLDER_H
#define CORE_FOLDER_H

#include <rastrum/rastrum.h>

/* Where it is made, for who writes files of his own into it; NULL: in memory. */
const char *folder_place(const struct ras_folder *);
/* Close the files that were begun, and take in those that others have made: they are published
 * with the folder, or removed. */
int folder_settle(struct ras_folder *, struct ras_error *);
/* What it replaces may have files of these kinds (".json"), too; NULL ends the list, which is
 * of static life. */
void folder_kinds(struct ras_folder *, const char *const *kinds);
/* All its files. Those of a folder in memory have their bytes. */
const struct ras_part *folder_files(struct ras_folder *, size_t *count);
#endif
