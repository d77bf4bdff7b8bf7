/* SHA256SUMS begins with a comment that has a hash of everything that decides the bytes; then there
 * is a line for each file, as sha256sum writes it. Lines are appended tile by tile; at the end the
 * file is written again, in the order of the files, so that its bytes do not depend on
 * interruptions.
 *
 * Files are written as NAME.part. The folder is locked, so that these names need not be unique, and
 * the next run writes over what a kill has left. */
#define _GNU_SOURCE /* syncfs() */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "server/base/file.h"
#include "server/export/grids/grid_folder_private.h"

#define PART ".part"

enum { PART_NAME = GRID_NAME + sizeof PART };

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

void grid_folder_drop_parts(struct grid_folder *folder)
{
    for (unsigned i = 0; i < folder->plan->layer_count; i++) {
        struct grid_part *part = &folder->parts[i];
        char name[PART_NAME];
        if (part->file >= 0) {
            close(part->file);
            part_name(folder, folder->tile * folder->plan->layer_count + i, name);
            unlinkat(folder->folder, name, 0);
        }
        sha256_free(part->hash);
        *part = (struct grid_part){.file = -1};
    }
}

static void write_line(const struct grid_folder *folder, uint32_t file, struct buffer *out)
{
    char name[GRID_NAME], digest[SHA256_TEXT];
    sha256_format(folder->files[file].digest, digest);
    buffer_format(out, "%s  %s\n", digest, file_name(folder, file, name));
}

/* All files that are made, in their order. */
static void write_sums(const struct grid_folder *folder, struct buffer *out)
{
    buffer_text(out, folder->header);
    for (uint32_t file = 0; file < folder->file_count; file++)
        if (folder->files[file].is_made)
            write_line(folder, file, out);
}

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
    done = done && fsync(file) == 0;
    done = (file < 0 || close(file) == 0) && done;
    if (done && renameat(folder->folder, part, folder->folder, name) == 0)
        return true;
    grid_folder_fail(folder, name, "cannot be written", error);
    unlinkat(folder->folder, part, 0);
    return false;
}

static bool publish_sums(struct grid_folder *folder, struct error *error)
{
    struct buffer text = {0};
    write_sums(folder, &text);
    const bool done = publish(folder, GRID_SUMS, &text, error);
    folder->sums_length = text.length;
    buffer_free(&text);
    return done;
}

bool grid_folder_begin(struct grid_folder *folder, struct error *error)
{
    unlinkat(folder->folder, GRID_MANIFEST, 0);
    if (!publish_sums(folder, error))
        return false;
    close(folder->sums);
    folder->sums = openat(folder->folder, GRID_SUMS, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    return folder->sums >= 0 || grid_folder_fail(folder, GRID_SUMS, "cannot be opened", error);
}

bool grid_folder_begin_tile(struct grid_folder *folder, uint32_t tile, struct error *error)
{
    folder->tile = tile;
    for (unsigned i = 0; i < folder->plan->layer_count; i++) {
        struct grid_part *part = &folder->parts[i];
        const uint32_t file = tile * folder->plan->layer_count + i;
        char name[PART_NAME];
        part_name(folder, file, name);
        part->hash = sha256_new();
        if (!part->hash)
            return error_memory(error);
        part->file = openat(folder->folder, name,
                            O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (part->file < 0)
            return grid_folder_fail(folder, name, "cannot be created", error);
        folder->files[file] = (struct grid_file){.extremes = grid_no_extremes};
    }
    return true;
}

bool grid_folder_add(struct grid_folder *folder, unsigned layer, const void *bytes, size_t length,
                     struct error *error)
{
    struct grid_part *part = &folder->parts[layer];
    const uint32_t file = folder->tile * folder->plan->layer_count + layer;
    char name[GRID_NAME];
    if (!file_write_at(part->file, bytes, length, part->length))
        return grid_folder_fail(folder, file_name(folder, file, name), "cannot be written", error);
    part->length += length;
    grid_format_extremes(grid_plan_format(folder->plan, layer), bytes, length,
                         &folder->files[file].extremes);
    return sha256_add(part->hash, bytes, length) || error_memory(error);
}

static bool end_part(struct grid_folder *folder, unsigned layer, struct error *error)
{
    struct grid_part *part = &folder->parts[layer];
    const uint32_t file = folder->tile * folder->plan->layer_count + layer;
    const int descriptor = part->file;
    char name[GRID_NAME], before[PART_NAME];
    part_name(folder, file, before);
    part->file = -1;
    if (close(descriptor) != 0 ||
        renameat(folder->folder, before, folder->folder, file_name(folder, file, name)) != 0) {
        grid_folder_fail(folder, name, "cannot be written", error);
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
        done = grid_folder_fail(folder, GRID_SUMS, "cannot be written", error);
    folder->sums_length += lines.length;
    buffer_free(&lines);
    grid_folder_drop_parts(folder);
    return done;
}

/* The manifest comes last. */
bool grid_folder_finish(struct grid_folder *folder, const struct buffer *manifest,
                        struct error *error)
{
    if (!publish_sums(folder, error))
        return false;
    if (syncfs(folder->folder) != 0)
        return grid_folder_fail(folder, "", "cannot be written", error);
    return publish(folder, GRID_MANIFEST, manifest, error);
}
