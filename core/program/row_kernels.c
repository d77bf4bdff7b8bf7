/* The loops of the elementwise operations, over rows of samples.
 *
 * An operation is one line: a macro makes its loops from an expression, in the forms row-row,
 * row-constant and constant-row, so a constant operand needs no row. Each loop is compiled for
 * several instruction sets (TERRANE_CLONES) and vectorised by the compiler. The scalar meaning of
 * the expression decides: it uses + - * / sqrt, comparisons and exact integer operations only, so
 * that every machine gives the same bits; sin, cos, exp and atan2 are polynomials for the same
 * reason, log and pow series of doubles (power.h).
 *
 * Two rules hold for every result of these operations. It is finite: infinities and NaNs become 0
 * at the operation that makes them, so bounds, styles and encoders never meet one. And zero is
 * always +0: products and quotients add 0.0f, which turns -0 into +0. So skipping a factor when the
 * other is 0 (see sampler_evaluate.c) leaves the bits as they are. */
#include "core/program/row_kernels.h"

#include <float.h>
#include <string.h>

#include "core/base/lanes.h"
#include "core/program/power.h"
#include "core/program/row_kernels_position.h"

TERRANE_INLINE float finite_or_zero(float v)
{
    return __builtin_fabsf(v) <= FLT_MAX ? v : 0.0f;
}

/* The sine of v + quarter · π/2. The argument is reduced to ±π/4 with π/2 in three parts (Cody and
 * Waite 1980), then polynomials of near-minimax coefficients follow. Measured against libm: the
 * error is below 1.3e-7 for |v| < 1000 and grows with |v|·2⁻²⁴ beyond, where the spacing of floats
 * is as coarse; the result is always in −1 … 1. */
TERRANE_INLINE float sine_quarter(float v, float quarter)
{
    float turns = __builtin_floorf(v * 0.636619772f + 0.5f);
    float r = ((v - turns * 1.5703125f) - turns * 4.83751297e-4f) - turns * 7.54953362e-8f;
    r = r < -0.8f ? -0.8f : r > 0.8f ? 0.8f : r;
    turns += quarter;
    float fourth = turns - 4.0f * __builtin_floorf(turns * 0.25f);
    float q = r * r;
    float sine = ((-1.9515296e-4f * q + 8.3321609e-3f) * q - 0.16666655f) * q * r + r;
    float cosine =
        ((2.4433157e-5f * q - 1.3887316e-3f) * q + 4.1666645e-2f) * q * q - 0.5f * q + 1.0f;
    float value = (fourth == 1.0f || fourth == 3.0f) ? cosine : sine;
    return (fourth >= 2.0f ? -value : value) + 0.0f; /* -0 becomes +0 */
}

/* 2ⁿ by its bits, −126 ≤ n ≤ 127. */
TERRANE_INLINE float power_of_two(int32_t n)
{
    uint32_t bits = (uint32_t)(n + 127) << 23;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* e to the power of v by the polynomial of expf in Cephes (S. Moshier), with v = n·ln 2 + r;
 * relative error below 1.2e-7. 2ⁿ is applied in two halves, as it may be too large for one float.
 * Outside −87 … 88.7, where floats end, the result is 0. */
TERRANE_INLINE float exponential(float v)
{
    float x = v < -87.0f ? -87.0f : v > 88.7f ? 88.7f : v;
    float n = __builtin_floorf(x * 1.44269504f + 0.5f);
    float r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
    float p = ((((1.9875691e-4f * r + 1.3981999e-3f) * r + 8.3334519e-3f) * r + 4.1665796e-2f) * r +
               0.16666665f) *
                  r +
              0.5f;
    int32_t whole = (int32_t)n;
    int32_t half = whole >> 1;
    float value = (p * r * r + r + 1.0f) * power_of_two(half) * power_of_two(whole - half);
    return v == x ? finite_or_zero(value) : 0.0f;
}

/* smoothstep() with constant edges: `inverse` is 1 / (high − low), rounded once when the program is
 * built, as a product takes a tenth of the time of a quotient. Finite for every v: beyond the
 * floats, v − low is infinite, and is clamped as any other. */
TERRANE_INLINE float smooth(float v, float low, float inverse)
{
    float t = clamp_unit((v - low) * inverse);
    return t * t * (3.0f - 2.0f * t);
}

/* smoothstep() with edges that differ from sample to sample: where they are equal, a step. The ramp
 * and the step are computed everywhere: one that is selected takes fewer instructions of vectors
 * than one that is computed under a mask. */
TERRANE_INLINE float smooth_between(float v, float low, float high)
{
    float width = finite_or_zero(high - low);
    float along = finite_or_zero(v - low);
    float ramp = clamp_unit(finite_or_zero(along / width));
    float step = low <= v ? 1.0f : 0.0f;
    float t = width != 0.0f ? ramp : step;
    return t * t * (3.0f - 2.0f * t);
}

#define QUARTER_PI 0.785398163f
#define HALF_PI 1.57079633f
#define PI 3.14159265f

/* The angle of the direction (x, y) from the x axis towards the y axis; 0 if both are 0. The
 * polynomial is that of atanf in Cephes (S. Moshier) for up to tan(π/8), to which the quotient of
 * the smaller by the larger coordinate is reduced. Measured against libm in double: the error is
 * below 3e-7. */
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

/* The function of an operation's row is `name`. */
#define RUN(name)                                                                                  \
    void name(const struct program *program, const struct operation *operation, size_t count,      \
              const float *const operands[3], float *out)

#define UNARY(name, expression)                                                                    \
    TERRANE_CLONES static void name##_of_row(size_t count, const float *restrict a,                \
                                             const float k[2], float *restrict out)                \
    {                                                                                              \
        const float k0 = k[0], k1 = k[1];                                                          \
        (void)k0, (void)k1;                                                                        \
        for (size_t i = 0; i < count; i++) {                                                       \
            const float x = a[i];                                                                  \
            out[i] = expression;                                                                   \
        }                                                                                          \
    }                                                                                              \
    RUN(name)                                                                                      \
    {                                                                                              \
        (void)program;                                                                             \
        name##_of_row(count, operands[0], operation->k, out);                                      \
    }

