/* terrane merge: joins the shards of an export. The tiles go through a spool as those of an export
 * do, so the archive has the bytes of an export that was not split.
 *
 * A folder among the arguments is listed once, by name, and only names that an archive may have are
 * taken; that the files are parts of one export is checked when they are opened. */
#define _GNU_SOURCE /* asprintf() */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "server/base/long_work.h"
#include "server/base/progress.h"
#include "server/cli/command.h"
#include "server/export/archives/tile_source.h"

/* The files to join. */
struct shard_files {
    char **paths; /* owned, as the texts are */
    size_t count;
};

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

/* The arguments, where a folder stands for all archives in it, so that a job without a shell need
 * not name each. The files are to be freed in any case. */
static bool find_files(const struct options *options, struct shard_files *files,
                       struct error *error)
{
    bool done = true;
    for (size_t i = 0; done && i < options->argument_count; i++) {
        const char *path = options->arguments[i];
        done =
            is_folder(path) ? add_folder(files, path, error) : add_path(files, strdup(path), error);
    }
    return done;
}

static void free_files(struct shard_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        free(files->paths[i]);
    free(files->paths);
}

struct shard {
    struct tile_source *source;
    struct tile_archive_description description;
};

struct work {
    struct shard *shards;
    size_t count;
    const char *path;
    const struct tile_archive_kind *kind;
    struct spool *spool;
    struct progress progress;
    uint64_t done, total; /* tiles */
};

static int compare_shards(const void *left, const void *right)
{
    const struct shard *a = left, *b = right;
    return (a->description.shard > b->description.shard) -
           (a->description.shard < b->description.shard);
}

static bool open_shards(const struct shard_files *files, struct work *work, struct error *error)
{
    work->shards = calloc(files->count + 1, sizeof *work->shards);
    if (!work->shards)
        return error_memory(error);
    for (; work->count < files->count; work->count++) {
        struct shard *shard = &work->shards[work->count];
        shard->source = tile_source_open(files->paths[work->count], error);
        if (!shard->source)
            return false;
        if (!tile_source_describe(shard->source, &shard->description, error) ||
            !tile_source_check(shard->source, &shard->description, error)) {
            work->count++;
            return false;
        }
        tile_source_rest(shard->source);
    }
    qsort(work->shards, work->count, sizeof *work->shards, compare_shards);
    return true;
}

/* Refuses shards of different exports; names what differs. */
static bool check_same(const struct shard *first, const struct shard *other, struct error *error)
{
    const char *differs = tile_archive_difference(&first->description, &other->description);
    if (first->description.shards != other->description.shards)
        differs = "number of shards";
    if (!differs)
        return true;
    error_set(error, ERROR_VALUE, "is of another export than %s: its %s differs",
              tile_source_path(first->source), differs);
    return error_in_file(error, tile_source_path(other->source));
}

/* All shards of one export must be there, each once. */
static bool check_shards(const struct work *work, struct error *error)
{
    const unsigned wanted = work->shards[0].description.shards;
    for (size_t i = 1; i < work->count; i++)
        if (!check_same(&work->shards[0], &work->shards[i], error))
            return false;
    for (unsigned i = 0; i < wanted; i++)
        if (i >= work->count || work->shards[i].description.shard != i + 1)
            return error_set(error, ERROR_VALUE, "shard %u/%u is missing, or another stands twice",
                             i + 1, wanted);
    return work->count == wanted ||
           error_set(error, ERROR_VALUE, "%zu files are more than the %u shards of the export",
                     work->count, wanted);
}

/* The archive has the tiles of the shards, and may be made of a second copy of them; each tile has
 * an entry. */
static bool check_disk(const struct work *work, struct error *error)
{
    const double entries = (double)tile_range_count(&work->shards[0].description.range) *
                           (double)sizeof(struct spool_entry);
    double bytes = 0;
    for (size_t i = 0; i < work->count; i++) {
        struct stat status;
        if (stat(tile_source_path(work->shards[i].source), &status) == 0)
            bytes += (double)status.st_size;
    }
    const double copied = bytes * work->kind->disk_percent / 100.0;
    const struct long_work_space parts = {.least = (entries + bytes) * 0.8,
                                          .about = entries + bytes};
    const struct long_work_space copy = {.least = copied * 0.8, .about = copied};
    return spool_check_disk(work->path, &parts, &copy, error);
}

