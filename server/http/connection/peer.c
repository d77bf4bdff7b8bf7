/* The counts are a hash table with open addressing and linear probing, at most half full: an entry
 * stands at its hash's slot or behind it, with no free slot in between. Removing an entry moves
 * later ones back into the gap (Knuth, vol. 3, 6.4, algorithm R), so there are no tombstones and
 * the table works for ever without being rebuilt. It never allocates while connections come and go:
 * its size follows from the limit of connections. The hash has a random seed, so clients cannot
 * choose addresses that collide. */
#include "server/http/connection/peer.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

#include "core/base/hash.h"

static const struct ip_address no_address;

struct ip_address peer_of(const struct sockaddr *address)
{
    struct ip_address peer = no_address;
    if (!ip_address_from_socket(&peer, address))
        return peer;
    ip_address_clear_host(&peer);
    /* In the network ::/64 only ::1 is in use; all zeros stand for a peer without an address. */
    if (ip_address_equals(&peer, &no_address))
        peer.bytes[15] = 1;
    return peer;
}

void peer_write(const struct ip_address *peer, char text[PEER_TEXT])
{
    char address[IP_ADDRESS_TEXT];
    const bool is_network = !ip_address_is_v4(peer) && !ip_address_is_loopback(peer);
    ip_address_write(peer, address);
    if (ip_address_equals(peer, &no_address))
        snprintf(text, PEER_TEXT, "a unix socket");
    else
        snprintf(text, PEER_TEXT, "%s%s", address, is_network ? "/64" : "");
}

struct entry {
    struct ip_address peer;
    unsigned count; /* 0: a free slot */
};

struct peer_counts {
    pthread_mutex_t lock;
    uint64_t seed;
    size_t mask;
    struct entry *entries;
};

static size_t slots_for(unsigned max)
{
    size_t slots = 16;
    while (slots < (size_t)max * 2)
        slots *= 2;
    return slots;
}

struct peer_counts *peer_counts_new(unsigned max)
{
    const size_t slots = slots_for(max);
    struct peer_counts *counts = calloc(1, sizeof *counts);
    if (!counts || !(counts->entries = calloc(slots, sizeof(struct entry)))) {
        free(counts);
        return NULL;
    }
    pthread_mutex_init(&counts->lock, NULL);
    counts->mask = slots - 1;
    /* Without random bytes the counts are right too; the table is only easier to slow down. */
    if (getrandom(&counts->seed, sizeof counts->seed, GRND_NONBLOCK) < 0)
        counts->seed = (uint64_t)(uintptr_t)counts;
    return counts;
}

void peer_counts_free(struct peer_counts *counts)
{
    if (!counts)
        return;
    pthread_mutex_destroy(&counts->lock);
    free(counts->entries);
    free(counts);
}

static size_t home_of(const struct peer_counts *counts, const struct ip_address *peer)
{
    return (size_t)hash_bytes(peer, sizeof *peer, counts->seed).low & counts->mask;
}

/* The peer's entry, or the free slot where it belongs. */
static size_t slot_of(const struct peer_counts *counts, const struct ip_address *peer)
{
    size_t slot = home_of(counts, peer);
    while (counts->entries[slot].count > 0 && !ip_address_equals(&counts->entries[slot].peer, peer))
        slot = (slot + 1) & counts->mask;
    return slot;
}

bool peer_counts_grow(struct peer_counts *counts, unsigned max)
{
    const size_t slots = slots_for(max);
    if (slots <= counts->mask + 1)
        return true;
    struct entry *entries = calloc(slots, sizeof *entries);
    if (!entries)
        return false;
    pthread_mutex_lock(&counts->lock);
    struct entry *old = counts->entries;
    const size_t count = counts->mask + 1;
    counts->entries = entries;
    counts->mask = slots - 1;
    for (size_t i = 0; i < count; i++)
        if (old[i].count > 0)
            entries[slot_of(counts, &old[i].peer)] = old[i];
    pthread_mutex_unlock(&counts->lock);
    free(old);
    return true;
}

bool peer_counts_add(struct peer_counts *counts, const struct ip_address *peer, unsigned limit)
{
    pthread_mutex_lock(&counts->lock);
    struct entry *entry = &counts->entries[slot_of(counts, peer)];
    bool room = entry->count < limit;
    if (room) {
        entry->peer = *peer;
        entry->count++;
    }
    pthread_mutex_unlock(&counts->lock);
    return room;
}

/* Moves entries behind a slot that became free into it, where they would not be found otherwise. */
static void close_gap(struct peer_counts *counts, size_t gap)
{
    for (size_t slot = (gap + 1) & counts->mask; counts->entries[slot].count > 0;
         slot = (slot + 1) & counts->mask) {
        size_t home = home_of(counts, &counts->entries[slot].peer);
        if (((slot - home) & counts->mask) < ((slot - gap) & counts->mask))
            continue;
        counts->entries[gap] = counts->entries[slot];
        counts->entries[slot].count = 0;
        gap = slot;
    }
}

void peer_counts_remove(struct peer_counts *counts, const struct ip_address *peer)
{
    pthread_mutex_lock(&counts->lock);
    size_t slot = slot_of(counts, peer);
    if (counts->entries[slot].count > 0 && --counts->entries[slot].count == 0)
        close_gap(counts, slot);
    pthread_mutex_unlock(&counts->lock);
}
