/* The viewer's files, which are embedded in the binary, and terrane.wasm, which is installed beside
 * it: responses made once and shared. */
#ifndef TERRANE_SERVER_HTTP_RESPONSE_STATIC_FILES_H
#define TERRANE_SERVER_HTTP_RESPONSE_STATIC_FILES_H

#include "server/http/response/response.h"

struct static_files;

/* All embedded files below "viewer/", and "terrane.wasm" if data_file_read() finds it, with that
 * Content-Security-Policy. Reads files. Null when memory is out. */
struct static_files *static_files_new(const char *content_security_policy);
void static_files_free(struct static_files *static_files); /* null is allowed */

/* Sets the response of the request to the file of that path ("viewer/index.html"): 200 or 304.
 * False if there is no such file. */
bool static_files_respond(const struct static_files *static_files, const char *path,
                          struct http_request *request);

#endif
