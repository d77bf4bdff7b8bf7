/* A folder is listed once, by name, and only names that an archive may have are taken. merge checks
 * that the files are parts of one export when it opens them. */
#define _GNU_SOURCE /* asprintf() */
#include "server/cli/shard_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "server/export/archives/tile_source.h"

static int is_archive(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && tile_source_can_open(entry->d_name);
}

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Takes the path over, which is null when memory is out. */
static bool add_path(struct shard_files *files, char *path, struct error *error)
{
    char **paths = realloc(files->paths, (files->count + 1) * sizeof *paths);
    if (paths)
        files->paths = paths;
    if (!path || !paths) {
        free(path);
        return error_memory(error);
    }
    files->paths[files->count++] = path;
    return true;
}

static bool add_folder(struct shard_files *files, const char *folder, struct error *error)
{
    struct dirent **entries = NULL;
    const int count = scandir(folder, &entries, is_archive, alphasort);
    if (count <= 0) {
        free(entries);
        error_set(error, ERROR_IO, "%s",
                  count < 0 ? strerror(errno) : "has no .pmtiles or .mbtiles in it");
        return error_in_file(error, folder);
    }
    bool done = true;
    for (int i = 0; i < count; i++) {
        char *path = NULL;
        if (done && asprintf(&path, "%s/%s", folder, entries[i]->d_name) < 0)
            path = NULL;
        done = done && add_path(files, path, error);
        free(entries[i]);
    }
    free(entries);
    return done;
}

bool shard_files_find(const struct options *options, struct shard_files *files, struct error *error)
{
    bool done = true;
    for (size_t i = 0; done && i < options->argument_count; i++) {
        const char *path = options->arguments[i];
        done =
            is_folder(path) ? add_folder(files, path, error) : add_path(files, strdup(path), error);
    }
    return done;
}

void shard_files_free(struct shard_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        free(files->paths[i]);
    free(files->paths);
}
