/* Random numbers and angles of rows.
 *
 * A random number is a hash of the bits of a sample and of a key: the integer hash "lowbias32" of
 * Chris Wellons ("Prospecting for Hash Functions", 2018), once over the bits and once over the sum
 * with the key, so that two keys share no pattern. Its top 24 bits become a float exactly.
 *
 * The arc tangent is the polynomial of atanf in Cephes (S. Moshier) for up to tan(π/8), to which
 * the quotient of the smaller by the larger coordinate is reduced. Measured against libm in double:
 * the error is below 3e-7. */
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

#define QUARTER_PI 0.785398163f
#define HALF_PI 1.57079633f
#define PI 3.14159265f

/* The angle of the direction (x, y) from the x axis towards the y axis; 0 if both are 0. */
TERRANE_INLINE float angle(float y, float x)
{
    const float across = __builtin_fabsf(x), along = __builtin_fabsf(y);
    const bool steep = along > across;
    const float large = steep ? along : across, small = steep ? across : along;
    const float ratio = large > 0.0f ? small / large : 0.0f;
    const bool wide = ratio > 0.414213562f;
    const float reduced = wide ? (ratio - 1.0f) / (ratio + 1.0f) : ratio;
    const float q = reduced * reduced;
    float turn = (((8.05374449538e-2f * q - 1.38776856032e-1f) * q + 1.99777106478e-1f) * q -
                  3.33329491539e-1f) *
                     q * reduced +
                 reduced;
    turn = wide ? QUARTER_PI + turn : turn;
    turn = steep ? HALF_PI - turn : turn;
    turn = x < 0.0f ? PI - turn : turn;
    return (y < 0.0f ? -turn : turn) + 0.0f; /* -0 becomes +0 */
}

TERRANE_CLONES
static void angle_of_rows(size_t count, const float *restrict y, const float *restrict x,
                          float *restrict out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = angle(y[i], x[i]);
}

TERRANE_CLONES
static void angle_of_row_and_number(size_t count, const float *restrict y, float x,
                                    float *restrict out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = angle(y[i], x);
}

TERRANE_CLONES
static void angle_of_number_and_row(size_t count, float y, const float *restrict x,
                                    float *restrict out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = angle(y, x[i]);
}

void run_angle(const struct program *program, const struct operation *operation, size_t count,
               const float *const operands[3], float *out)
{
    (void)program;
    if (operands[0] && operands[1])
        angle_of_rows(count, operands[0], operands[1], out);
    else if (operands[0])
        angle_of_row_and_number(count, operands[0], operation->k[0], out);
    else
        angle_of_number_and_row(count, operation->k[0], operands[1], out);
}
