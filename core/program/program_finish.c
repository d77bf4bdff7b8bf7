/* Finishes a program: counts readers, chooses guards, fuses operations, and hashes all that decides
 * over samples. */
#include <stdlib.h>

#include "core/program/fuse.h"
#include "core/program/guards.h"
#include "core/program/program_builder.h"
#include "core/program/program_tables.h"

/* Eight bytes, the lowest first. */
static uint64_t read_number(const uint8_t *bytes)
{
    uint64_t number = 0;
    for (int i = 7; i >= 0; i--)
        number = number << 8 | bytes[i];
    return number;
}

/* Kept nodes (node_store.h) and kept streams, fields and land (drainage/store/cache.h) are found by
 * it: whatever can change a sample must be hashed here. By a secure hash: else a world could be
 * written to have the identity of another one, whose samples would be made of its streams. Numbers
 * are hashed in one order of bytes, so that caches keep and lose the same on every machine. */
static void identify(struct program *program)
{
    if (program->node_grid_count == 0)
        return;
    struct secure_hash hash = secure_hash_begin();
    uint8_t digest[SECURE_HASH_BYTES];
    for (uint32_t i = 0; i < program->count; i++)
        program_identify_operation(program, &program->operations[i], &hash);
    const struct program_drainage *drainage = &program->drainage;
    const uint64_t fields[] = {(uint64_t)drainage->potential,
                               (uint64_t)drainage->target,
                               (uint64_t)drainage->relief,
                               (uint64_t)drainage->lakes,
                               (uint64_t)(drainage->deltas * 0x1p24f),
                               drainage->key};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        secure_hash_add_words(
            &hash, (const uint32_t[]){(uint32_t)fields[i], (uint32_t)(fields[i] >> 32)}, 2);
    secure_hash_end(&hash, digest);
    program->work += program->count / WORK_ANALYSED;
    program->identity = (struct hash128){read_number(digest), read_number(digest + 8)};
}

/* Counts the operations that read each operation, but not those that no value depends on. False
 * when memory is out. */
static bool count_readers(struct program *program)
{
    bool *needed = calloc(program->count + 1, sizeof *needed);
    for (uint32_t i = 0; needed && i < program->value_count; i++)
        if (program->values[i] >= 0)
            needed[program->values[i]] = true;
    for (uint32_t i = program->count; needed && i-- > 0;)
        for (int k = 0; k < 3; k++) {
            const int32_t operand = program->operations[i].operands[k];
            if (!needed[i] || operand < 0)
                continue;
            needed[operand] = true;
            program->operations[operand].readers++;
        }
    free(needed);
    return needed != NULL;
}

bool program_reserve_values(struct program *program, uint32_t count)
{
    program->values = arena_allocate(&program->arena, count, sizeof *program->values);
    program->value_count = program->values ? count : 0;
    for (uint32_t i = 0; i < program->value_count; i++)
        program->values[i] = -1;
    return program->values != NULL;
}

bool program_finish(struct program *program)
{
    if (!count_readers(program) || !guards_choose(program))
        return error_memory(program->error);
    fuse_operations(program);
    identify(program);
    program->work += program->count / WORK_ANALYSED;
    program_free_indexes(program);
    program->error = NULL;
    return true;
}
