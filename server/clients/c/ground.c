/* Chunks in memory, and one connection of libcurl that fills them.
 *
 * Every request goes through perform_request(), which collects the body in one buffer with room for
 * the largest answer that may come: so nothing grows while a game runs, and a longer answer is
 * refused. A chunk that comes takes the place of the one that was used longest ago. Parts of a
 * request begin at the largest size that the daemon allows, and become as small as the "fits" of a
 * 413 says. */
#include "ground.h"

#include <ctype.h>
#include <curl/curl.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "digest.h"

enum { BATCH_MAX = 256, RECORD_HEADER = 32, URL_MAX = 400, LAYER_MAX = 64, TAG_MAX = 80 };
enum { SAMPLES_MAX = 1 << 22 }; /* in a batch, as the daemon allows unless it is told otherwise */
enum { PLACES_MAX = 10000 };    /* in a request for heights */
enum { SLACK = 1 << 16 }; /* bytes of an answer beyond its samples: a problem's text, or heights */

struct entry {
    int64_t cx, cy;
    uint64_t used;     /* when, by the ground's own count; 0: there is nothing in it */
    char tag[TAG_MAX]; /* the entity tag; "" after a batch */
    float *heights;
};

struct response {
    unsigned char *bytes;
    size_t size, room;
    size_t fits; /* of a request that was too large: how many chunks or places would fit, or 0 */
    char tag[TAG_MAX], digest[TAG_MAX];
};

struct ground {
    struct ground_settings settings;
    char url[URL_MAX + 1], layer[LAYER_MAX + 1], error[512];
    CURL *curl;
    struct response response;
    struct entry *entries; /* searched one by one: some hundred of them cost less than a request */
    int64_t missing[BATCH_MAX][2];
    uint64_t now;
    struct ground_counts counts;
};

__attribute__((format(printf, 2, 3))) static bool fail(struct ground *ground, const char *format,
                                                       ...)
{
    va_list words;
    va_start(words, format);
    vsnprintf(ground->error, sizeof ground->error, format, words);
    va_end(words);
    return false;
}

/* The body of a POST. */
struct body {
    const void *bytes;
    size_t size;
    const char *type; /* of the response as well, if it is binary */
};

static uint64_t read_number(const unsigned char *bytes, unsigned count)
{
    uint64_t number = 0;
    for (unsigned i = count; i-- > 0;)
        number = number << 8 | bytes[i];
    return number;
}

static size_t chunk_bytes(const struct ground *ground)
{
    return sizeof(float) * (ground->settings.size + 1) * (ground->settings.size + 1);
}

static size_t on_body(char *bytes, size_t one, size_t count, void *user)
{
    (void)one;
    struct response *response = user;
    if (count > response->room - response->size)
        return 0; /* more than was asked for: curl gives up */
    memcpy(response->bytes + response->size, bytes, count);
    response->size += count;
    return count;
}

static size_t on_header(char *line, size_t one, size_t count, void *user)
{
    (void)one;
    struct response *response = user;
    char name[32], value[TAG_MAX], text[160];
    snprintf(text, sizeof text, "%.*s", (int)count, line);
    if (sscanf(text, "%31[^:]: %79s", name, value) == 2) {
        for (char *c = name; *c; c++)
            *c = (char)tolower((unsigned char)*c);
        if (strcmp(name, "etag") == 0)
            strcpy(response->tag, value);
        if (strcmp(name, "x-terrane-digest") == 0)
            strcpy(response->digest, value);
    }
    return count;
}

/* Reports a response without samples, with the text of a problem document from its detail on. Its
 * member "fits" stays in the response. */
static long fail_response(struct ground *ground, const char *url, long status)
{
    struct response *response = &ground->response;
    response->bytes[response->size] = '\0';
    const char *text = (const char *)response->bytes, *detail = strstr(text, "\"detail\":");
    const char *fits = strstr(text, "\"fits\":");
    response->fits = fits ? strtoul(fits + strlen("\"fits\":"), NULL, 10) : 0;
    text = detail ? detail + strlen("\"detail\":") : text;
    return fail(ground, "%s: %ld: %.*s", url, status, (int)strcspn(text, "\r\n"), text);
}

/* The headers of a request; null when memory is out. */
static struct curl_slist *make_headers(const struct body *body, const char *tag)
{
    char text[TAG_MAX + 20];
    struct curl_slist *headers =
        curl_slist_append(NULL, "Accept: application/octet-stream, */*;q=0.5");
    if (!body && !*tag)
        return headers;
    snprintf(text, sizeof text, "%s: %s", body ? "Content-Type" : "If-None-Match",
             body ? body->type : tag);
    struct curl_slist *both = headers ? curl_slist_append(headers, text) : NULL;
    if (!both)
        curl_slist_free_all(headers);
    return both;
}

