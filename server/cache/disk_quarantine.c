/* Where damaged database files go: the part of disk_file.h that is about folders. */
#define _GNU_SOURCE /* asprintf */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/cache/disk_file.h"

enum { KEPT_FILES = 2, NUMBER_MAX = 1000000000 };

/* The log and its index stand beside the file. The file itself goes first: without it, SQLite takes
 * a log for no longer needed, whereas an older file with a log's half is a damaged one. */
static const char *const suffixes[] = {"", "-wal", "-shm"};
enum { SUFFIXES = sizeof suffixes / sizeof *suffixes };

static const char damaged_infix[] = ".damaged-";

/* N if the name is `base`.damaged-N, else 0. */
static unsigned number_of(const char *name, const char *base)
{
    const size_t length = strlen(base), marked = strlen(damaged_infix);
    if (strncmp(name, base, length) != 0 || strncmp(name + length, damaged_infix, marked) != 0)
        return 0;
    char *end;
    const char *digits = name + length + marked;
    const unsigned long number = strtoul(digits, &end, 10);
    return end > digits && *end == 0 && number < NUMBER_MAX ? (unsigned)number : 0;
}

/* Calls for each that there is. */
static void for_each_damaged(const char *path, void (*visit)(void *context, unsigned number),
                             void *context)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    DIR *directory = folder ? opendir(folder) : NULL;
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        const unsigned number = number_of(entry->d_name, slash ? slash + 1 : path);
        if (number > 0)
            visit(context, number);
    }
    if (directory)
        closedir(directory);
    free(folder);
}

static void take_highest(void *context, unsigned number)
{
    unsigned *highest = context;
    if (number > *highest)
        *highest = number;
}

/* "FILE.damaged-N-wal"; null when memory is out. */
static char *damaged_path(const char *path, unsigned number, const char *suffix)
{
    char *text = NULL;
    return asprintf(&text, "%s%s%u%s", path, damaged_infix, number, suffix) < 0 ? NULL : text;
}

struct cleaning {
    const char *path;
    unsigned newest;
};

static void delete_old(void *context, unsigned number)
{
    const struct cleaning *cleaning = context;
    if (number + KEPT_FILES > cleaning->newest)
        return;
    for (size_t i = 0; i < SUFFIXES; i++) {
        char *text = damaged_path(cleaning->path, number, suffixes[i]);
        if (text)
            unlink(text);
        free(text);
    }
}

static bool move_aside(const char *path, unsigned number, const char *suffix)
{
    char *from = NULL;
    char *to = damaged_path(path, number, suffix);
    if (asprintf(&from, "%s%s", path, suffix) < 0)
        from = NULL;
    const bool moved = from && to && (rename(from, to) == 0 || errno == ENOENT);
    free(from);
    free(to);
    return moved;
}

bool disk_file_quarantine(const char *path, unsigned *number)
{
    unsigned highest = 0;
    for_each_damaged(path, take_highest, &highest);
    *number = highest + 1;
    bool done = true;
    for (size_t i = 0; i < SUFFIXES && done; i++)
        done = move_aside(path, *number, suffixes[i]);
    struct cleaning cleaning = {path, *number};
    for_each_damaged(path, delete_old, &cleaning);
    return done;
}

bool disk_file_delete(const char *path)
{
    bool done = true;
    for (size_t i = 0; i < SUFFIXES && done; i++) {
        char *text = NULL;
        if (asprintf(&text, "%s%s", path, suffixes[i]) < 0)
            text = NULL;
        done = text && (unlink(text) == 0 || errno == ENOENT);
        free(text);
    }
    return done;
}
