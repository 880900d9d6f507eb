/* folder.c - the files of a directory, sorted, and what is in one that it writes itself. */
#include "take.h"
#include <dirent.h>
#include <stdlib.h>

int main(void)
{
    struct dirent **list;
    int count = scandir("data", &list, NULL, alphasort);
    FILE *f = fopen("list.txt", "w");
    for (int i = 0; i < count; i++) {
        if (list[i]->d_name[0] != '.')
            fprintf(f, "%s %d\n", list[i]->d_name, take((unsigned)list[i]->d_name[0]));
        free(list[i]);
    }
    free(list);
    fclose(f);
    puts("done");
}
