#include "server/cli/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool error_write(const struct output *output, struct error *error)
{
    error_set(error, ERROR_IO, "cannot be written: %s", strerror(errno));
    return error_in_file(error, output->path ? output->path : "standard output");
}

/* Devices and pipes are written directly: a temporary file cannot be renamed to them. */
static bool is_special(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

bool output_open(struct output *output, const char *path, struct error *error)
{
    *output = (struct output){0};
    if (strcmp(path, "-") == 0) {
        output->stream = stdout;
        return true;
    }
    size_t size = strlen(path) + 32;
    output->path = strdup(path);
    output->temporary = is_special(path) ? NULL : malloc(size);
    if (!output->path || (!output->temporary && !is_special(path))) {
        free(output->path);
        return error_memory(error);
    }
    if (output->temporary)
        snprintf(output->temporary, size, "%s.%ld.part", path, (long)getpid());
    output->stream = fopen(output->temporary ? output->temporary : path, "wbe");
    if (output->stream)
        return true;
    error_write(output, error);
    free(output->path);
    free(output->temporary);
    return false;
}

bool output_write(struct output *output, const void *bytes, size_t length, struct error *error)
{
    return fwrite(bytes, 1, length, output->stream) == length || error_write(output, error);
}

/* fflush() and fclose() report writes that were delayed; only then may the file be renamed. */
bool output_close(struct output *output, bool complete, struct error *error)
{
    bool done = fflush(output->stream) == 0;
    if (output->path && fclose(output->stream) != 0)
        done = false;
    if (done && complete && output->temporary)
        done = rename(output->temporary, output->path) == 0;
    if (!done)
        error_write(output, error);
    if (output->temporary && !(done && complete))
        unlink(output->temporary);
    free(output->path);
    free(output->temporary);
    return done;
}
