/* Documents for GIS programs: WMTS capabilities of a world, and a file with which GDAL reads a
 * style.
 *
 * Both place the world's central square of 2²⁵ m on the square of Web Mercator (EPSG:3857), whose
 * side is 2π · 6378137 m: one metre there is 0.8373 m of the world. */
#include <string.h>

#include "core/base/number.h"
#include "core/tile/address.h"
#include "server/base/xml.h"
#include "server/http/response/base_url.h"
#include "server/http/response/response.h"
#include "server/http/routes/handlers.h"
#include "server/http/routes/resolve.h"
#include "server/queries/parameters.h"

#define HALF_SIDE "20037508.342789244" /* π · 6378137 m */
/* The scale denominator of 2π · 6378137 m / 256 px, at OGC's 0.28 mm a pixel. */
#define SCALE_OF_ZOOM_0 559082264.0287178
#define MATRIX_SET "WebMercatorQuad"

/* The title of the world, followed by that of the style unless it is null. */
static void append_title(struct buffer *out, const struct catalog_world *world,
                         const struct painter *painter)
{
    buffer_text(out, "<ows:Title>");
    xml_text(out, world_title(world->world));
    if (painter) {
        buffer_text(out, " – ");
        xml_text(out, painter_title(painter));
    }
    buffer_text(out, "</ows:Title>\n");
}

/* The path of a style's pinned tiles; `tile` is the template of one tile. */
static void append_tiles(struct buffer *out, const struct http_request *request,
                         const struct painter *painter, const char *tile, const char *format)
{
    struct buffer path = {0};
    resolve_append_tiles(&request->worlds[0].identity, painter, tile, format, &path);
    xml_text(out, buffer_string(&path));
    out->failed = out->failed || path.failed;
    buffer_free(&path);
}

static void append_service(struct buffer *out, const struct catalog_world *world)
{
    buffer_text(out, "<ows:ServiceIdentification>\n");
    append_title(out, world, NULL);
    if (world_description(world->world)[0])
        xml_element(out, "ows:Abstract", world_description(world->world));
    buffer_text(out, "<ows:ServiceType>OGC WMTS</ows:ServiceType>"
                     "<ows:ServiceTypeVersion>1.0.0</ows:ServiceTypeVersion>\n");
    if (world_attribution(world->world)[0])
        xml_element(out, "ows:AccessConstraints", world_attribution(world->world));
    buffer_text(out, "</ows:ServiceIdentification>\n");
}

/* The formats of a style's tiles, the one to be preferred first. Returns their number. */
static unsigned list_formats(const struct http_request *request, const struct painter *painter,
                             const char *formats[2])
{
    formats[0] = resolve_tile_format(request, painter);
    formats[1] = strcmp(formats[0], "png") == 0 ? "webp" : "png";
    return painter_is_16bit(painter) ? 1 : 2;
}

/* A service that is asked by addresses, or by parameters. */
enum encoding { ENCODING_ADDRESSES, ENCODING_PARAMETERS };

struct capabilities {
    struct buffer *out;
    const struct http_request *request;
    const char *base;
    enum encoding encoding;
};

/* The templates of the addresses of a style's tiles, in its formats. */
static void append_templates(const struct capabilities *document, const struct painter *painter)
{
    struct buffer *out = document->out;
    const char *formats[2];
    const unsigned count = list_formats(document->request, painter, formats);
    for (unsigned i = 0; i < count; i++) {
        buffer_format(out, "<ResourceURL format=\"image/%s\" resourceType=\"tile\" template=\"",
                      formats[i]);
        xml_text(out, document->base);
        append_tiles(out, document->request, painter, "/{TileMatrix}/{TileCol}/{TileRow}",
                     formats[i]);
        buffer_text(out, "\"/>\n");
    }
}

/* A style as a layer of WMTS. Where parameters name it, its fingerprint is the name of its only
 * style, so that a request for a tile is pinned. */
static void append_layer(const struct capabilities *document, const struct painter *painter)
{
    struct buffer *out = document->out;
    const struct http_request *request = document->request;
    const bool addresses = document->encoding == ENCODING_ADDRESSES;
    const char *formats[2];
    const unsigned count = list_formats(request, painter, formats);
    buffer_text(out, "<Layer>\n");
    append_title(out, request->worlds[0].base, painter);
    buffer_text(out, "<ows:WGS84BoundingBox>"
                     "<ows:LowerCorner>-180 -85.0511287798066</ows:LowerCorner>"
                     "<ows:UpperCorner>180 85.0511287798066</ows:UpperCorner>"
                     "</ows:WGS84BoundingBox>\n");
    xml_element(out, "ows:Identifier", painter_name(painter));
    buffer_format(out, "\n<Style isDefault=\"true\"><ows:Identifier>%s</ows:Identifier></Style>",
                  addresses ? "default" : painter_fingerprint(painter));
    for (unsigned i = 0; i < count; i++)
        buffer_format(out, "<Format>image/%s</Format>", formats[i]);
    buffer_text(out, "\n<TileMatrixSetLink><TileMatrixSet>" MATRIX_SET
                     "</TileMatrixSet></TileMatrixSetLink>\n");
    if (addresses)
        append_templates(document, painter);
    buffer_text(out, "</Layer>\n");
}

