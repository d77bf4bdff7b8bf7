/* One export, from the options of a command to its files. A kind of export is a row of functions,
 * which a job calls in this order:
 *
 *   takes      the options and the name of the file: is it this kind that they want?
 *   read       the options, into the kind's plan, before a world is loaded
 *   bind       the world: what decides the bytes, the outputs, and the space as far as it is known
 *   estimate   some items, for a dry run, or to know the space
 *   open       what an interrupted export has left, for --resume
 *   make       the items that are not there
 *   finish     the files get their names
 *   close      whatever happened
 *
 * Items of most kinds are kept in a spool for each output until the file is whole. Such a kind has
 * has_spools: job.c opens, continues and removes them. Another kind keeps what is done by itself,
 * or nothing. */
#ifndef TERRANE_SERVER_EXPORT_JOB_H
#define TERRANE_SERVER_EXPORT_JOB_H

#include "core/base/place.h"
#include "server/base/long_work.h"
#include "server/base/progress.h"
#include "server/export/spool/spool_run.h"
#include "server/render/names.h"
#include "server/settings/options.h"
#include "server/worlds/catalog.h"

/* Bytes for streams and land that threads share: as the server's by default. */
enum { EXPORT_NETWORK_MEMORY = 64 << 20 };

/* A file to make, of a kind that has spools. */
struct export_output {
    char *path;                    /* owned */
    const struct painter *painter; /* null for samples of a layer */
    struct buffer recipe;          /* everything that decides the bytes; owned */
    struct spool *spool;           /* while the job is open, and the file is not made */
};

/* Bytes on a disk. */
struct export_space {
    struct long_work_space parts; /* of spools, or what is written in place */
    struct long_work_space copy;  /* of a file that is made of them */
    bool is_known;                /* no estimate can be nearer */
};

struct export_job {
    const struct export_kind *kind;
    const struct options *options;
    /* Of the options that all kinds have: */
    const char *path;     /* null for a dry run without a file */
    enum option_id style; /* the option that names styles */
    int64_t box[4]; /* west, north, east, south in 2⁻¹⁶ m; without --bbox the Mercator square */
    int64_t step;   /* 2⁻¹⁶ m; 0 without --step */
    int64_t t;
    unsigned threads;
    bool is_kept; /* what is done is kept when the work ends early; not of `render` */
    bool is_dry, is_resumed;
    void *plan; /* of the kind: zeroed memory of its plan_size */
    /* While it runs: */
    const struct catalog_world *world;
    char world_name[WORLD_NAME_MAX + 300]; /* NAME or NAME~SEED */
    char time[NUMBER_TEXT];                /* seconds */
    struct export_output outputs[EXPORT_OUTPUTS_MAX];
    unsigned output_count;
    struct export_space space;       /* by bind(), at most; then by estimate() */
    struct export_estimate estimate; /* by estimate() */
    struct buffer summary; /* by bind(), the beginning of what a dry run says: "9 tiles, about" */
    struct progress progress;
    struct drainage_cache *network; /* streams and land, which all threads share */
};

struct export_kind {
    const char *name;              /* of its files: "meshes, .glb and .stl" */
    const char *noun;              /* of one of them, of a kind with endings: "mesh" */
    const char *file;              /* what -o needs: "FILE" */
    const char *unit;              /* of items, for the progress: "rows" */
    unsigned commands;             /* FOR_EXPORT, and FOR_RENDER if that makes it too */
    const enum option_id *options; /* that not all kinds have; OPTION_COUNT ends them */
    size_t plan_size;              /* bytes */
    bool has_spools;
    bool is_tried; /* by an estimate that shows mistakes, however much room there is */
    const char *(*endings)(char text[FORMAT_NAMES_TEXT]); /* ".glb, .stl"; null for folders */
    /* True if the options want a file of this kind. The path is null where no kind has such an
     * ending: then one kind takes the folders of --step, and one what is left. */
    bool (*takes)(const struct options *options, const char *path);
    /* An error without a path is one of how the command is used. */
    bool (*read)(struct export_job *job, struct error *error);
    bool (*bind)(struct export_job *job, struct error *error);
    bool (*estimate)(struct export_job *job, struct error *error);
    /* True if the file of the output is there, and of this very export. */
    bool (*is_finished)(const struct export_job *job, const struct export_output *output);
    bool (*open)(struct export_job *job,
                 struct error *error); /* of a kind without spools; or null */
    /* Both are false without an error when a signal has ended the work. */
    bool (*make)(struct export_job *job, struct error *error);
    /* The spool is gone when that succeeds. Null, or called once without an output, for a kind
     * without spools. */
    bool (*finish)(struct export_job *job, struct export_output *output, struct error *error);
    void (*close)(struct export_job *job); /* null if there is nothing to close or free */
};

/* The kinds: each is a struct export_kind export_NAME in a folder of its own. */
#define EXPORT_KINDS(KIND) KIND(archives) KIND(grids) KIND(meshes) KIND(rasters)
#define EXPORT_KIND_DECLARE(name) extern const struct export_kind export_##name;
EXPORT_KINDS(EXPORT_KIND_DECLARE)
#undef EXPORT_KIND_DECLARE
extern const struct export_kind *const export_kinds[]; /* null ends them */

bool export_kind_has(const struct export_kind *kind, enum option_id option);
/* The kind that the options want; null if there is none, of `render`. */
const struct export_kind *export_kind_of(const struct options *options, const char *path);

/* Reads the options, which must outlive the job. False with an error about how the command is used
 * if it has no path. The job is to be freed in any case. */
bool export_job_read(struct export_job *job, const struct export_kind *kind,
                     const struct options *options, struct error *error);
/* Makes the files, or prints what a dry run says. False with an error; after a signal it says how
 * to go on. */
bool export_job_run(struct export_job *job, const struct catalog_world *world, struct error *error);
void export_job_free(struct export_job *job);

/* For kinds. Adds an output, whose recipe is still empty; takes over the path. Null with an error
 * if the path is null, as memory is out, or there are too many. */
struct export_output *export_job_add_output(struct export_job *job, char *path,
                                            const struct painter *painter, struct error *error);

#endif
