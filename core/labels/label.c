/* Lists of labels. */
#include "core/labels/label.h"

#include <stdlib.h>

#include "core/base/array.h"

void label_list_free(struct label_list *list)
{
    free(list->labels);
    *list = (struct label_list){0};
}

bool label_list_add(struct label_list *list, const struct label *label, struct error *error)
{
    struct label *labels =
        array_reserve(list->labels, list->count, &list->capacity, sizeof *labels);
    if (!labels)
        return error_memory(error);
    list->labels = labels;
    labels[list->count++] = *label;
    return true;
}
