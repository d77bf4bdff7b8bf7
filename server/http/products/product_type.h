/* The types of product that recipes make, as a table: tile, chunk and volume. All that differs from
 * one type to another on the way of a request stands in its row; the path itself (respond.h,
 * fetch_or_render.h, cached_response.h) is the same for all. */
#ifndef TERRANE_SERVER_HTTP_PRODUCTS_PRODUCT_TYPE_H
#define TERRANE_SERVER_HTTP_PRODUCTS_PRODUCT_TYPE_H

#include "server/http/jobs/admission.h"
#include "server/http/products/recipe.h"

/* The representation of a product as bytes. */
struct representation {
    const char *name; /* of the format */
    unsigned version; /* of its bytes */
    const char *content_type;
    bool varies;        /* by Accept-Encoding */
    bool negotiated;    /* and by Accept */
    enum coding coding; /* of the bytes */
    size_t prefix;      /* bytes in front of those that are sent: of a chunk, struct chunk_prefix */
};

struct product_type {
    enum metrics_kind kind; /* what rendering it is counted as */
    void (*key)(const struct recipe *recipe, struct cache_key *key); /* see product_key() */
    struct representation (*representation)(const struct recipe *recipe);
    /* The queue in which the product waits for a render thread; null for PRIORITY_RENDER. */
    enum priority (*priority)(const struct recipe *recipe);
    /* Its size, at most, if it is too large for the caches and memory must be reserved for it until
     * it is sent; else 0. Null for a type that is always cached. */
    size_t (*uncached_bytes)(const struct recipe *recipe);
    /* On a render thread: appends its bytes, with the prefix, to the thread's empty buffer. */
    bool (*render)(const struct recipe *recipe, struct worker_context *worker,
                   struct tile_times *times, struct error *error);
    /* Appends the headers of the type, each as its name and its value, both terminated; `bytes` are
     * those that were rendered. Null for none. */
    void (*write_headers)(const struct recipe *recipe, const uint8_t *bytes, struct buffer *out);
    /* The charge for a request of the product, with that of compiling its world if need be. */
    struct charge (*charge)(const struct recipe *recipe);
};

/* The row of a recipe's type. */
const struct product_type *product_type(const struct recipe *recipe);

/* The cache key of the recipe, sealed; the same on every machine. */
void product_key(const struct recipe *recipe, struct cache_key *key);
struct representation product_representation(const struct recipe *recipe);
/* The results of the row's functions; for a null function, PRIORITY_RENDER and 0. */
enum priority product_priority(const struct recipe *recipe);
size_t product_uncached_bytes(const struct recipe *recipe);

#endif