/* Refuses a shard whose tiles, from `first` on in the spool, are not those that it was made of: in
 * the archive their damage could not be seen any more. */
static bool check_digest(const struct work *work, const struct shard *shard, uint64_t first,
                         struct error *error)
{
    char digest[33];
    const char *wanted = tile_source_metadata(shard->source, "terrane:digest");
    if (!spool_digest(work->spool, first, digest, error))
        return false;
    if (wanted && strcmp(wanted, digest) == 0)
        return true;
    error_set(error, ERROR_VALUE, "damaged: has tiles with the digest %s, not %s as it says",
              digest, wanted ? wanted : "-");
    return error_in_file(error, tile_source_path(shard->source));
}

static bool append_tiles(struct work *work, const struct shard *shard, struct error *error)
{
    const uint64_t first = spool_count(work->spool);
    struct buffer bytes = {0};
    uint64_t index, end;
    bool done = true;
    tile_archive_shard(&shard->description, &index, &end);
    for (; done && index < end; index++) {
        const struct tile_address tile = tile_range_at(&shard->description.range, index);
        buffer_clear(&bytes);
        done = (tile_source_read(shard->source, tile, &bytes, error) ||
                tile_range_name(tile, error)) &&
               spool_append(work->spool, bytes.data, bytes.length, error);
        if (++work->done % 1024 == 0)
            done = progress_step(&work->progress, work->done, work->total, 0) && done;
    }
    tile_source_rest(shard->source);
    buffer_free(&bytes);
    return done && check_digest(work, shard, first, error);
}

static bool write_archive(struct work *work, struct error *error)
{
    struct tile_archive_description description = work->shards[0].description;
    description.shard = description.shards = 1;
    bool done = true;
    for (size_t i = 0; done && i < work->count; i++)
        done = append_tiles(work, &work->shards[i], error);
    progress_begin_phase(&work->progress, "tiles", "finishing");
    const struct tile_archive_content content = {work->spool, &description, &work->progress};
    done = done && tile_archive_make(work->kind, &content, work->path, error);
    if (done)
        work->spool = NULL;
    return done;
}

static bool merge(const struct shard_files *files, struct work *work, struct error *error)
{
    const struct buffer recipe = {.data = (uint8_t *)"merge", .length = 5};
    if (!open_shards(files, work, error) || !check_shards(work, error) || !check_disk(work, error))
        return false;
    work->total = tile_range_count(&work->shards[0].description.range);
    work->spool = spool_open(work->path, &recipe, SPOOL_REDO, error);
    if (!work->spool)
        return false;
    long_work_catch_signals();
    work->progress.is_interrupted = long_work_is_interrupted;
    progress_begin_phase(&work->progress, "tiles", "joining");
    const bool done = write_archive(work, error);
    progress_end(&work->progress);
    spool_remove(work->spool);
    if (!done && long_work_is_interrupted())
        error_set(error, ERROR_VALUE, "interrupted; the same command begins anew");
    return done;
}

enum exit_status command_merge(const struct options *options)
{
    struct error error = {0};
    struct work work = {.path = options_text(options, OPTION_MERGED)};
    if (!work.path)
        return command_misuse(options, "-o FILE is needed");
    if (options->argument_count == 0)
        return command_misuse(options, "the files of the shards are needed");
    work.kind = tile_archive_kind_of(work.path, &error);
    if (!work.kind) {
        error_in_path(&error, "-o");
        command_fail(&error);
        return EXIT_USAGE;
    }
    struct shard_files files = {0};
    const bool done = find_files(options, &files, &error) && merge(&files, &work, &error);
    free_files(&files);
    for (size_t i = 0; i < work.count; i++)
        tile_source_close(work.shards[i].source);
    free(work.shards);
    return done ? EXIT_DONE : command_fail(&error);
}