UNARY(run_not, x == 0.0f ? 1.0f : 0.0f)
UNARY(run_abs, __builtin_fabsf(x))
UNARY(run_floor, __builtin_floorf(x))
UNARY(run_sqrt, x > 0.0f ? __builtin_sqrtf(x) : 0.0f)
UNARY(run_sin, sine_quarter(x, 0.0f))
UNARY(run_cos, sine_quarter(x, 1.0f))
UNARY(run_exp, exponential(x))
UNARY(run_log, power_log(x))
UNARY(run_smoothstep, smooth(x, k0, k1))

#define BINARY_FORM(name, left, right, expression)                                                 \
    TERRANE_CLONES static void name(size_t count, const float *restrict a,                         \
                                    const float *restrict b, float k, float *restrict out)         \
    {                                                                                              \
        (void)a, (void)b, (void)k;                                                                 \
        for (size_t i = 0; i < count; i++) {                                                       \
            const float x = left, y = right;                                                       \
            out[i] = expression;                                                                   \
        }                                                                                          \
    }
#define BINARY(name, expression)                                                                   \
    BINARY_FORM(name##_rows, a[i], b[i], expression)                                               \
    BINARY_FORM(name##_constant, a[i], k, expression)                                              \
    BINARY_FORM(name##_of_constant, k, b[i], expression)                                           \
    RUN(name)                                                                                      \
    {                                                                                              \
        const float *a = operands[0], *b = operands[1];                                            \
        (void)program;                                                                             \
        if (a && b)                                                                                \
            name##_rows(count, a, b, operation->k[0], out);                                        \
        else if (a)                                                                                \
            name##_constant(count, a, b, operation->k[0], out);                                    \
        else                                                                                       \
            name##_of_constant(count, a, b, operation->k[0], out);                                 \
    }

BINARY(run_add, finite_or_zero(x + y))
BINARY(run_subtract, finite_or_zero(x - y))
BINARY(run_multiply, finite_or_zero((x) * (y)) + 0.0f) /* -0 becomes +0 */
BINARY(run_divide, finite_or_zero(x / y) + 0.0f)
BINARY(run_power, power(x, y))
BINARY(run_angle, angle(x, y)) /* a is the y of the direction */
BINARY(run_minimum, y < x ? y : x)
BINARY(run_maximum, y > x ? y : x)
BINARY(run_less, x < y ? 1.0f : 0.0f)
BINARY(run_less_equal, x <= y ? 1.0f : 0.0f)
BINARY(run_equal, x == y ? 1.0f : 0.0f)
BINARY(run_and, (float)((x != 0.0f) & (y != 0.0f)))
BINARY(run_or, (float)((x != 0.0f) | (y != 0.0f)))

TERRANE_CLONES
static void loop_choose(size_t count, const float *restrict a, const float *restrict b,
                        const float *restrict c, float *restrict out)
{
    for (size_t i = 0; i < count; i++) {
        const float yes = b[i], no = c[i];
        out[i] = a[i] != 0.0f ? yes : no;
    }
}

RUN(run_choose)
{
    (void)program, (void)operation;
    loop_choose(count, operands[0], operands[1], operands[2], out);
}

TERRANE_CLONES
static void loop_smoothstep(size_t count, const float *restrict low, const float *restrict high,
                            const float *restrict v, float *restrict out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = smooth_between(v[i], low[i], high[i]);
}

RUN(run_smoothstep_rows)
{
    (void)program, (void)operation;
    loop_smoothstep(count, operands[0], operands[1], operands[2], out);
}

RUN(run_constant)
{
    (void)program, (void)operands;
    row_kernel_fill(count, operation->k[0], out);
}

RUN(run_spline)
{
    row_kernel_spline(count, operands[0], &program->splines[operation->table_index], out);
}

TERRANE_CLONES
static uint32_t count_zeros(size_t count, const float *restrict row)
{
    uint32_t zeros = 0;
    for (size_t i = 0; i < count; i++)
        zeros += row[i] == 0.0f;
    return zeros;
}

enum row_zeros row_kernel_zeros(size_t count, const float *row)
{
    /* Most rows that have some show it by their ends. */
    if ((row[0] == 0.0f) != (row[count - 1] == 0.0f))
        return ROW_SOME_ZERO;
    const uint32_t zeros = count_zeros(count, row);
    return zeros == 0 ? ROW_NONE_ZERO : zeros == count ? ROW_ALL_ZERO : ROW_SOME_ZERO;
}
