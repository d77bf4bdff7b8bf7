/* The functions of formulas as a document, for editors of world files. It is the same for all
 * worlds and never changes while the program runs. */
#include "core/language/functions_document.h"
#include "server/http/response/static_document.h"
#include "server/http/routes/handlers.h"
#include "server/queries/parameters.h"

static bool write_formulas(bool pretty, struct buffer *out, struct error *error)
{
    struct json_writer json;
    json_begin(&json, out, pretty);
    functions_write_document(&json);
    json_finish(&json);
    return !out->failed || error_memory(error);
}

enum handler_result handle_formulas(struct http_request *request, struct problem *problem)
{
    return response_static_document(request, STATIC_DOCUMENT_FORMULAS, request->values->pretty,
                                    write_formulas, problem);
}
