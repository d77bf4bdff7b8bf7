/* The list of bases and the search by name, both made from the rows of basis_rows.h. */
#include "core/noise/basis.h"

#define DECLARATION(id, name, parameters, summary) extern const struct basis name##_basis;
NOISE_BASIS_ROWS(DECLARATION)

#define POINTER(id, name, parameters, summary) [id] = &name##_basis,
const struct basis *const noise_bases[NOISE_BASES] = {NOISE_BASIS_ROWS(POINTER)};

enum noise_basis noise_basis_find(const char *name)
{
#define NAME(id, name, parameters, summary) #name,
    static const char *const names[NOISE_BASES] = {NOISE_BASIS_ROWS(NAME)};
    unsigned basis = 0;
    while (basis < NOISE_BASES && strcmp(names[basis], name) != 0)
        basis++;
    return (enum noise_basis)basis;
}