/* One request for `path` below the ground's address; with a body it is a POST. 200 and 304 are
 * answers, all else is a failure. Returns the status, or 0. */
static long perform_request(struct ground *ground, const char *path, const struct body *body,
                            const char *tag)
{
    char url[URL_MAX + 200];
    snprintf(url, sizeof url, "%s/%s", ground->url, path);
    struct curl_slist *headers = make_headers(body, tag);
    if (!headers || curl_easy_setopt(ground->curl, CURLOPT_URL, url) != CURLE_OK) {
        curl_slist_free_all(headers);
        return fail(ground, "out of memory");
    }
    struct response *response = &ground->response;
    response->size = response->fits = 0;
    *response->tag = *response->digest = '\0';
    curl_easy_setopt(ground->curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(ground->curl, CURLOPT_HTTPGET, 1L);
    if (body) {
        curl_easy_setopt(ground->curl, CURLOPT_POSTFIELDSIZE, (long)body->size);
        curl_easy_setopt(ground->curl, CURLOPT_POSTFIELDS, body->bytes);
    }
    CURLcode code = curl_easy_perform(ground->curl);
    curl_slist_free_all(headers);
    ground->counts.requests++;
    long status = 0;
    curl_off_t received = 0;
    curl_easy_getinfo(ground->curl, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(ground->curl, CURLINFO_SIZE_DOWNLOAD_T, &received);
    ground->counts.bytes += (uint64_t)received;
    if (code != CURLE_OK)
        return fail(ground, "%s: %s", url, curl_easy_strerror(code));
    if (status == 200 || (status == 304 && *tag))
        return status;
    return fail_response(ground, url, status);
}

/* The place of a chunk, which is then the last one used; null if it is not in memory. */
static struct entry *find(struct ground *ground, int64_t cx, int64_t cy)
{
    for (unsigned i = 0; i < ground->settings.capacity; i++) {
        struct entry *entry = &ground->entries[i];
        if (entry->used && entry->cx == cx && entry->cy == cy) {
            entry->used = ++ground->now;
            return entry;
        }
    }
    return NULL;
}

static void write_double(double number, unsigned char *bytes)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    for (unsigned i = 0; i < sizeof bits; i++)
        bytes[i] = (unsigned char)(bits >> 8 * i);
}

static void read_floats(const unsigned char *bytes, size_t count, float *floats)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t bits = (uint32_t)read_number(bytes + sizeof bits * i, sizeof bits);
        memcpy(&floats[i], &bits, sizeof bits);
    }
}

/* Puts a chunk where it was, or else where the one is that was used longest ago, or never. */
static struct entry *store(struct ground *ground, int64_t cx, int64_t cy,
                           const unsigned char *bytes)
{
    struct entry *entry = find(ground, cx, cy);
    if (!entry) {
        entry = ground->entries;
        for (unsigned i = 1; i < ground->settings.capacity; i++)
            if (ground->entries[i].used < entry->used)
                entry = &ground->entries[i];
        ground->counts.evicted += entry->used != 0;
    }
    if (!entry->heights && !(entry->heights = malloc(chunk_bytes(ground)))) {
        fail(ground, "out of memory");
        return NULL;
    }
    read_floats(bytes, chunk_bytes(ground) / sizeof(float), entry->heights);
    *entry->tag = '\0';
    entry->cx = cx;
    entry->cy = cy;
    entry->used = ++ground->now;
    ground->counts.received++;
    return entry;
}

/* One chunk alone; with a tag, only if it is no longer the tagged one. */
static struct entry *load(struct ground *ground, int64_t cx, int64_t cy, const char *tag)
{
    char path[200], found[33];
    snprintf(path, sizeof path, "chunks/%" PRId64 "/%" PRId64 ".r32f?size=%u&step=%u&layers=%s", cx,
             cy, ground->settings.size, ground->settings.step, ground->layer);
    struct response *response = &ground->response;
    long status = perform_request(ground, path, NULL, tag);
    if (status == 304) {
        ground->counts.unchanged++;
        return find(ground, cx, cy);
    }
    if (!status)
        return NULL;
    if (response->size != chunk_bytes(ground))
        status = fail(ground, "%s: %zu bytes, not %zu", path, response->size, chunk_bytes(ground));
    chunk_digest(response->bytes, response->size, found);
    if (status == 200 && strcmp(found, response->digest) != 0)
        status = fail(ground, "%s: its digest is %s, not %s", path, found, response->digest);
    struct entry *entry = status ? store(ground, cx, cy, response->bytes) : NULL;
    if (entry)
        strcpy(entry->tag, response->tag);
    return entry;
}

