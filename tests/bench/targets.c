/* Requests of a hostile client: expensive legal ones and malformed ones. */
#include "tests/bench/targets.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

bool targets_begin(struct targets *targets, const char *kind, char **list)
{
    static const char *const kinds[] = {"targets", "cold", "hostile"};
    *targets = (struct targets){.list = list, .random = (uint64_t)time(NULL) * 2654435761u + 1};
    while (list[targets->count])
        targets->count++;
    for (unsigned i = 0; i < 3; i++) {
        targets->kind = i;
        if (strcmp(kind, kinds[i]) == 0)
            return i != TARGETS_LISTED || targets->count > 0;
    }
    return false;
}

/* xorshift64* (Vigna 2016). */
static uint64_t random_below(struct targets *targets, uint64_t below)
{
    targets->random ^= targets->random >> 12;
    targets->random ^= targets->random << 25;
    targets->random ^= targets->random >> 27;
    return (targets->random * 0x2545F4914F6CDD1D >> 16) % below;
}

static void write_get(char request[TARGETS_REQUEST_MAX], const char *target)
{
    snprintf(request, TARGETS_REQUEST_MAX, "GET %.1900s HTTP/1.1\r\nHost: localhost\r\n\r\n",
             target);
}

static void write_post(char request[TARGETS_REQUEST_MAX], const char *target, const char *body)
{
    snprintf(request, TARGETS_REQUEST_MAX,
             "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %zu\r\n\r\n%s", target,
             strlen(body), body);
}

static void write_tile_target(struct targets *targets, const char *world, char *target)
{
    static const char *const styles[] = {"relief", "biome", "hillshade", "contour", "terrarium"};
    static const char *const formats[] = {"png", "webp", "@2x.png", "mvt", "r32f", "ansi"};
    const int zoom = (int)random_below(targets, 21);
    const long long x = (long long)random_below(targets, 1ull << zoom);
    const long long y = (long long)random_below(targets, 1ull << zoom);
    const char *format = formats[random_below(targets, 6)];
    snprintf(target, 256, "%s/tiles/%s/%d/%lld/%lld%s%s", world, styles[random_below(targets, 5)],
             zoom, x, y, format[0] == '@' ? "" : ".", format);
}

/* Requests as expensive as the limits allow. */
static void most_expensive(struct targets *targets, char *request)
{
    char target[256], body[2048];
    const long long x = (long long)random_below(targets, 1 << 20),
                    y = (long long)random_below(targets, 1 << 20);
    switch (random_below(targets, 6)) {
    case 0:
        snprintf(target, sizeof target, "/chunks/%lld/%lld.asc?size=1023&step=0.0625", x, y);
        break;
    case 1:
        snprintf(target, sizeof target, "/stats?bbox=%lld,%lld,%lld,%lld&samples=1024", x, y,
                 x + 100000, y + 100000);
        break;
    case 2:
        snprintf(target, sizeof target, "/locate?min_height=9999&x=%lld&y=%lld&radius=16777216", x,
                 y);
        break;
    case 3:
        snprintf(target, sizeof target, "/worlds/caves/volumes/%lld/%lld/0.r32f?size=128", x, y);
        break;
    case 4:
        snprintf(target, sizeof target,
                 "/diff?a=terra~%lld&b=terra~%lld&bbox=0,0,100000,100000&samples=700", x, y);
        break;
    default:
        snprintf(body, sizeof body,
                 "{\"size\":1000,\"chunks\":[[%lld,%lld],[%lld,%lld],[%lld,%lld]]}", x, y, x + 1, y,
                 x, y + 1);
        write_post(request, "/chunks", body);
        return;
    }
    write_get(request, target);
}

static void write_hostile_request(struct targets *targets, char *request)
{
    char world[64], target[256];
    switch (random_below(targets, 8)) {
    case 0: /* a world that nobody has seen */
        snprintf(world, sizeof world, "/worlds/terra~%llu",
                 (unsigned long long)random_below(targets, 1ull << 40));
        write_tile_target(targets, world, target);
        break;
    case 1: /* parameters that should make a cache miss */
        snprintf(target, sizeof target, "/tiles/9/256/256.png?t=%llu",
                 (unsigned long long)random_below(targets, 1ull << 40));
        break;
    case 2:
        snprintf(target, sizeof target, "/tiles/9/256/256.png?nocache=%llu",
                 (unsigned long long)random_below(targets, 1ull << 40));
        break;
    case 3:
        most_expensive(targets, request);
        return;
    case 4:
        snprintf(target, sizeof target, "/worlds/%llu/tiles/%%zz",
                 (unsigned long long)random_below(targets, 1ull << 40));
        break;
    default:
        write_tile_target(targets, "/worlds/terra", target);
    }
    write_get(request, target);
}

bool targets_next(struct targets *targets, char request[TARGETS_REQUEST_MAX])
{
    char target[256];
    switch (targets->kind) {
    case TARGETS_LISTED:
        write_get(request, targets->list[targets->next++ % targets->count]);
        return false;
    case TARGETS_COLD:
        snprintf(target, sizeof target, "/tiles/relief/14/%u/%u.png",
                 (unsigned)random_below(targets, 1 << 14),
                 (unsigned)random_below(targets, 1 << 14));
        write_get(request, target);
        return false;
    case TARGETS_HOSTILE:
        break;
    }
    write_hostile_request(targets, request);
    return random_below(targets, 20) == 0;
}
