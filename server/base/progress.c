/* The bar is drawn at most ten times a second, and erased at the end, so that a log of the terminal
 * keeps only results. The remaining time assumes that all rows take the same time. */
#include "server/base/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "server/base/clock.h"
#include "server/base/long_work.h"

enum { WIDTH = 30, NARROW = 16, FIRST_AFTER = 500, AGAIN_AFTER = 100, LINE_AFTER = 10000 };

void progress_begin(struct progress *progress)
{
    *progress = (struct progress){.wanted = isatty(STDERR_FILENO), .begun = clock_milliseconds()};
}

/* `bar` has room for its width and a zero. */
static void draw_bar(double share, int width, char *bar)
{
    for (int i = 0; i < width; i++)
        bar[i] = i < share * width ? '#' : '.';
    bar[width] = 0;
}

void progress_show(struct progress *progress, uint64_t done, uint64_t total)
{
    int64_t now = progress->wanted ? clock_milliseconds() : 0;
    if (!progress->wanted || done == 0 || now - progress->begun < FIRST_AFTER ||
        now - progress->drawn < AGAIN_AFTER)
        return;
    progress->shown = true;
    progress->drawn = now;
    double share = (double)done / (double)total;
    double left = (double)(now - progress->begun) / 1000 * (1 - share) / share;
    char bar[WIDTH + 1];
    draw_bar(share, WIDTH, bar);
    fprintf(stderr, "\r[%s] %3.0f %%, %.0f s left \033[K", bar, 100 * share, left);
}

/* "2 h 05 min", "3 min 20 s", "12 s". */
static void format_time(double seconds, char text[32])
{
    const long whole = (long)(seconds + 0.5);
    if (whole >= 3600)
        snprintf(text, 32, "%ld h %02ld min", whole / 3600, whole / 60 % 60);
    else if (whole >= 60)
        snprintf(text, 32, "%ld min %02ld s", whole / 60, whole % 60);
    else
        snprintf(text, 32, "%ld s", whole);
}

void progress_begin_phase(struct progress *progress, const char *unit, const char *phase)
{
    bool (*is_interrupted)(void) = progress->is_interrupted;
    progress_end(progress);
    progress_begin(progress);
    progress->unit = unit;
    progress->phase = phase;
    progress->is_interrupted = is_interrupted;
}

static void draw_step(struct progress *progress, uint64_t done, uint64_t total, uint64_t bytes)
{
    const int64_t now = clock_milliseconds();
    const int64_t since = now - (progress->drawn ? progress->drawn : progress->begun);
    if (progress->first == 0)
        progress->first = done + 1;
    if (since < (progress->wanted ? AGAIN_AFTER : LINE_AFTER) ||
        now - progress->begun < FIRST_AFTER || done < progress->first)
        return;
    const double seconds = (double)(now - progress->begun) / 1000;
    const double rate = (double)(done + 1 - progress->first) / seconds;
    const double share = total ? (double)done / (double)total : 1.0;
    char left[32], bar[NARROW + 1], size[LONG_WORK_SIZE_TEXT];
    draw_bar(share, NARROW, bar);
    format_time((double)(total - done) / rate, left);
    long_work_format_size((double)bytes, size);
    progress->shown = progress->wanted;
    progress->drawn = now;
    if (progress->wanted)
        fprintf(stderr, "\r[%s] ", bar);
    fprintf(stderr, "%5.1f %%, %llu of %llu %s, %.*f a second, %s left, %s%s", 100 * share,
            (unsigned long long)done, (unsigned long long)total, progress->unit, rate < 10 ? 1 : 0,
            rate, left, bytes > 0 ? size : progress->phase, progress->wanted ? " \033[K" : "\n");
}

bool progress_step(struct progress *progress, uint64_t done, uint64_t total, uint64_t bytes)
{
    if (!progress)
        return true;
    draw_step(progress, done, total, bytes);
    return !progress->is_interrupted || !progress->is_interrupted();
}

void progress_end(struct progress *progress)
{
    if (progress->shown)
        fputs("\r\033[K", stderr);
}
