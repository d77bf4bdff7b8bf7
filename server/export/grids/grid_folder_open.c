/* Opening a folder, and what is there from a run before: see grid_folder.c for the files. What a
 * kill has cut of a line of SHA256SUMS is no name, and not believed. */
#include "server/export/grids/grid_folder_private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/hash.h"
#include "server/base/build.h"
#include "server/base/file.h"

enum { SUMS_MAX = 1 << 28 }; /* bytes: more than GRID_FILES_MAX lines have */

bool grid_folder_fail(const struct grid_folder *folder, const char *name, const char *what,
                      struct error *error)
{
    error_set(error, ERROR_IO, "%s%s%s: %s", name, name[0] ? " " : "", what, strerror(errno));
    return error_in_file(error, folder->path);
}

/* SHA256SUMS */

static void write_header(const struct grid_plan *plan, char header[64])
{
    struct buffer recipe = {0};
    char hex[33];
    buffer_format(&recipe, "%s %s %s %s %s %u %u %lld %lld %lld %lld %lld %lld", server_build,
                  plan->world->identity.name, plan->world->identity.fingerprint,
                  world_materials_fingerprint(plan->world->world), plan->engine->name,
                  (unsigned)plan->size, plan->layer_count, (long long)plan->box[0],
                  (long long)plan->box[1], (long long)plan->box[2], (long long)plan->box[3],
                  (long long)plan->step, (long long)plan->t);
    buffer_text(&recipe, plan->format->name);
    buffer_append(&recipe, &plan->scale, sizeof plan->scale);
    hash_hex(hash_bytes(recipe.data, recipe.length, 0), hex);
    snprintf(header, 64, "# terrane export %s\n", hex);
    buffer_free(&recipe);
}

/* Takes the digest of a line; lines of other files are passed over. */
static void read_line(struct grid_folder *folder, char *line)
{
    uint32_t file;
    uint8_t digest[SHA256_BYTES];
    const size_t length = strlen(line);
    if (length <= SHA256_TEXT + 1 || !sha256_parse(line, digest) ||
        !grid_plan_find_file(folder->plan, line + SHA256_TEXT + 1, &file))
        return;
    memcpy(folder->files[file].digest, digest, sizeof digest);
    folder->files[file].is_made = true;
}

static bool read_sums(struct grid_folder *folder, char *text, struct error *error)
{
    static const char mark[] = "# terrane export ";
    const size_t header = strlen(folder->header);
    if (strncmp(text, mark, strlen(mark)) != 0) {
        error_set(error, ERROR_VALUE, "has a %s, but is no export's: choose another folder",
                  GRID_SUMS);
        return error_in_file(error, folder->path);
    }
    if (strncmp(text, folder->header, header) != 0) {
        error_set(error, ERROR_VALUE,
                  "holds another export, of another world, area, size or build: delete it, or "
                  "choose another folder");
        return error_in_file(error, folder->path);
    }
    char *rest = text + header, *end;
    for (; (end = strchr(rest, '\n')); rest = end + 1) {
        *end = '\0';
        read_line(folder, rest);
    }
    return true;
}

/* Reads what was made before. */
static bool load_sums(struct grid_folder *folder, struct error *error)
{
    struct stat status;
    if (fstat(folder->sums, &status) != 0)
        return grid_folder_fail(folder, GRID_SUMS, "cannot be read", error);
    if (status.st_size > SUMS_MAX) {
        errno = EFBIG;
        return grid_folder_fail(folder, GRID_SUMS, "cannot be read", error);
    }
    if (status.st_size == 0)
        return true; /* new, or killed before the header was written */
    char *text = malloc((size_t)status.st_size + 1);
    if (!text)
        return error_memory(error);
    const ssize_t got = file_read_at(folder->sums, text, (size_t)status.st_size, 0);
    text[got > 0 ? got : 0] = '\0';
    const bool done = got >= 0 ? read_sums(folder, text, error)
                               : grid_folder_fail(folder, GRID_SUMS, "cannot be read", error);
    free(text);
    return done;
}

/* Opening */

/* Programs of all kinds have a manifest.json, which is not to be lost. */
static bool check_manifest(const struct grid_folder *folder, struct error *error)
{
    struct stat sums;
    const bool has_sums =
        fstatat(folder->folder, GRID_SUMS, &sums, AT_SYMLINK_NOFOLLOW) == 0 && sums.st_size > 0;
    if (has_sums || faccessat(folder->folder, GRID_MANIFEST, F_OK, AT_SYMLINK_NOFOLLOW) != 0)
        return true;
    error_set(error, ERROR_VALUE, "has a %s, but is no export's: choose another folder",
              GRID_MANIFEST);
    return error_in_file(error, folder->path);
}

