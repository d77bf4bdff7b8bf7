/* terrane names: examples of the names of a world, for makers of worlds. They are names of features
 * that need not be there: one in each of a row of regions, so all tongues of the world appear. */
#include "core/names/name.h"

#include <string.h>

#include "core/base/json_writer.h"
#include "server/cli/command.h"

enum { FEATURES_APART_KM = 3 * NAME_REGION_KM, COLUMNS = 1000 };

/* What is printed: names of the kinds from `first` to `last`, of one tongue or, if that is null, of
 * the regions. */
struct examples {
    const struct names *names;
    const struct tongue *tongue;
    uint64_t seed, count;
    enum name_kind first, last;
};

static const struct tongue *make_example(const struct examples *examples, enum name_kind kind,
                                         uint64_t id, struct name *name)
{
    const int64_t apart = (int64_t)FEATURES_APART_KM * 1000 * PLACE_METRE;
    const struct name_subject subject = {
        .kind = kind,
        .id = id,
        .place = {(int64_t)(id % COLUMNS) * apart, ((int64_t)kind - NAME_KINDS) * apart}};
    if (examples->tongue) {
        name_make_in(examples->tongue, examples->seed, &subject, name);
        return examples->tongue;
    }
    name_make(examples->names, examples->seed, &subject, name);
    return examples->names->tongues[name->tongue];
}

static void print_text(const struct examples *examples, struct buffer *out)
{
    struct name name;
    buffer_text(out, "kind\ttongue\tname\n");
    for (unsigned kind = examples->first; kind <= examples->last; kind++)
        for (uint64_t id = 0; id < examples->count; id++) {
            const struct tongue *tongue = make_example(examples, (enum name_kind)kind, id, &name);
            buffer_format(out, "%s\t%s\t%s\n", name_kind_texts[kind], tongue->name, name.text);
        }
}

static void print_json(const struct examples *examples, struct buffer *out)
{
    struct json_writer json;
    struct name name;
    json_begin(&json, out, true);
    json_array_open(&json);
    for (unsigned kind = examples->first; kind <= examples->last; kind++)
        for (uint64_t id = 0; id < examples->count; id++) {
            const struct tongue *tongue = make_example(examples, (enum name_kind)kind, id, &name);
            json_object_open(&json);
            json_member_string(&json, "kind", name_kind_texts[kind]);
            json_member_string(&json, "tongue", tongue->name);
            json_member_string(&json, "name", name.text);
            json_member_string(&json, "root", name.root);
            json_object_close(&json);
        }
    json_array_close(&json);
    json_finish(&json);
}

static bool read_kind(const struct options *options, struct examples *examples, struct error *error)
{
    const char *text = options_text(options, OPTION_NAME_KIND);
    const int kind = text ? name_kind_find(text) : 0;
    examples->first = text && kind >= 0 ? (enum name_kind)kind : (enum name_kind)0;
    examples->last = text && kind >= 0 ? (enum name_kind)kind : NAME_KINDS - 1;
    if (kind >= 0)
        return true;
    struct buffer list = {0};
    for (int i = 0; i < NAME_KINDS; i++)
        buffer_format(&list, "%s%s", i ? ", " : "", name_kind_texts[i]);
    error_set(error, ERROR_UNKNOWN, "must be one of %s, not \"%s\"", buffer_string(&list), text);
    buffer_free(&list);
    return error_in_path(error, "--kind");
}

/* Tongues of the world come first, then those of the program. */
static bool read_tongue(const struct options *options, struct examples *examples,
                        struct error *error)
{
    const char *text = options_text(options, OPTION_TONGUE);
    struct buffer list = {0};
    if (!text)
        return true;
    examples->tongue = tongue_find(text);
    for (uint32_t i = 0; i < examples->names->tongue_count; i++) {
        const struct tongue *tongue = examples->names->tongues[i];
        if (strcmp(tongue->name, text) == 0)
            examples->tongue = tongue;
        if (!tongue_find(tongue->name))
            buffer_format(&list, "%s, ", tongue->name);
    }
    for (size_t i = 0; i < TONGUES; i++)
        buffer_format(&list, "%s%s", i ? ", " : "", tongues[i]->name);
    if (!examples->tongue)
        error_set(error, ERROR_UNKNOWN, "must be one of %s, not \"%s\"", buffer_string(&list),
                  text);
    buffer_free(&list);
    return examples->tongue || error_in_path(error, "--tongue");
}

static bool print_names(const struct options *options, const struct catalog_world *world,
                        void *context, struct error *error)
{
    (void)context;
    struct examples examples = {
        .names = world_names(world->world),
        .seed = world_seed_number(world->world),
        .count = (uint64_t)options_whole(options, OPTION_NAMES),
    };
    struct buffer out = {0};
    if (!read_kind(options, &examples, error) || !read_tongue(options, &examples, error))
        return false;
    if (!examples.tongue && examples.names->tongue_count == 0)
        return error_set(error, ERROR_VALUE,
                         "the world \"%s\" has no tongues; --tongue shows one of the program",
                         world->identity.name);
    (options_given(options, OPTION_JSON) ? print_json : print_text)(&examples, &out);
    return command_print(&out) == EXIT_DONE;
}

enum exit_status command_names(const struct options *options)
{
    return command_with_world(options, print_names, NULL);
}
