/* inotify says that something has happened in a folder; whether files of worlds or styles are
 * different is decided by looking at them.
 *
 * Editors write in many ways: in place in one write or several, or into another file that takes the
 * name. They leave backups, lock files and swap files beside it. A configuration map is a folder of
 * symbolic links, whose target is swapped. So no event is interpreted. Any of them starts a pause,
 * which ends when nothing has happened for SETTLE_MS, or SETTLE_MAX_MS after the first; then the
 * names, sizes, inodes and times of all *.json are hashed, and a change of that hash is a change.
 *
 * For each path of the settings the folder that holds it is watched for its name, as the path may
 * be replaced as a whole, and, if it is a folder, itself for any name. A path that is not there, or
 * that the system refuses to watch, is looked at every MISSING_MS. */
#include "server/daemon/watch.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/buffer.h"
#include "core/base/hash.h"
#include "server/log/log.h"

enum { SETTLE_MS = 100, SETTLE_MAX_MS = 1000, MISSING_MS = 1000 };

/* Not IN_MODIFY: a file that is being written is looked at when it is closed. */
#define CHANGES                                                                                    \
    (IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF |       \
     IN_MOVE_SELF)

/* A folder or file of the settings. */
struct watched_path {
    char *path;
    int within; /* the watch of the folder that holds it; -1 if there is none */
    int itself; /* its own watch, if it is a folder; else -1 */
    bool complete;
};

struct watch {
    int inotify;
    struct watched_path *paths;
    size_t count;
    bool incomplete; /* a path is not watched */
    struct hash128 content;
    int64_t first_event, last_event; /* 0 without events that are not settled */
    int64_t looked_at;
};

static bool is_directory(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The folder that holds the path, in `out`; false if the path is too long. */
static bool holder_of(const char *path, char out[PATH_MAX])
{
    const char *name = name_of(path);
    if (strlen(path) >= PATH_MAX)
        return false;
    if (name == path)
        memcpy(out, ".", 2);
    else
        snprintf(out, PATH_MAX, "%.*s", name - path > 1 ? (int)(name - path - 1) : 1, path);
    return true;
}

/* Adds the watches of a path again: a folder that was replaced is another one. */
static void renew(const struct watch *watch, struct watched_path *entry)
{
    char holder[PATH_MAX];
    const bool directory = is_directory(entry->path);
    entry->within =
        holder_of(entry->path, holder) ? inotify_add_watch(watch->inotify, holder, CHANGES) : -1;
    entry->itself = directory ? inotify_add_watch(watch->inotify, entry->path, CHANGES) : -1;
    entry->complete =
        entry->within >= 0 && (!directory || entry->itself >= 0) && access(entry->path, F_OK) == 0;
}

static void renew_all(struct watch *watch)
{
    watch->incomplete = false;
    for (size_t i = 0; i < watch->count; i++) {
        renew(watch, &watch->paths[i]);
        watch->incomplete = watch->incomplete || !watch->paths[i].complete;
    }
}

/* Mixes in what tells a file from another one, or from itself when it has changed. */
static void hash_file(const char *path, struct hash128 *hash)
{
    struct stat status;
    if (stat(path, &status) != 0)
        memset(&status, 0, sizeof status);
    const uint64_t facts[] = {
        hash->high,
        hash->low,
        (uint64_t)status.st_dev,
        (uint64_t)status.st_ino,
        (uint64_t)status.st_size,
        (uint64_t)status.st_mtim.tv_sec,
        (uint64_t)status.st_mtim.tv_nsec,
        (uint64_t)status.st_ctim.tv_sec,
        (uint64_t)status.st_ctim.tv_nsec,
        hash_bytes(path, strlen(path), 0).low,
    };
    *hash = hash_bytes(facts, sizeof facts, 0);
}

static int is_json(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name);
    return entry->d_name[0] != '.' && length > 5 &&
           strcmp(entry->d_name + length - 5, ".json") == 0;
}

static void hash_directory(const char *directory, struct hash128 *hash)
{
    struct dirent **entries = NULL;
    const int count = scandir(directory, &entries, is_json, alphasort);
    for (int i = 0; i < count; i++) {
        struct buffer path = {0};
        buffer_format(&path, "%s/%s", directory, entries[i]->d_name);
        hash_file(buffer_string(&path), hash);
        buffer_free(&path);
        free(entries[i]);
    }
    free(entries);
}

