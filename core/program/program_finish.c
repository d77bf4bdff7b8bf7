/* Finishes a program: counts readers, chooses guards, fuses operations, and hashes all that decides
 * over samples. */
#include <stdlib.h>

#include "core/program/fuse.h"
#include "core/program/guards.h"
#include "core/program/program_builder.h"
#include "core/program/program_tables.h"

/* Kept nodes are found by the program's identity (node_store.h). */
static void identify(struct program *program)
{
    struct hash_stream stream = hash_begin(0);
    if (program->node_grid_count == 0)
        return;
    for (uint32_t i = 0; i < program->count; i++) {
        const struct operation *operation = &program->operations[i];
        const uint64_t hash =
            program_hash_operation(operation) + program_hash_entry(program, operation);
        const uint64_t block[2] = {hash, hash_mix(hash + i)};
        hash_blocks(&stream, block, sizeof block);
    }
    const struct program_drainage *drainage = &program->drainage;
    const uint64_t fields[] = {(uint64_t)drainage->potential,
                               (uint64_t)drainage->target,
                               (uint64_t)drainage->relief,
                               (uint64_t)drainage->lakes,
                               (uint64_t)(drainage->deltas * 0x1p24f),
                               drainage->key};
    hash_blocks(&stream, fields, sizeof fields);
    program->work += program->count / WORK_ANALYSED;
    program->identity = hash_end(&stream, "", 0);
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
