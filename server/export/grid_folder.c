/* SHA256SUMS begins with a comment that has a hash of everything that decides the bytes; then there
 * is a line for each file, as sha256sum writes it. Lines are appended tile by tile; at the end the
 * file is written again, in the order of the files, so that its bytes do not depend on
 * interruptions. What is there of a line that a kill has cut is no name, and not believed.
 *
 * Files are written as NAME.part. The folder is locked, so that these names need not be unique, and
 * the next run writes over what a kill has left. */
#define _GNU_SOURCE /* syncfs() */
#include "server/export/grid_folder.h"

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

#define SUMS "SHA256SUMS"
#define MANIFEST "manifest.json"
#define PART ".part"

enum {
    PART_NAME = GRID_NAME + sizeof PART,
    SUMS_MAX = 1 << 28, /* bytes: more than GRID_FILES_MAX lines have */
    PIECE = 1 << 16,    /* bytes that are read at once */
};

/* A file that is being written. */
struct part {
    int file; /* -1 for none */
    uint64_t length;
    struct sha256 *hash;
};

struct grid_folder {
    const struct grid_plan *plan;
    char *path;
    int folder, sums;
    uint64_t sums_length;
    char header[64]; /* of SHA256SUMS */
    struct grid_file *files;
    uint32_t file_count;
    uint32_t tile; /* whose files are being written */
    struct part parts[GRID_LAYERS_MAX];
    uint8_t piece[PIECE];
};

static bool fail(const struct grid_folder *folder, const char *name, const char *what,
                 struct error *error)
{
    error_set(error, ERROR_IO, "%s%s%s: %s", name, name[0] ? " " : "", what, strerror(errno));
    return error_in_file(error, folder->path);
}

static const char *file_name(const struct grid_folder *folder, uint32_t file, char name[GRID_NAME])
{
    grid_plan_file_name(folder->plan, file, name);
    return name;
}

static void part_name(const struct grid_folder *folder, uint32_t file, char name[PART_NAME])
{
    char whole[GRID_NAME];
    snprintf(name, PART_NAME, "%s" PART, file_name(folder, file, whole));
}

/* SHA256SUMS */

static void write_header(const struct grid_plan *plan, char header[64])
{
    struct buffer recipe = {0};
    char hex[33];
    buffer_format(&recipe, "%s %s %s %s %s %u %u %u %u %lld %lld %lld %lld", server_build,
                  plan->world->name, plan->world->fingerprint,
                  world_materials_fingerprint(plan->world->world), plan->engine->name,
                  (unsigned)plan->size, (unsigned)plan->columns, (unsigned)plan->rows,
                  plan->layer_count, (long long)plan->box[0], (long long)plan->box[1],
                  (long long)plan->step, (long long)plan->t);
    buffer_text(&recipe, plan->format->name);
    buffer_append(&recipe, &plan->scale, sizeof plan->scale);
    hash_hex(hash_bytes(recipe.data, recipe.length, 0), hex);
    snprintf(header, 64, "# terrane export %s\n", hex);
    buffer_free(&recipe);
}

static void write_line(const struct grid_folder *folder, uint32_t file, struct buffer *out)
{
    char name[GRID_NAME], digest[SHA256_TEXT];
    sha256_format(folder->files[file].digest, digest);
    buffer_format(out, "%s  %s\n", digest, file_name(folder, file, name));
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
    const size_t header = strlen(folder->header);
    if (!strchr(text, '\n'))
        return true; /* killed before the header was written */
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
    if (fstat(folder->sums, &status) != 0 || status.st_size > SUMS_MAX)
        return fail(folder, SUMS, "cannot be read", error);
    char *text = malloc((size_t)status.st_size + 1);
    if (!text)
        return error_memory(error);
    const ssize_t got = file_read_at(folder->sums, text, (size_t)status.st_size, 0);
    text[got > 0 ? got : 0] = '\0';
    const bool done =
        got >= 0 ? read_sums(folder, text, error) : fail(folder, SUMS, "cannot be read", error);
    free(text);
    return done;
}

/* All files that are made, in their order. */
static void write_sums(const struct grid_folder *folder, struct buffer *out)
{
    buffer_text(out, folder->header);
    for (uint32_t file = 0; file < folder->file_count; file++)
        if (folder->files[file].is_made)
            write_line(folder, file, out);
}

/* Opening */

