/* Random numbers of rows: hashes of the bits of a sample and of a key. The integer hash is
 * "lowbias32" of Chris Wellons ("Prospecting for Hash Functions", 2018), once over the bits and
 * once over the sum with the key, so that two keys share no pattern. Its top 24 bits become a float
 * exactly. */
#include <string.h>

#include "core/base/simd.h"
#include "core/program/row_kernels.h"

TERRANE_INLINE uint32_t mix_bits(uint32_t bits)
{
    bits = (bits ^ (bits >> 16)) * 0x7FEB352Du;
    bits = (bits ^ (bits >> 15)) * 0x846CA68Bu;
    return bits ^ (bits >> 16);
}

TERRANE_CLONES
static void random_of_row(size_t count, const float *restrict a, uint32_t key, float *restrict out)
{
    for (size_t i = 0; i < count; i++) {
        const float id = a[i] + 0.0f; /* one zero, not two */
        uint32_t bits;
        memcpy(&bits, &id, sizeof bits);
        bits = mix_bits(mix_bits(bits) + key);
        out[i] = (float)(int32_t)(bits >> 8) * 0x1p-24f;
    }
}

void run_random(const struct program *program, const struct operation *operation, size_t count,
                const float *const operands[3], float *out)
{
    (void)program;
    random_of_row(count, operands[0], operation->table_index, out);
}
