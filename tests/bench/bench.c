/* Measures noises and tiles, alone on one thread; prints one JSON object. bench.mjs runs it, adds
 * the rest and makes tables of it. With the word "relief" it measures relief tiles alone. */
#include "tests/bench/measure.h"

#include <stdio.h>
#include <string.h>

int main(int count, char **words)
{
    const bool relief_only = count > 1 && strcmp(words[1], "relief") == 0;
    struct buffer out = {0};
    struct json_writer json;
    json_begin(&json, &out, true);
    json_object_open(&json);
    if (!relief_only)
        bench_noise(&json);
    bench_tiles(&json, relief_only);
    json_object_close(&json);
    json_finish(&json);
    if (out.failed || fwrite(out.data, 1, out.length, stdout) != out.length)
        measure_stop("output", "it cannot be written");
    buffer_free(&out);
    return 0;
}
