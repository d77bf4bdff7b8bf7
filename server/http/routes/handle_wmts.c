/* WMTS by parameters ("KVP", OGC 07-057r7, 8): capabilities and tiles under one path. A tile is the
 * product that its address has, so both share the caches; errors are OWS exception reports. */
#include <stdio.h>
#include <string.h>

#include "server/http/products/respond.h"
#include "server/http/routes/handlers.h"
#include "server/http/routes/resolve.h"
#include "server/queries/parameters.h"
#include "server/render/format.h"

/* The parameters without which there is no tile. */
static bool check_given(const struct parameter_values *values, struct problem *problem)
{
    static const enum parameter_id needed[] = {PARAMETER_WMTS_LAYER,      PARAMETER_WMTS_FORMAT,
                                               PARAMETER_WMTS_MATRIX_SET, PARAMETER_WMTS_MATRIX,
                                               PARAMETER_WMTS_ROW,        PARAMETER_WMTS_COLUMN};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        char allowed[PARAMETER_ALLOWED_TEXT];
        if (values->given & (parameter_set)1 << needed[i])
            continue;
        parameter_allowed(needed[i], allowed);
        return problem_parameter(problem, parameter_table[needed[i]].name, allowed, "%s is missing",
                                 parameter_table[needed[i]].name);
    }
    return true;
}

/* Rows and columns are those of the matrix. */
static bool check_matrix(const struct tile_address *address, struct problem *problem)
{
    const int64_t last = ((int64_t)1 << address->zoom) - 1;
    const bool row = address->y > last;
    char allowed[32];
    if (!row && address->x <= last)
        return true;
    snprintf(allowed, sizeof allowed, "0 … %lld", (long long)last);
    problem_parameter(problem, row ? "TILEROW" : "TILECOL", allowed,
                      "the %s of TILEMATRIX %d go from 0 to %lld, not to %lld",
                      row ? "rows" : "columns", address->zoom, (long long)last,
                      (long long)(row ? address->y : address->x));
    problem->ows_code = "TileOutOfRange";
    return false;
}

static bool read_request(struct http_request *request, struct problem *problem)
{
    static const char *const formats[] = {
        [WMTS_PNG] = "png", [WMTS_WEBP] = "webp", [WMTS_TIFF] = "tif"};
    const struct parameter_values *values = request->values;
    if (values->wmts_request == WMTS_GET_CAPABILITIES)
        return true;
    if (!check_given(values, problem))
        return false;
    struct recipe *recipe = product_begin(request, PRODUCT_TILE, problem);
    if (!recipe)
        return false;
    const char *format = formats[values->wmts_format];
    struct tile_order *order = &recipe->order;
    order->format = format_find(format, strlen(format));
    order->size = order->format->size;
    order->address =
        (struct tile_address){(int)values->zoom, values->tile_column, values->tile_row};
    return check_matrix(&order->address, problem);
}

/* The painter of LAYER, which STYLE may pin. An unknown one is no other resource: 400. */
static const struct painter *find_painter(const struct http_request *request,
                                          struct problem *problem)
{
    const struct parameter_values *values = request->values;
    const bool pinned = values->style[0] && strcmp(values->style, "default") != 0;
    char text[WORLD_NAME_MAX + STYLE_FINGERPRINT_TEXT + 2];
    const int length = snprintf(text, sizeof text, "%s%s%s", values->layer, pinned ? "@" : "",
                                pinned ? values->style : "");
    if (pinned && strncmp(values->style, "s1-", 3) != 0) {
        problem_parameter(problem, "STYLE", "default",
                          "STYLE must be default, or the s1-… of the capabilities, not \"%s\"",
                          values->style);
        return NULL;
    }
    if (length < 0 || (size_t)length >= sizeof text) {
        problem_parameter(problem, "LAYER", "", "LAYER and STYLE are too long");
        return NULL;
    }
    const struct painter *painter = resolve_style(request, text, (size_t)length, problem);
    const bool is_unknown = !painter && problem->kind == PROBLEM_NOT_FOUND;
    if (is_unknown)
        problem->kind = PROBLEM_PARAMETER;
    if (!painter)
        snprintf(problem->parameter, sizeof problem->parameter, "%s",
                 pinned && !is_unknown ? "STYLE" : "LAYER");
    return painter;
}

static bool order_tile(struct http_request *request, struct problem *problem)
{
    if (!request->work)
        return true;
    struct tile_order *order = &product_recipe(request)->order;
    order->world = request->worlds[0].base->world;
    order->painter = find_painter(request, problem);
    if (!order->painter)
        return false;
    order->coding = headers_select_coding(&request->headers, order->format->codings);
    return !painter_is_16bit(order->painter) || order->format->supports_16bit ||
           problem_parameter(problem, "FORMAT", "image/png, image/tiff",
                             "the layer \"%s\" has 16 bits a pixel, which image/%s cannot hold",
                             painter_name(order->painter), order->format->name);
}

static enum handler_result find_tile(struct http_request *request, struct problem *problem)
{
    return request->work ? product_find(request, problem) : HANDLER_CONTINUE;
}

static bool charge_tile(struct http_request *request, struct charge *charge,
                        struct problem *problem)
{
    return !request->work || product_charge(request, charge, problem);
}

const struct route_steps wmts_steps = {
    .read = read_request,
    .order = order_tile,
    .find = find_tile,
    .charge = charge_tile,
};

enum handler_result handle_wmts_request(struct http_request *request, struct problem *problem)
{
    return request->work ? product_make(request, problem)
                         : gis_respond_capabilities(request, problem);
}