/* One zoom as OGC describes it: its scale at 0.28 mm a pixel, and its number of tiles. */
static void append_matrix(struct buffer *out, int zoom)
{
    char scale[NUMBER_TEXT];
    number_format_double(SCALE_OF_ZOOM_0 / (double)(1 << zoom), scale);
    buffer_format(out,
                  "<TileMatrix><ows:Identifier>%d</ows:Identifier>"
                  "<ScaleDenominator>%s</ScaleDenominator>"
                  "<TopLeftCorner>-" HALF_SIDE " " HALF_SIDE "</TopLeftCorner>"
                  "<TileWidth>256</TileWidth><TileHeight>256</TileHeight>"
                  "<MatrixWidth>%d</MatrixWidth><MatrixHeight>%d</MatrixHeight></TileMatrix>\n",
                  zoom, scale, 1 << zoom, 1 << zoom);
}

static void append_matrix_set(struct buffer *out)
{
    buffer_text(out, "<TileMatrixSet><ows:Identifier>" MATRIX_SET "</ows:Identifier>"
                     "<ows:SupportedCRS>urn:ogc:def:crs:EPSG::3857</ows:SupportedCRS>\n"
                     "<WellKnownScaleSet>urn:ogc:def:wkss:OGC:1.0:GoogleMapsCompatible"
                     "</WellKnownScaleSet>\n");
    for (int zoom = 0; zoom <= TILE_ZOOM_MAX; zoom++)
        append_matrix(out, zoom);
    buffer_text(out, "</TileMatrixSet>\n");
}

static void append_world_path(const struct capabilities *document, bool pinned, const char *rest)
{
    struct buffer *out = document->out, path = {0};
    resolve_append_world_path(&document->request->worlds[0].identity, pinned, &path);
    xml_text(out, document->base);
    xml_text(out, buffer_string(&path));
    buffer_text(out, rest);
    out->failed = out->failed || path.failed;
    buffer_free(&path);
}

/* Where the service takes a request by parameters. */
static void append_operation(const struct capabilities *document, const char *name, bool pinned)
{
    buffer_format(document->out,
                  "<ows:Operation name=\"%s\"><ows:DCP><ows:HTTP><ows:Get xlink:href=\"", name);
    append_world_path(document, pinned, "/wmts?");
    buffer_text(document->out,
                "\"><ows:Constraint name=\"GetEncoding\"><ows:AllowedValues>"
                "<ows:Value>KVP</ows:Value></ows:AllowedValues></ows:Constraint></ows:Get>"
                "</ows:HTTP></ows:DCP></ows:Operation>\n");
}

static void append_operations(const struct capabilities *document)
{
    buffer_text(document->out, "<ows:OperationsMetadata>\n");
    append_operation(document, "GetCapabilities", false);
    append_operation(document, "GetTile", true);
    buffer_text(document->out, "</ows:OperationsMetadata>\n");
}

/* The capabilities of one style, or of all styles with 8 bits a pixel if `only_style` is null:
 * clients clamp pictures of 16 bits to white. */
static void append_capabilities(const struct capabilities *document,
                                const struct painter *only_style)
{
    struct buffer *out = document->out;
    const struct catalog_world *world = document->request->worlds[0].base;
    const bool addresses = document->encoding == ENCODING_ADDRESSES;
    buffer_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                     "<Capabilities xmlns=\"http://www.opengis.net/wmts/1.0\" "
                     "xmlns:ows=\"http://www.opengis.net/ows/1.1\" "
                     "xmlns:xlink=\"http://www.w3.org/1999/xlink\" version=\"1.0.0\">\n");
    append_service(out, world);
    if (!addresses)
        append_operations(document);
    buffer_text(out, "<Contents>\n");
    if (only_style)
        append_layer(document, only_style);
    for (size_t i = 0; i < world->style_count && !only_style; i++)
        if (!painter_is_16bit(world->painters[i]))
            append_layer(document, world->painters[i]);
    append_matrix_set(out);
    buffer_text(out, "</Contents>\n<ServiceMetadataURL xlink:href=\"");
    append_world_path(document, false,
                      addresses ? "/wmts.xml" : "/wmts?SERVICE=WMTS&amp;REQUEST=GetCapabilities");
    buffer_text(out, "\"/>\n</Capabilities>\n");
}

