/* Signals: one file is written at a time, by one program, so its name may be static. */
#include "server/base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/base/file.h"

/* The name of the temporary file while there is one. A signal that ends the program removes it. */
static char *volatile unfinished;
static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
enum { ENDING = sizeof ending / sizeof *ending };

/* Only then does a signal end the program: Ctrl-C may come twice, from the terminal and from the
 * program that has started this one, and the second one to another thread. */
static void remove_unfinished(int number)
{
    if (unfinished)
        unlink(unfinished);
    signal(number, SIG_DFL);
    raise(number);
}

/* A signal that is ignored, as by nohup, stays so. */
static void catch_signals(void)
{
    for (int i = 0; i < ENDING; i++) {
        struct sigaction action;
        if (sigaction(ending[i], NULL, &action) != 0 || action.sa_handler == SIG_IGN)
            continue;
        action = (struct sigaction){.sa_handler = remove_unfinished};
        sigaction(ending[i], &action, NULL);
    }
}

static bool error_write(const struct output *output, struct error *error)
{
    error_set(error, ERROR_IO, "cannot be written: %s", strerror(errno));
    return error_in_file(error, output->path ? output->path : "standard output");
}

/* Links, devices and pipes are written to, and never replaced. */
static bool is_replaced(const char *path)
{
    struct stat status;
    return lstat(path, &status) != 0 || S_ISREG(status.st_mode);
}

/* For /dev/stdout: opened again, it would begin at the start of a file that others append to. */
static bool is_standard_output(const char *path)
{
    struct stat status;
    return fstat(STDOUT_FILENO, &status) == 0 &&
           file_is(path, &(struct file_identity){status.st_dev, status.st_ino});
}

/* A signal waits until there is both the file and its name to be removed. */
static int create_unfinished(struct output *output)
{
    sigset_t held, before;
    sigemptyset(&held);
    for (int i = 0; i < ENDING; i++)
        sigaddset(&held, ending[i]);
    pthread_sigmask(SIG_BLOCK, &held, &before);
    const int file = file_create_temporary(output->path, &output->temporary);
    unfinished = output->temporary;
    catch_signals();
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return file;
}

static int open_path(struct output *output, bool replaced)
{
    if (replaced)
        return create_unfinished(output);
    return open(output->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
}

bool output_open(struct output *output, const char *path, struct error *error)
{
    const bool replaced = is_replaced(path);
    *output = (struct output){0};
    if (strcmp(path, "-") == 0 || (!replaced && is_standard_output(path))) {
        output->stream = stdout;
        return true;
    }
    output->path = strdup(path);
    if (!output->path)
        return error_memory(error);
    const int file = open_path(output, replaced);
    output->stream = file >= 0 ? fdopen(file, "wb") : NULL;
    if (output->stream)
        return true;
    error_write(output, error);
    unfinished = NULL;
    if (file >= 0)
        close(file);
    if (output->temporary)
        unlink(output->temporary);
    free(output->temporary);
    free(output->path);
    return false;
}

bool output_write(struct output *output, const void *bytes, size_t length, struct error *error)
{
    return fwrite(bytes, 1, length, output->stream) == length || error_write(output, error);
}

/* fflush(), fsync() and fclose() report writes that were delayed; only then may the file be
 * renamed, so that a name never stands for half a file after a loss of power. */
bool output_close(struct output *output, bool complete, struct error *error)
{
    bool done = fflush(output->stream) == 0;
    if (done && complete && output->temporary)
        done = fsync(fileno(output->stream)) == 0;
    if (output->path && fclose(output->stream) != 0)
        done = false;
    if (done && complete && output->temporary)
        done = rename(output->temporary, output->path) == 0;
    if (!done)
        error_write(output, error);
    if (output->temporary && !(done && complete))
        unlink(output->temporary);
    unfinished = NULL;
    free(output->path);
    free(output->temporary);
    return done;
}