/* Takes one record, with its payload, from what is left of a batch. */
static bool read_record(struct ground *ground, const unsigned char **at, const int64_t missing[2])
{
    const size_t left = (size_t)(ground->response.bytes + ground->response.size - *at);
    const unsigned char *record = *at, *payload = record + RECORD_HEADER;
    if (left < RECORD_HEADER || memcmp(record, "TRNC", 4) != 0 || read_number(record + 4, 2) != 1)
        return fail(ground, "a batch ends early, or is none of version 1");
    const int64_t cx = (int64_t)read_number(record + 8, 8),
                  cy = (int64_t)read_number(record + 16, 8);
    const uint64_t status = read_number(record + 6, 2), size = read_number(record + 24, 4);
    if (cx != missing[0] || cy != missing[1])
        return fail(ground, "a batch has chunk %" PRId64 " %" PRId64 " for %" PRId64 " %" PRId64,
                    cx, cy, missing[0], missing[1]);
    if (size > left - RECORD_HEADER || size != (status == 200 ? chunk_bytes(ground) : 0))
        return fail(ground, "chunk %" PRId64 " %" PRId64 " of a batch has %" PRIu64 " bytes", cx,
                    cy, size);
    if (crc32(0, payload, (uInt)size) != read_number(record + 28, 4))
        return fail(ground, "chunk %" PRId64 " %" PRId64 " of a batch is damaged", cx, cy);
    *at = payload + size;
    if (status == 200)
        return store(ground, cx, cy, payload);
    /* Missing chunks lie beyond the edge of the world and do no harm. */
    return status == 404 ||
           fail(ground, "chunk %" PRId64 " %" PRId64 " of a batch: %" PRIu64, cx, cy, status);
}

/* Loads `count` things from number `first` on by one request. */
typedef bool part_loader(struct ground *ground, size_t first, size_t count, void *context);

/* Loads `count` things by requests for up to `most`. The daemon refuses what would take too long,
 * and says how many would fit: then the requests are for so many. */
static bool load_parts(struct ground *ground, size_t count, size_t most, part_loader *loader,
                       void *context)
{
    for (size_t first = 0; first < count;) {
        const size_t part = count - first < most ? count - first : most;
        if (loader(ground, first, part, context))
            first += part;
        else if (ground->response.fits == 0 || ground->response.fits >= part)
            return false;
        else
            most = ground->response.fits;
    }
    return true;
}

static bool load_batch(struct ground *ground, size_t first, size_t count, void *unused)
{
    const int64_t(*missing)[2] = (const int64_t(*)[2])ground->missing + first;
    (void)unused;
    char body[200 + 48 * BATCH_MAX];
    int end = snprintf(body, sizeof body,
                       "{\"format\":\"r32f\",\"size\":%u,\"step\":%u,\"layers\":[\"%s\"]",
                       ground->settings.size, ground->settings.step, ground->layer);
    for (size_t i = 0; i < count; i++)
        end += snprintf(body + end, sizeof body - (size_t)end, "%s[%" PRId64 ",%" PRId64 "]",
                        i ? "," : ",\"chunks\":[", missing[i][0], missing[i][1]);
    end += snprintf(body + end, sizeof body - (size_t)end, "]}");
    const struct body json = {body, (size_t)end, "application/json"};
    if (!perform_request(ground, "chunks", &json, ""))
        return false;
    const unsigned char *at = ground->response.bytes;
    for (size_t i = 0; i < count; i++)
        if (!read_record(ground, &at, missing[i]))
            return false;
    return at == ground->response.bytes + ground->response.size ||
           fail(ground, "a batch is too long");
}

/* Returns the largest number of chunks in one request: the daemon limits chunks and samples. */
static unsigned batch_size(const struct ground *ground)
{
    const size_t samples = chunk_bytes(ground) / sizeof(float), most_chunks = SAMPLES_MAX / samples;
    return most_chunks < BATCH_MAX ? (unsigned)most_chunks : BATCH_MAX;
}

static bool load_missing(struct ground *ground, unsigned count)
{
    return load_parts(ground, count, batch_size(ground), load_batch, NULL);
}

bool ground_prefetch(struct ground *ground, double x, double y, unsigned rings)
{
    const uint64_t side = 2 * (uint64_t)rings + 1;
    if (rings > 1000 || side * side > ground->settings.capacity)
        return fail(ground, "%u rings are more chunks than there is room for, %u", rings,
                    ground->settings.capacity);
    const int64_t cx = ground_index(ground, x), cy = ground_index(ground, y),
                  reach = (int64_t)rings;
    unsigned count = 0;
    /* Outwards, and those there are first, so that none of them makes room for another. */
    for (int64_t j = -reach; j <= reach; j++)
        for (int64_t i = -reach; i <= reach; i++)
            find(ground, cx + i, cy + j);
    for (int64_t ring = 0; ring <= reach; ring++)
        for (int64_t j = -ring; j <= ring; j++)
            for (int64_t i = -ring; i <= ring; i += llabs(j) == ring || ring == 0 ? 1 : 2 * ring) {
                if (find(ground, cx + i, cy + j))
                    continue;
                ground->missing[count][0] = cx + i;
                ground->missing[count][1] = cy + j;
                if (++count == batch_size(ground) && !load_missing(ground, count))
                    return false;
                count %= batch_size(ground);
            }
    return load_missing(ground, count);
}

