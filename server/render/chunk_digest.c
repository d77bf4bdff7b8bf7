/* Digests of chunks. The digest is of the samples as float32, not of encoded bytes, so that it is
 * the same for every format, content coding and encoder version; a program that computes samples
 * with the library or in WebAssembly gets it by terrane_digest(). The format of the order decides
 * nothing; r32f has no ring of further samples. */
#include "server/render/chunk_digest.h"

#include <string.h>

#include "core/base/json_writer.h"
#include "core/base/number.h"
#include "server/render/chunk_format.h"

void chunk_digest_begin(struct chunk_digest *digest)
{
    *digest = (struct chunk_digest){
        .order = {.shape = CHUNK_FLAT,
                  .format = chunk_format_find("r32f", CHUNK_FLAT),
                  .size = 64,
                  .step = PLACE_METRE},
    };
}

bool chunk_digest_address(struct chunk_digest *digest, const char *text)
{
    const size_t comma = strcspn(text, ",");
    return text[comma] &&
           number_parse_integer(text, comma, INT64_MIN, INT64_MAX, &digest->address.x) &&
           number_parse_integer(text + comma + 1, strlen(text + comma + 1), INT64_MIN, INT64_MAX,
                                &digest->address.y);
}

bool chunk_digest_expect(struct chunk_digest *digest, const char *text)
{
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    char lower[CHUNK_DIGEST_TEXT] = "";
    if (strlen(text) != CHUNK_DIGEST_TEXT - 1)
        return false;
    for (size_t i = 0; i < CHUNK_DIGEST_TEXT - 1; i++) {
        const char *digit = strchr(digits, text[i]);
        if (!digit)
            return false;
        lower[i] = digits[(digit - digits) % 16];
    }
    memcpy(digest->expected, lower, sizeof lower);
    return true;
}

bool chunk_digest_make(struct chunk_digest *digest, struct chunk_maker *maker, struct error *error)
{
    const bool done = chunk_make_digest(maker, &digest->order, &digest->address, error);
    if (done)
        memcpy(digest->digest, chunk_maker_digest(maker), sizeof digest->digest);
    return done;
}

enum chunk_sameness chunk_digest_compare(const struct chunk_digest *digest)
{
    if (!digest->expected[0])
        return CHUNK_NOT_COMPARED;
    return strcmp(digest->expected, digest->digest) == 0 ? CHUNK_SAME : CHUNK_DIFFERS;
}

static void write_sameness(struct json_writer *json, const struct chunk_digest *digest)
{
    const enum chunk_sameness sameness = chunk_digest_compare(digest);
    json_write_key(json, "same");
    if (sameness == CHUNK_NOT_COMPARED)
        json_write_null(json);
    else
        json_write_bool(json, sameness == CHUNK_SAME);
    json_member_string(json, "digest", digest->digest);
    json_member_string(json, "expected", digest->expected[0] ? digest->expected : NULL);
}

void chunk_order_json(const struct chunk_order *order, struct json_writer *json)
{
    json_member_integer(json, "size", order->size);
    json_member_place(json, "step", order->step);
    json_member_integer(json, "apron", order->apron);
    json_member_array(json, "layers");
    for (unsigned i = 0; i < order->layer_count; i++)
        json_write_string(json, world_layer(order->world, order->layers[i])->name);
    json_array_close(json);
    json_member_place(json, "t", order->t);
}

void chunk_digest_json(const struct chunk_digest *digest, const struct catalog_world *world,
                       bool pretty, struct buffer *out)
{
    struct json_writer json;
    json_begin_object(&json, out, pretty);
    write_sameness(&json, digest);
    json_member_string(&json, "world", world->identity.name);
    json_member_string(&json, "seed", world_seed(world->world));
    json_member_string(&json, "fingerprint", world_fingerprint(world->world));
    json_member_array(&json, "chunk");
    json_write_integer(&json, digest->address.x);
    json_write_integer(&json, digest->address.y);
    json_array_close(&json);
    chunk_order_json(&digest->order, &json);
    json_finish_object(&json);
}
