/* Measures noises and tiles, alone on one thread; prints one JSON object. bench.mjs runs it, adds
 * the rest and makes tables of it. */
#include "tests/bench/measure.h"

#include <stdio.h>

int main(void)
{
    struct buffer out = {0};
    struct json_writer json;
    json_begin(&json, &out, true);
    json_object_open(&json);
    bench_noise(&json);
    bench_tiles(&json);
    json_object_close(&json);
    json_finish(&json);
    if (out.failed || fwrite(out.data, 1, out.length, stdout) != out.length)
        measure_stop("output", "it cannot be written");
    buffer_free(&out);
    return 0;
}