static bool open_files(struct grid_folder *folder, struct error *error)
{
    if (mkdir(folder->path, 0777) != 0 && errno != EEXIST)
        return grid_folder_fail(folder, "", "cannot be created", error);
    folder->folder = open(folder->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder->folder < 0)
        return grid_folder_fail(folder, "", "cannot be opened", error);
    /* Where folders cannot be locked, nobody is kept out. */
    if (flock(folder->folder, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        error_set(error, ERROR_IO, "another process is exporting to this folder");
        return error_in_file(error, folder->path);
    }
    if (!check_manifest(folder, error))
        return false;
    folder->sums =
        openat(folder->folder, GRID_SUMS, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    return folder->sums >= 0 || grid_folder_fail(folder, GRID_SUMS, "cannot be created", error);
}

struct grid_folder *grid_folder_open(const char *path, const struct grid_plan *plan,
                                     struct error *error)
{
    struct grid_folder *folder = calloc(1, sizeof *folder);
    if (!folder)
        return error_memory_null(error);
    folder->plan = plan;
    folder->folder = folder->sums = -1;
    for (unsigned i = 0; i < GRID_LAYERS_MAX; i++)
        folder->parts[i].file = -1;
    folder->file_count = grid_plan_tiles(plan) * plan->layer_count;
    folder->path = strdup(path);
    folder->files = calloc(folder->file_count, sizeof *folder->files);
    write_header(plan, folder->header);
    if (!folder->path || !folder->files)
        error_memory(error);
    else if (open_files(folder, error) && load_sums(folder, error))
        return folder;
    grid_folder_close(folder);
    return NULL;
}

void grid_folder_close(struct grid_folder *folder)
{
    if (!folder)
        return;
    grid_folder_drop_parts(folder);
    if (folder->sums >= 0)
        close(folder->sums);
    if (folder->folder >= 0)
        close(folder->folder);
    free(folder->files);
    free(folder->path);
    free(folder);
}

/* What is there */

double grid_folder_space(const char *path, const struct grid_plan *plan)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;
    double bytes = 0;
    while (folder && (entry = readdir(folder))) {
        struct stat status;
        uint32_t file;
        if (grid_plan_find_file(plan, entry->d_name, &file) &&
            fstatat(dirfd(folder), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0)
            bytes += 512.0 * (double)status.st_blocks;
    }
    if (folder)
        closedir(folder);
    return bytes;
}

/* The digest and the extremes of a file that is there; false if it cannot be read, or is shorter or
 * longer than it should be. */
static bool read_file(struct grid_folder *folder, uint32_t index, struct grid_file *found)
{
    const unsigned layer = index % folder->plan->layer_count;
    const struct grid_format *format = grid_plan_format(folder->plan, layer);
    const uint64_t whole = grid_plan_bytes(folder->plan, layer);
    char name[GRID_NAME];
    grid_plan_file_name(folder->plan, index, name);
    struct sha256 *hash = sha256_new();
    const int file = openat(folder->folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    uint64_t at = 0;
    ssize_t got = hash && file >= 0 ? 1 : 0;
    while (got > 0 && (got = file_read_at(file, folder->piece, GRID_PIECE, at)) > 0) {
        grid_format_extremes(format, folder->piece, (size_t)got, &found->extremes);
        if (!sha256_add(hash, folder->piece, (size_t)got))
            got = -1;
        at += got > 0 ? (uint64_t)got : 0;
    }
    if (hash)
        sha256_take(hash, found->digest);
    sha256_free(hash);
    if (file >= 0)
        close(file);
    return got == 0 && at == whole;
}

bool grid_folder_check(struct grid_folder *folder, struct progress *progress)
{
    const unsigned layers = folder->plan->layer_count;
    uint64_t done = 0, total = 0;
    for (uint32_t i = 0; i < folder->file_count; i++)
        total += folder->files[i].is_made ? grid_plan_bytes(folder->plan, i % layers) : 0;
    for (uint32_t i = 0; i < folder->file_count; i++) {
        struct grid_file *file = &folder->files[i];
        struct grid_file found = {.extremes = grid_no_extremes};
        if (!file->is_made)
            continue;
        file->is_made =
            read_file(folder, i, &found) && memcmp(found.digest, file->digest, SHA256_BYTES) == 0;
        file->extremes = found.extremes;
        done += grid_plan_bytes(folder->plan, i % layers);
        if (!progress_step(progress, done, total, 0))
            return false;
    }
    return true;
}

bool grid_folder_has_tile(const struct grid_folder *folder, uint32_t tile)
{
    const unsigned layers = folder->plan->layer_count;
    for (uint32_t file = tile * layers; file < (tile + 1) * layers; file++)
        if (!folder->files[file].is_made)
            return false;
    return true;
}

void grid_folder_forget(struct grid_folder *folder)
{
    for (uint32_t i = 0; i < folder->file_count; i++)
        folder->files[i].is_made = false;
}

const struct grid_file *grid_folder_file(const struct grid_folder *folder, uint32_t file)
{
    return &folder->files[file];
}