static void append_addresses(struct buffer *out, const struct http_request *request,
                             const char *base, const struct painter *only_style)
{
    append_capabilities(&(struct capabilities){out, request, base, ENCODING_ADDRESSES}, only_style);
}

static void append_parameters(struct buffer *out, const struct http_request *request,
                              const char *base, const struct painter *only_style)
{
    append_capabilities(&(struct capabilities){out, request, base, ENCODING_PARAMETERS},
                        only_style);
}

/* https://gdal.org/drivers/raster/wms.html, "TMS": GDAL widens grey tiles and palettes to the three
 * bands itself; those of 16 bits are one band of numbers, as are those of samples. The file
 * requests no cache: GDAL would make its folder in the directory where it happens to run. */
static void append_gdal(struct buffer *out, const struct http_request *request, const char *base,
                        const struct painter *painter)
{
    const bool samples = request->values->map_format == 1; /* of "png tif" */
    buffer_text(out, "<GDAL_WMS>\n<Service name=\"TMS\"><ServerUrl>");
    xml_text(out, base);
    append_tiles(out, request, painter, "/${z}/${x}/${y}", samples ? "tif" : "png");
    buffer_format(out,
                  "</ServerUrl></Service>\n"
                  "<DataWindow><UpperLeftX>-" HALF_SIDE "</UpperLeftX>"
                  "<UpperLeftY>" HALF_SIDE "</UpperLeftY>"
                  "<LowerRightX>" HALF_SIDE "</LowerRightX>"
                  "<LowerRightY>-" HALF_SIDE "</LowerRightY>"
                  "<TileLevel>%d</TileLevel><TileCountX>1</TileCountX><TileCountY>1</TileCountY>"
                  "<YOrigin>top</YOrigin></DataWindow>\n"
                  "<Projection>EPSG:3857</Projection>\n"
                  "<BlockSizeX>256</BlockSizeX><BlockSizeY>256</BlockSizeY>"
                  "%s\n"
                  "<MaxConnections>8</MaxConnections><Timeout>60</Timeout>"
                  "<ZeroBlockHttpCodes>204,404</ZeroBlockHttpCodes>\n</GDAL_WMS>\n",
                  TILE_ZOOM_MAX,
                  samples ? "<BandsCount>1</BandsCount><DataType>Float32</DataType>"
                  : painter_is_16bit(painter)
                      ? "<BandsCount>1</BandsCount><DataType>UInt16</DataType>"
                      : "<BandsCount>3</BandsCount>");
}

typedef void document_writer(struct buffer *out, const struct http_request *request,
                             const char *base, const struct painter *painter);

/* Finds the base of addresses, and answers with the document. */
static enum handler_result respond(struct http_request *request, const struct painter *painter,
                                   document_writer *append, struct problem *problem)
{
    struct buffer body = {0}, base = {0};
    if (!base_url_append(request, &base, problem))
        return HANDLER_FAILED;
    append(&body, request, buffer_string(&base), painter);
    body.failed = body.failed || base.failed;
    buffer_free(&base);
    return base_url_respond(request, &body, "application/xml");
}

/* The style of style=; the default one without it. */
static const struct painter *find_style(const struct http_request *request, struct problem *problem)
{
    const char *style = request->values->style;
    return resolve_style(request, style, style ? strlen(style) : 0, problem);
}

static enum handler_result respond_capabilities(struct http_request *request,
                                                const struct painter *only_style,
                                                document_writer *append, struct problem *problem)
{
    const enum handler_result result = respond(request, only_style, append, problem);
    if (result == HANDLER_DONE)
        response_depends_on_accept(request);
    return result;
}

enum handler_result handle_wmts(struct http_request *request, struct problem *problem)
{
    const struct painter *style = request->values->style ? find_style(request, problem) : NULL;
    if (request->values->style && !style)
        return HANDLER_FAILED;
    return respond_capabilities(request, style, append_addresses, problem);
}

enum handler_result gis_respond_capabilities(struct http_request *request, struct problem *problem)
{
    return respond_capabilities(request, NULL, append_parameters, problem);
}

enum handler_result handle_gdal(struct http_request *request, struct problem *problem)
{
    const struct painter *style = find_style(request, problem);
    return style ? respond(request, style, append_gdal, problem) : HANDLER_FAILED;
}