struct heights_order {
    const double (*places)[2];
    float *heights;
};

static bool load_heights(struct ground *ground, size_t first, size_t count, void *context)
{
    const struct heights_order *order = context;
    const double(*places)[2] = order->places + first;
    char path[LAYER_MAX + 20];
    unsigned char *bytes = malloc(count * sizeof *places);
    const struct response *response = &ground->response;
    if (!bytes)
        return fail(ground, "out of memory");
    for (size_t i = 0; i < count; i++)
        for (size_t axis = 0; axis < 2; axis++)
            write_double(places[i][axis], bytes + (2 * i + axis) * sizeof **places);
    snprintf(path, sizeof path, "heights?layer=%s", ground->layer);
    const struct body body = {bytes, count * sizeof *places, "application/octet-stream"};
    bool done = perform_request(ground, path, &body, "") != 0;
    free(bytes);
    if (done && response->size != count * sizeof *order->heights)
        done = fail(ground, "%s: %zu bytes for %zu places", path, response->size, count);
    if (done)
        read_floats(response->bytes, count, order->heights + first);
    return done;
}

bool ground_heights(struct ground *ground, const double (*places)[2], size_t count, float *heights)
{
    struct heights_order order = {places, heights};
    return load_parts(ground, count, PLACES_MAX, load_heights, &order);
}

const float *ground_chunk(struct ground *ground, int64_t cx, int64_t cy)
{
    struct entry *entry = find(ground, cx, cy);
    ground->counts.hits += entry != NULL;
    ground->counts.misses += entry == NULL;
    if (!entry)
        entry = load(ground, cx, cy, "");
    return entry ? entry->heights : NULL;
}

bool ground_refresh(struct ground *ground, int64_t cx, int64_t cy)
{
    const struct entry *entry = find(ground, cx, cy);
    return load(ground, cx, cy, entry ? entry->tag : "") != NULL;
}

int64_t ground_index(const struct ground *ground, double metres)
{
    const double edge = 1099511627776; /* 2⁴⁰ m */
    const double side = (double)ground->settings.size * ground->settings.step;
    return (int64_t)floor(fmin(fmax(metres, -edge), edge) / side);
}

static bool allowed(const struct ground_settings *settings)
{
    const unsigned size = settings->size, step = settings->step;
    for (const char *c = settings->layer; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_')
            return false;
    return strlen(settings->url) <= URL_MAX && strlen(settings->layer) <= LAYER_MAX && size >= 1 &&
           size <= 1024 && step >= 1 && step <= 65536 && (step & (step - 1)) == 0 &&
           settings->capacity >= 1;
}

static bool prepare(struct ground *ground)
{
    struct response *response = &ground->response;
    ground->entries = calloc(ground->settings.capacity, sizeof *ground->entries);
    response->room = batch_size(ground) * (chunk_bytes(ground) + RECORD_HEADER) + SLACK;
    response->bytes = malloc(response->room + 1);
    CURL *curl = ground->curl = curl_easy_init();
    if (!ground->entries || !response->bytes || !curl)
        return false;
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_ACCEPT_ENCODING, "gzip");
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, ground->settings.timeout_ms);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, response);
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, response);
    return true;
}

struct ground *ground_open(const struct ground_settings *settings)
{
    struct ground *ground = allowed(settings) ? calloc(1, sizeof *ground) : NULL;
    if (!ground)
        return NULL;
    ground->settings = *settings;
    strcpy(ground->url, settings->url);
    strcpy(ground->layer, settings->layer);
    ground->settings.url = ground->url;
    ground->settings.layer = ground->layer;
    if (prepare(ground))
        return ground;
    ground_close(ground);
    return NULL;
}

void ground_close(struct ground *ground)
{
    if (!ground)
        return;
    for (unsigned i = 0; ground->entries && i < ground->settings.capacity; i++)
        free(ground->entries[i].heights);
    free(ground->entries);
    free(ground->response.bytes);
    curl_easy_cleanup(ground->curl);
    free(ground);
}

const char *ground_error(const struct ground *ground)
{
    return ground->error;
}

struct ground_counts ground_counts(const struct ground *ground)
{
    return ground->counts;
}
