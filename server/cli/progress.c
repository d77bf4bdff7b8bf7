/* The bar is drawn at most ten times a second, and erased at the end, so that a log of the terminal
 * keeps only results. The remaining time assumes that all rows take the same time. */
#include "server/cli/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "server/base/clock.h"

enum { WIDTH = 30, FIRST_AFTER = 500, AGAIN_AFTER = 100 };

void progress_begin(struct progress *progress)
{
    *progress = (struct progress){.wanted = isatty(STDERR_FILENO), .begun = clock_milliseconds()};
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
    for (int i = 0; i < WIDTH; i++)
        bar[i] = i < share * WIDTH ? '#' : '.';
    bar[WIDTH] = 0;
    fprintf(stderr, "\r[%s] %3.0f %%, %.0f s left \033[K", bar, 100 * share, left);
}

void progress_end(struct progress *progress)
{
    if (progress->shown)
        fputs("\r\033[K", stderr);
}
