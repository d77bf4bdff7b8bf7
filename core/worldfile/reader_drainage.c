/* Reads the member "drainage" of a world file: the formulas that its network is made from. */
#include "core/drainage/drainage.h"
#include "core/worldfile/reader.h"

enum { SPACING_LOG2_DEFAULT = 17 };

/* By enum drainage_formula; those from the first warp on may be missing. */
const struct reader_keys reader_drainage_keys =
    READER_KEYS("potential", "target", "relief", "warp_x", "warp_y", "lakes", "spacing", "deltas");
/* Part of the keys of their noises: no layer's name has a point. */
static const char *const names[DRAINAGE_FORMULAS] = {"drainage.potential", "drainage.target",
                                                     "drainage.relief",    "drainage.warp_x",
                                                     "drainage.warp_y",    "drainage.lakes"};

static bool read_spacing(const struct reader *reader)
{
    const struct json *value = json_member(reader->value, "spacing");
    uint32_t *spacing_log2 = &reader->world->drainage_spacing_log2;
    double number;
    *spacing_log2 = SPACING_LOG2_DEFAULT;
    if (!value)
        return true;
    if (json_number(value, &number))
        for (uint32_t i = DRAINAGE_SPACING_LOG2_MIN; i <= DRAINAGE_SPACING_LOG2_MAX; i++)
            if (number == (double)((uint32_t)1 << i)) {
                *spacing_log2 = i;
                return true;
            }
    return reader_fail(reader, "spacing",
                       "must be a power of two from %d to %d, as 131072, in metres",
                       1 << DRAINAGE_SPACING_LOG2_MIN, 1 << DRAINAGE_SPACING_LOG2_MAX);
}

/* In steps of 2⁻¹⁶, as hashes are compared with it. */
static bool read_deltas(const struct reader *reader)
{
    const struct json *value = json_member(reader->value, "deltas");
    double share = 0.0;
    if (value && !(json_number(value, &share) && share >= 0.0 && share <= 1.0))
        return reader_fail(reader, "deltas", "must be a number from 0 to 1, as 0.5");
    reader->world->drainage_deltas = (double)(uint32_t)(share * 0x1p16 + 0.5) * 0x1p-16;
    return true;
}

bool reader_drainage(const struct reader *root)
{
    const struct reader reader = {root->world, json_member(root->value, "drainage"), "drainage",
                                  root->error};
    if (!reader.value)
        return true;
    if (!reader_check_object(&reader, &reader_drainage_keys))
        return false;
    for (int i = 0; i < DRAINAGE_FORMULAS; i++) {
        struct compile_layer *formula = &root->world->drainage[i];
        const char *key = reader_drainage_keys.names[i];
        const bool optional = i >= DRAINAGE_WARP_X;
        formula->name = names[i];
        if ((!optional || json_member(reader.value, key)) &&
            !reader_take(&reader, reader_formula(&reader, key, formula)))
            return false;
    }
    return read_spacing(&reader) && read_deltas(&reader);
}
