/* terrane cache: shows the content of a disk cache, checks it, or deletes tiles.
 *
 * One pass over all records fills a tally by format and by world. Every seed makes a world of its
 * own, so that there may be as many worlds as tiles: the sums are in a search tree, and are sorted
 * once at the end. Only --check reads the payloads. A running server may use the file at the same
 * time. */
#define _GNU_SOURCE /* tdestroy */
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/array.h"
#include "core/base/json_writer.h"
#include "server/base/build.h"
#include "server/cache/disk_maintenance.h"
#include "server/cli/command.h"

enum { NAME_TEXT = CACHE_KEY_WORLD + 1 };

/* The tiles of a format or a world. */
struct sum {
    char name[NAME_TEXT]; /* first member */
    uint64_t tiles, bytes;
};

/* Sums by name. */
struct sums {
    void *tree;         /* of struct sum, by name, for tsearch() */
    struct sum **items; /* all; the largest first once sums_sort() was called */
    size_t count, capacity;
    bool failed; /* memory is out */
};

struct tally {
    struct sum all;
    struct sums formats, worlds;
    uint64_t others; /* tiles of other builds or layouts, which are not served */
    uint64_t damaged;
    struct hash128 build;
    bool whole; /* the payloads are checked too */
};

static int compare_names(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* The sum of that name, new if there is none; null when memory is out, which is reported at the
 * end. */
static struct sum *find_sum(struct sums *sums, const char *name)
{
    struct sum *const *found = tfind(name, &sums->tree, compare_names);
    if (found)
        return *found;
    struct sum **items =
        array_reserve(sums->items, sums->count, &sums->capacity, sizeof *sums->items);
    struct sum *sum = items ? calloc(1, sizeof *sum) : NULL;
    sums->items = items ? items : sums->items;
    if (sum) {
        memcpy(sum->name, name, strnlen(name, NAME_TEXT - 1));
        found = tsearch(sum, &sums->tree, compare_names);
    }
    if (!found) {
        free(sum);
        sums->failed = true;
        return NULL;
    }
    return sums->items[sums->count++] = sum;
}

static int compare_sums(const void *a, const void *b)
{
    const struct sum *one = *(struct sum *const *)a, *other = *(struct sum *const *)b;
    if (one->bytes != other->bytes)
        return one->bytes < other->bytes ? 1 : -1;
    return strcmp(one->name, other->name);
}

static void sums_sort(struct sums *sums)
{
    if (sums->count > 0)
        qsort(sums->items, sums->count, sizeof *sums->items, compare_sums);
}

static void sums_free(struct sums *sums)
{
    tdestroy(sums->tree, free);
    free(sums->items);
}

static void add(struct sum *sum, size_t bytes)
{
    if (sum) {
        sum->tiles++;
        sum->bytes += bytes;
    }
}

/* Replaces control characters and blanks, which only the names in damaged records contain. */
static void make_plain(char *text)
{
    for (char *c = text; *c; c++)
        if (*c <= ' ' || *c > '~')
            *c = '?';
}

static void world_of(const struct record *record, char out[NAME_TEXT])
{
    memcpy(out, record->key, CACHE_KEY_WORLD);
    out[CACHE_KEY_WORLD] = '\0';
    make_plain(out);
}

/* True if the header of the record can be read and, if `whole`, its payload is valid and belongs to
 * its row. */
static bool is_sound(const struct disk_row *row, bool whole, struct record *record)
{
    if (!row->record || !record_read_header(row->record, row->length, record))
        return false;
    if (!whole)
        return true;
    struct cache_key key;
    memcpy(key.bytes, record->key, CACHE_KEY_BYTES);
    cache_key_seal(&key);
    return (int64_t)key.hash.low == row->hash &&
           record_read(row->record, row->length, record) == RECORD_VALID;
}

/* The visitor of `show`: adds the row to the tally. False, as no row is to be deleted. */
static bool count_row(void *context, const struct disk_row *row)
{
    struct tally *tally = context;
    struct record record;
    char world[NAME_TEXT];
    add(&tally->all, row->record_length);
    if (row->record && record_read(row->record, row->length, &record) == RECORD_OTHER_LAYOUT) {
        tally->others++;
        return false;
    }
    if (!is_sound(row, tally->whole, &record)) {
        tally->damaged++;
        return false;
    }
    world_of(&record, world);
    make_plain(record.format);
    add(find_sum(&tally->formats, record.format), row->record_length);
    add(find_sum(&tally->worlds, world), row->record_length);
    if (record.build.high != tally->build.high || record.build.low != tally->build.low)
        tally->others++;
    return false;
}

/* The name of the catalog's world with that fingerprint, or null. */
static const char *name_world(const struct catalog *catalog, const char *fingerprint)
{
    for (size_t i = 0; i < catalog_world_count(catalog); i++) {
        const struct catalog_world *world = catalog_world_at(catalog, i);
        if (strcmp(world_fingerprint(world->world), fingerprint) == 0)
            return world->identity.name;
    }
    for (size_t i = 0; i < catalog_former_count(catalog); i++)
        if (strcmp(catalog_former_at(catalog, i)->identity.fingerprint, fingerprint) == 0)
            return catalog_former_at(catalog, i)->identity.name;
    return NULL;
}

struct report_text {
    const char *path;
    const struct catalog *catalog;
    const struct tally *tally;
    uint64_t file_bytes;
    const char *structure; /* the error of its structure, or null */
};

static void print_sums_json(struct json_writer *json, const struct report_text *report,
                            const struct sums *sums, bool worlds)
{
    json_array_open(json);
    for (size_t i = 0; i < sums->count; i++) {
        const struct sum *sum = sums->items[i];
        json_object_open(json);
        json_member_string(json, worlds ? "fingerprint" : "format", sum->name);
        if (worlds)
            json_member_string(json, "name", name_world(report->catalog, sum->name));
        json_member_integer(json, "tiles", (int64_t)sum->tiles);
        json_member_integer(json, "bytes", (int64_t)sum->bytes);
        json_object_close(json);
    }
    json_array_close(json);
}

static void print_json(const struct report_text *report, struct buffer *out)
{
    const struct tally *tally = report->tally;
    struct json_writer json;
    json_begin_object(&json, out, true);
    json_member_string(&json, "file", report->path);
    json_member_integer(&json, "file_bytes", (int64_t)report->file_bytes);
    json_member_integer(&json, "tiles", (int64_t)tally->all.tiles);
    json_member_integer(&json, "bytes", (int64_t)tally->all.bytes);
    json_member_integer(&json, "of_other_builds", (int64_t)tally->others);
    if (tally->whole) {
        json_member_integer(&json, "damaged", (int64_t)tally->damaged);
        json_member_string(&json, "structure", report->structure ? report->structure : "ok");
    }
    json_write_key(&json, "formats");
    print_sums_json(&json, report, &tally->formats, false);
    json_write_key(&json, "worlds");
    print_sums_json(&json, report, &tally->worlds, true);
    json_finish_object(&json);
}

/* In MB with one decimal, rounded. */
static void print_size(uint64_t bytes, struct buffer *out)
{
    const uint64_t tenths = (bytes * 10 + (1 << 19)) >> 20;
    buffer_format(out, "%llu.%llu MB", (unsigned long long)(tenths / 10),
                  (unsigned long long)(tenths % 10));
}

static void print_sum(const struct sum *sum, const char *behind, struct buffer *out)
{
    buffer_format(out, "  %-36s %9llu  ", sum->name, (unsigned long long)sum->tiles);
    print_size(sum->bytes, out);
    buffer_format(out, "%s%s\n", behind ? "  " : "", behind ? behind : "");
}

static void print_text(const struct report_text *report, struct buffer *out)
{
    const struct tally *tally = report->tally;
    buffer_format(out, "%s: %llu tiles, ", report->path, (unsigned long long)tally->all.tiles);
    print_size(tally->all.bytes, out);
    buffer_text(out, " in a file of ");
    print_size(report->file_bytes, out);
    buffer_format(out, "\n%llu of other builds, which are not served\n",
                  (unsigned long long)tally->others);
    if (tally->whole)
        buffer_format(out, "%llu damaged; structure: %s\n", (unsigned long long)tally->damaged,
                      report->structure ? report->structure : "ok");
    buffer_text(out, tally->formats.count ? "formats:\n" : "");
    for (size_t i = 0; i < tally->formats.count; i++)
        print_sum(tally->formats.items[i], NULL, out);
    buffer_text(out, tally->worlds.count ? "worlds:\n" : "");
    for (size_t i = 0; i < tally->worlds.count; i++)
        print_sum(tally->worlds.items[i], name_world(report->catalog, tally->worlds.items[i]->name),
                  out);
}

static bool measure(struct report_text *report, struct error *error)
{
    struct stat status;
    if (stat(report->path, &status) != 0) {
        error_set(error, ERROR_IO, "%s", strerror(errno));
        return error_in_file(error, report->path);
    }
    report->file_bytes = (uint64_t)status.st_size;
    return true;
}

/* With --check, damage makes the exit status 1. */
static enum exit_status print_tally(const struct options *options, const struct report_text *report)
{
    struct buffer out = {0};
    (options_given(options, OPTION_JSON) ? print_json : print_text)(report, &out);
    enum exit_status printed = command_print(&out);
    const bool sound = !report->structure && report->tally->damaged == 0;
    return printed != EXIT_DONE || sound || !report->tally->whole ? printed : EXIT_FAILED;
}

static enum exit_status show(const struct options *options, const struct catalog *catalog,
                             struct disk_file *file)
{
    struct error error = {0}, structure = {0};
    uint64_t deleted;
    struct tally tally = {.build = server_build_hash(),
                          .whole = options_given(options, OPTION_CHECK)};
    struct report_text report = {options->arguments[0], catalog, &tally, 0, NULL};
    bool done = disk_maintenance_each(file, &(struct disk_visit){tally.whole, count_row, &tally},
                                      &deleted, &error);
    sums_sort(&tally.formats);
    sums_sort(&tally.worlds);
    if (tally.formats.failed || tally.worlds.failed)
        done = error_memory(&error);
    if (done && tally.whole && !disk_maintenance_check(file, &structure))
        report.structure = structure.message;
    done = done && measure(&report, &error);
    enum exit_status status = done ? print_tally(options, &report) : command_fail(&error);
    sums_free(&tally.formats);
    sums_free(&tally.worlds);
    return status;
}

/* The visitor of `purge --world`: true for rows to delete. */
static bool is_of_world(void *fingerprint, const struct disk_row *row)
{
    struct record record;
    char world[NAME_TEXT];
    if (!row->record || !record_read_header(row->record, row->length, &record))
        return false;
    world_of(&record, world);
    return strcmp(world, fingerprint) == 0;
}

/* The fingerprint whose tiles are deleted: --world itself if it is one, otherwise that of the world
 * of this name in the catalog. */
static bool find_fingerprint(const struct options *options, struct catalog *catalog,
                             char out[NAME_TEXT], struct error *error)
{
    const char *text = options_text(options, OPTION_WORLD);
    const size_t length = strlen(text);
    memset(out, 0, NAME_TEXT);
    if (length == WORLD_FINGERPRINT_TEXT - 1 && text[0] == 'g' && strchr(text, '-')) {
        snprintf(out, NAME_TEXT, "%s", text);
        return true;
    }
    const struct catalog_world *world = command_world(catalog, options, error);
    if (!world)
        return false;
    memcpy(out, world_fingerprint(world->world), WORLD_FINGERPRINT_TEXT - 1);
    catalog_release(world);
    return true;
}

/* Deletes, and then gives the freed pages back to the file system. */
static enum exit_status purge(const struct options *options, struct catalog *catalog,
                              struct disk_file *file)
{
    struct error error = {0};
    struct buffer out = {0};
    char fingerprint[NAME_TEXT];
    uint64_t deleted = 0;
    bool done;
    if (!options_given(options, OPTION_WORLD))
        done = disk_maintenance_clear(file, &deleted, &error);
    else
        done = find_fingerprint(options, catalog, fingerprint, &error) &&
               disk_maintenance_each(file, &(struct disk_visit){false, is_of_world, fingerprint},
                                     &deleted, &error);
    if (!done || !disk_maintenance_shrink(file, &error))
        return command_fail(&error);
    if (options_given(options, OPTION_JSON))
        buffer_format(&out, "{\"deleted\":%llu}\n", (unsigned long long)deleted);
    else
        buffer_format(&out, "%llu tiles deleted\n", (unsigned long long)deleted);
    return command_print(&out);
}

enum exit_status command_cache(const struct options *options)
{
    struct error error = {0};
    const bool purges = options_given(options, OPTION_PURGE);
    if (options->argument_count == 0)
        return command_misuse(options, "cache needs a FILE, that of --cache-disk");
    if (purges && options_given(options, OPTION_CHECK))
        return command_misuse(options, "give either --check or --purge");
    if (!purges && options_given(options, OPTION_WORLD))
        return command_misuse(options, "--world goes with --purge");
    struct catalog *catalog = command_catalog(options);
    if (!catalog)
        return EXIT_FAILED;
    struct disk_file file;
    enum exit_status status;
    if (!disk_maintenance_open(&file, options->arguments[0],
                               purges ? DISK_MODE_WRITE : DISK_MODE_READ, &error))
        status = command_fail(&error);
    else
        status = purges ? purge(options, catalog, &file) : show(options, catalog, &file);
    disk_file_close(&file);
    catalog_free(catalog);
    return status;
}