static bool open_files(struct grid_folder *folder, struct error *error)
{
    if (mkdir(folder->path, 0777) != 0 && errno != EEXIST)
        return fail(folder, "", "cannot be created", error);
    folder->folder = open(folder->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder->folder < 0)
        return fail(folder, "", "cannot be opened", error);
    /* Where folders cannot be locked, nobody is kept out. */
    if (flock(folder->folder, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        error_set(error, ERROR_IO, "another process is exporting to this folder");
        return error_in_file(error, folder->path);
    }
    folder->sums = openat(folder->folder, SUMS, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    return folder->sums >= 0 || fail(folder, SUMS, "cannot be created", error);
}

struct grid_folder *grid_folder_open(const char *path, const struct grid_plan *plan,
                                     struct error *error)
{
    struct grid_folder *folder = calloc(1, sizeof *folder);
    if (!folder) {
        error_memory(error);
        return NULL;
    }
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

static void drop_parts(struct grid_folder *folder)
{
    for (unsigned i = 0; i < folder->plan->layer_count; i++) {
        struct part *part = &folder->parts[i];
        char name[PART_NAME];
        if (part->file >= 0) {
            close(part->file);
            part_name(folder, folder->tile * folder->plan->layer_count + i, name);
            unlinkat(folder->folder, name, 0);
        }
        sha256_free(part->hash);
        *part = (struct part){.file = -1};
    }
}

void grid_folder_close(struct grid_folder *folder)
{
    if (!folder)
        return;
    drop_parts(folder);
    if (folder->sums >= 0)
        close(folder->sums);
    if (folder->folder >= 0)
        close(folder->folder);
    free(folder->files);
    free(folder->path);
    free(folder);
}

/* What is there */

/* The digest and the extremes of a file that is there; false if it cannot be read, or is shorter or
 * longer than it should be. */
static bool read_file(struct grid_folder *folder, uint32_t index, struct grid_file *found)
{
    const unsigned layer = index % folder->plan->layer_count;
    const struct grid_format *format = grid_plan_format(folder->plan, layer);
    const uint64_t whole = grid_plan_bytes(folder->plan, layer);
    char name[GRID_NAME];
    struct sha256 *hash = sha256_new();
    const int file = openat(folder->folder, file_name(folder, index, name),
                            O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    uint64_t at = 0;
    ssize_t got = hash && file >= 0 ? 1 : 0;
    while (got > 0 && (got = file_read_at(file, folder->piece, PIECE, at)) > 0) {
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

bool grid_folder_check(struct grid_folder *folder, const struct grid_folder_progress *progress)
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
        if (progress->show && !progress->show(progress->context, done, total))
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

/* Writing */

/* Writes a file under another name and gives it its own. */
static bool publish(struct grid_folder *folder, const char *name, const struct buffer *bytes,
                    struct error *error)
{
    char part[PART_NAME];
    snprintf(part, sizeof part, "%s" PART, name);
    if (bytes->failed)
        return error_memory(error);
    const int file =
        openat(folder->folder, part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    bool done = file >= 0 && file_write_at(file, bytes->data, bytes->length, 0);
    done = (file < 0 || close(file) == 0) && done;
    if (done && renameat(folder->folder, part, folder->folder, name) == 0)
        return true;
    fail(folder, name, "cannot be written", error);
    unlinkat(folder->folder, part, 0);
    return false;
}

static bool publish_sums(struct grid_folder *folder, struct error *error)
{
    struct buffer text = {0};
    write_sums(folder, &text);
    const bool done = publish(folder, SUMS, &text, error);
    folder->sums_length = text.length;
    buffer_free(&text);
    return done;
}

bool grid_folder_begin(struct grid_folder *folder, struct error *error)
{
    unlinkat(folder->folder, MANIFEST, 0);
    if (!publish_sums(folder, error))
        return false;
    close(folder->sums);
    folder->sums = openat(folder->folder, SUMS, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    return folder->sums >= 0 || fail(folder, SUMS, "cannot be opened", error);
}

bool grid_folder_begin_tile(struct grid_folder *folder, uint32_t tile, struct error *error)
{
    folder->tile = tile;
    for (unsigned i = 0; i < folder->plan->layer_count; i++) {
        struct part *part = &folder->parts[i];
        const uint32_t file = tile * folder->plan->layer_count + i;
        char name[PART_NAME];
        part_name(folder, file, name);
        part->hash = sha256_new();
        if (!part->hash)
            return error_memory(error);
        part->file = openat(folder->folder, name,
                            O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (part->file < 0)
            return fail(folder, name, "cannot be created", error);
        folder->files[file] = (struct grid_file){.extremes = grid_no_extremes};
    }
    return true;
}

bool grid_folder_add(struct grid_folder *folder, unsigned layer, const void *bytes, size_t length,
                     struct error *error)
{
    struct part *part = &folder->parts[layer];
    const uint32_t file = folder->tile * folder->plan->layer_count + layer;
    char name[GRID_NAME];
    if (!file_write_at(part->file, bytes, length, part->length))
        return fail(folder, file_name(folder, file, name), "cannot be written", error);
    part->length += length;
    grid_format_extremes(grid_plan_format(folder->plan, layer), bytes, length,
                         &folder->files[file].extremes);
    return sha256_add(part->hash, bytes, length) || error_memory(error);
}

static bool end_part(struct grid_folder *folder, unsigned layer, struct error *error)
{
    struct part *part = &folder->parts[layer];
    const uint32_t file = folder->tile * folder->plan->layer_count + layer;
    const int descriptor = part->file;
    char name[GRID_NAME], before[PART_NAME];
    part_name(folder, file, before);
    part->file = -1;
    if (close(descriptor) != 0 ||
        renameat(folder->folder, before, folder->folder, file_name(folder, file, name)) != 0) {
        fail(folder, name, "cannot be written", error);
        unlinkat(folder->folder, before, 0);
        return false;
    }
    sha256_take(part->hash, folder->files[file].digest);
    folder->files[file].is_made = true;
    return true;
}

bool grid_folder_end_tile(struct grid_folder *folder, struct error *error)
{
    struct buffer lines = {0};
    bool done = true;
    for (unsigned i = 0; done && i < folder->plan->layer_count; i++) {
        done = end_part(folder, i, error);
        write_line(folder, folder->tile * folder->plan->layer_count + i, &lines);
    }
    if (done && lines.failed)
        done = error_memory(error);
    if (done && !file_write_at(folder->sums, lines.data, lines.length, folder->sums_length))
        done = fail(folder, SUMS, "cannot be written", error);
    folder->sums_length += lines.length;
    buffer_free(&lines);
    drop_parts(folder);
    return done;
}

/* The manifest comes last. */
bool grid_folder_finish(struct grid_folder *folder, const struct buffer *manifest,
                        struct error *error)
{
    if (!publish_sums(folder, error))
        return false;
    if (syncfs(folder->folder) != 0)
        return fail(folder, "", "cannot be written", error);
    return publish(folder, MANIFEST, manifest, error);
}