static struct hash128 hash_content(const struct watch *watch)
{
    struct hash128 hash = {0, 0};
    for (size_t i = 0; i < watch->count; i++) {
        if (is_directory(watch->paths[i].path))
            hash_directory(watch->paths[i].path, &hash);
        else
            hash_file(watch->paths[i].path, &hash);
    }
    return hash;
}

static void free_paths(struct watch *watch)
{
    for (size_t i = 0; i < watch->count; i++)
        free(watch->paths[i].path);
    free(watch->paths);
    watch->paths = NULL;
    watch->count = 0;
}

static void add_paths(struct watch *watch, const setting_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        char *path = strdup(list->texts[i]);
        if (!path)
            return;
        for (size_t end = strlen(path); end > 1 && path[end - 1] == '/';)
            path[--end] = '\0';
        watch->paths[watch->count++] = (struct watched_path){.path = path, .within = -1};
    }
}

/* Without memory nothing is watched. Watches of paths that are no more wake the thread in vain. */
void watch_set_paths(struct watch *watch, const struct settings *settings)
{
    if (!watch)
        return;
    free_paths(watch);
    watch->paths =
        calloc(settings->worlds.count + settings->styles.count + 1, sizeof *watch->paths);
    if (watch->paths) {
        add_paths(watch, &settings->worlds);
        add_paths(watch, &settings->styles);
    }
    renew_all(watch);
}

struct watch *watch_start(const struct settings *settings, struct error *error)
{
    struct watch *watch = calloc(1, sizeof *watch);
    if (!watch)
        return error_memory_null(error);
    watch->inotify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (watch->inotify < 0) {
        error_set(error, ERROR_IO, "--watch: the system gives no inotify instance: %s",
                  strerror(errno));
        watch_stop(watch);
        return NULL;
    }
    watch_set_paths(watch, settings);
    watch->content = hash_content(watch);
    if (watch->count == 0)
        log_write(LOG_SERVER, LOG_WARNING,
                  "--watch has nothing to watch: --worlds and --styles name folders and files");
    return watch;
}

void watch_stop(struct watch *watch)
{
    if (!watch)
        return;
    if (watch->inotify >= 0)
        close(watch->inotify);
    free_paths(watch);
    free(watch);
}

int watch_event(const struct watch *watch)
{
    return watch ? watch->inotify : -1;
}

/* When the events that have come are settled; INT64_MAX without any. */
static int64_t settled_at(const struct watch *watch)
{
    const int64_t quiet = watch->last_event + SETTLE_MS;
    const int64_t latest = watch->first_event + SETTLE_MAX_MS;
    return !watch->first_event ? INT64_MAX : quiet < latest ? quiet : latest;
}

int watch_timeout(const struct watch *watch, int64_t now)
{
    if (!watch)
        return -1;
    int64_t at = settled_at(watch);
    if (watch->incomplete && watch->looked_at + MISSING_MS < at)
        at = watch->looked_at + MISSING_MS;
    return at == INT64_MAX ? -1 : at > now ? (int)(at - now) : 0;
}

/* True for an event of a path's own folder, or of its name in the folder that holds it. */
static bool concerns(const struct watch *watch, const struct inotify_event *event)
{
    bool found = event->mask & IN_Q_OVERFLOW;
    for (size_t i = 0; i < watch->count && !found; i++) {
        const struct watched_path *entry = &watch->paths[i];
        found = event->wd == entry->itself || (event->wd == entry->within && event->len > 0 &&
                                               strcmp(event->name, name_of(entry->path)) == 0);
    }
    return found;
}

static void read_events(struct watch *watch, int64_t now)
{
    char bytes[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
    ssize_t length;
    while ((length = read(watch->inotify, bytes, sizeof bytes)) > 0) {
        for (const char *at = bytes; at < bytes + length;) {
            const struct inotify_event *event = (const struct inotify_event *)(const void *)at;
            at += sizeof *event + event->len;
            if (!concerns(watch, event))
                continue;
            watch->last_event = now;
            watch->first_event = watch->first_event ? watch->first_event : now;
        }
    }
}

bool watch_has_changed(struct watch *watch, int64_t now)
{
    if (!watch)
        return false;
    read_events(watch, now);
    const bool missing = watch->incomplete && now - watch->looked_at >= MISSING_MS;
    if (now < settled_at(watch) && !missing)
        return false;
    watch->first_event = watch->last_event = 0;
    watch->looked_at = now;
    renew_all(watch);
    const struct hash128 before = watch->content;
    watch->content = hash_content(watch);
    return before.high != watch->content.high || before.low != watch->content.low;
}
