/* Formatting a record. All texts of clients pass through log_text.c, which escapes them; numbers,
 * the client's address and the program's own texts are written as they are. */
#include "server/log/access_line.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "server/log/log_text.h"

enum { TIME_TEXT = 80 };

static void client_text(const struct access_record *record, char out[IP_ADDRESS_TEXT])
{
    if (record->has_client)
        ip_address_write(&record->client, out);
    else
        snprintf(out, IP_ADDRESS_TEXT, "-");
}

/* strftime() is not used, as its names of months follow the locale. */
static void time_text(int64_t at, enum access_format format, char out[TIME_TEXT])
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    const time_t seconds = (time_t)(at / 1000000);
    struct tm parts = {0};
    gmtime_r(&seconds, &parts);
    if (format == ACCESS_JSON)
        snprintf(out, TIME_TEXT, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", parts.tm_year + 1900,
                 parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                 (int)(at / 1000 % 1000));
    else
        snprintf(out, TIME_TEXT, "%02d/%.3s/%04d:%02d:%02d:%02d +0000", parts.tm_mday,
                 months + (ptrdiff_t)3 * parts.tm_mon, parts.tm_year + 1900, parts.tm_hour,
                 parts.tm_min, parts.tm_sec);
}

/* A member with a text of the client. */
static void json_member(const struct access_record *record, enum access_text which,
                        struct buffer *out)
{
    static const char *const keys[ACCESS_TEXTS] = {
        [ACCESS_METHOD] = "method",   [ACCESS_TARGET] = "target", [ACCESS_VERSION] = "version",
        [ACCESS_REFERER] = "referer", [ACCESS_AGENT] = "agent",
    };
    buffer_format(out, ",\"%s\":", keys[which]);
    if (record->texts[which].bytes)
        log_text_json(record->texts[which].bytes, record->texts[which].length, out);
    else
        buffer_text(out, "null");
}

/* A member with a text of the program, which needs no escaping, behind `before`. */
static void json_own(const char *key, const char *before, const char *text, struct buffer *out)
{
    if (text)
        buffer_format(out, ",\"%s\":\"%s%s\"", key, before, text);
    else
        buffer_format(out, ",\"%s\":null", key);
}

static void write_json(const struct access_record *record, struct buffer *out)
{
    char time[TIME_TEXT], client[IP_ADDRESS_TEXT];
    const int64_t duration = record->duration > 0 ? record->duration : 0;
    time_text(record->at, ACCESS_JSON, time);
    client_text(record, client);
    buffer_format(out, "{\"time\":\"%s\",\"client\":\"%s\"", time, client);
    json_member(record, ACCESS_METHOD, out);
    json_member(record, ACCESS_TARGET, out);
    json_member(record, ACCESS_VERSION, out);
    if (record->status > 0)
        buffer_format(out, ",\"status\":%u", record->status);
    else
        buffer_text(out, ",\"status\":null");
    buffer_format(out, ",\"bytes\":%" PRIu64 ",\"seconds\":%" PRId64 ".%06d", record->bytes,
                  duration / 1000000, (int)(duration % 1000000));
    json_own("route", "/", record->route, out);
    json_own("cache", "", record->cache, out);
    buffer_format(out, ",\"cost\":%" PRIu64, record->cost);
    json_member(record, ACCESS_REFERER, out);
    json_member(record, ACCESS_AGENT, out);
    buffer_text(out, "}\n");
}

static void combined_text(const struct access_record *record, enum access_text which,
                          struct buffer *out)
{
    if (record->texts[which].bytes)
        log_text_ascii(record->texts[which].bytes, record->texts[which].length, out);
    else
        buffer_byte(out, '-');
}

static void write_combined(const struct access_record *record, struct buffer *out)
{
    char time[TIME_TEXT], client[IP_ADDRESS_TEXT];
    time_text(record->at, ACCESS_COMBINED, time);
    client_text(record, client);
    buffer_format(out, "%s - - [%s] \"", client, time);
    combined_text(record, ACCESS_METHOD, out);
    buffer_byte(out, ' ');
    combined_text(record, ACCESS_TARGET, out);
    buffer_byte(out, ' ');
    combined_text(record, ACCESS_VERSION, out);
    buffer_format(out, "\" %03u %" PRIu64 " \"", record->status, record->bytes);
    combined_text(record, ACCESS_REFERER, out);
    buffer_text(out, "\" \"");
    combined_text(record, ACCESS_AGENT, out);
    buffer_text(out, "\"\n");
}

void access_line_write(const struct access_record *record, enum access_format format,
                       struct buffer *out)
{
    if (format == ACCESS_JSON)
        write_json(record, out);
    else
        write_combined(record, out);
}
