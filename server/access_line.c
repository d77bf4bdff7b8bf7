#include "server/access_line.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

enum { TIME_TEXT = 80 };

static void client_text(const struct access_record *record, char out[INET6_ADDRSTRLEN])
{
    static const uint8_t mapped[12] = {[10] = 0xFF, [11] = 0xFF};
    const uint8_t *client = record->client;
    const bool within = record->client_bytes == 16 && memcmp(client, mapped, sizeof mapped) == 0;
    if (record->client_bytes == 0)
        snprintf(out, INET6_ADDRSTRLEN, "-");
    else if (record->client_bytes == 4 || within)
        inet_ntop(AF_INET, within ? client + sizeof mapped : client, out, INET6_ADDRSTRLEN);
    else
        inet_ntop(AF_INET6, client, out, INET6_ADDRSTRLEN);
}

/* Not by strftime(), whose names of months follow the locale. */
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

/* The length of the character at the start, 0 if that is no UTF-8 (Unicode, table 3-7). */
static size_t character_length(const uint8_t *bytes, size_t length, uint32_t *character)
{
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    const uint8_t lead = bytes[0];
    const size_t size = lead < 0x80             ? 1
                        : (lead & 0xE0) == 0xC0 ? 2
                        : (lead & 0xF0) == 0xE0 ? 3
                        : (lead & 0xF8) == 0xF0 ? 4
                                                : 0;
    if (size == 0 || size > length)
        return 0;
    *character = size == 1 ? lead : lead & (0x7FU >> size);
    for (size_t i = 1; i < size; i++) {
        if ((bytes[i] & 0xC0) != 0x80)
            return 0;
        *character = *character << 6 | (bytes[i] & 0x3FU);
    }
    const bool surrogate = *character >= 0xD800 && *character < 0xE000;
    return *character < least[size] || *character > 0x10FFFF || surrogate ? 0 : size;
}

/* What may stand in a line as it is: no control character of either set, none that ends lines. */
static bool is_plain(uint32_t character)
{
    return character >= 0x20 && (character < 0x7F || character >= 0xA0) && character != '"' &&
           character != '\\' && character != 0x2028 && character != 0x2029;
}

/* How many bytes at the start stand as they are, in both forms. */
static size_t plain_length(const uint8_t *bytes, size_t length)
{
    size_t plain = 0;
    while (plain < length && bytes[plain] < 0x80 && is_plain(bytes[plain]))
        plain++;
    return plain;
}

static void json_string(const char *text, size_t length, struct buffer *out)
{
    const uint8_t *bytes = (const uint8_t *)text;
    buffer_byte(out, '"');
    while (length > 0) {
        uint32_t character = 0;
        size_t size = plain_length(bytes, length);
        const bool ascii = size > 0;
        if (!ascii)
            size = character_length(bytes, length, &character);
        if (ascii || (size > 0 && is_plain(character)))
            buffer_append(out, bytes, size);
        else if (size > 0)
            buffer_format(out, "\\u%04x", character);
        else
            buffer_text(out, "\\ufffd");
        size = size > 0 ? size : 1;
        bytes += size;
        length -= size;
    }
    buffer_byte(out, '"');
}

/* The member of a text that came with the request. */
static void json_member(const struct access_record *record, enum access_text which,
                        struct buffer *out)
{
    static const char *const keys[ACCESS_TEXTS] = {
        [ACCESS_METHOD] = "method",   [ACCESS_TARGET] = "target", [ACCESS_VERSION] = "version",
        [ACCESS_REFERER] = "referer", [ACCESS_AGENT] = "agent",
    };
    buffer_format(out, ",\"%s\":", keys[which]);
    if (record->texts[which].bytes)
        json_string(record->texts[which].bytes, record->texts[which].length, out);
    else
        buffer_text(out, "null");
}

/* A member whose text is the program's own; `before` stands in front of it. */
static void json_own(const char *key, const char *before, const char *text, struct buffer *out)
{
    if (text)
        buffer_format(out, ",\"%s\":\"%s%s\"", key, before, text);
    else
        buffer_format(out, ",\"%s\":null", key);
}

static void write_json(const struct access_record *record, struct buffer *out)
{
    char time[TIME_TEXT], client[INET6_ADDRSTRLEN];
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
    json_member(record, ACCESS_REFERER, out);
    json_member(record, ACCESS_AGENT, out);
    buffer_text(out, "}\n");
}

/* What would end the quotes or the line, or is no printable ASCII, as \xHH. */
static void combined_text(const struct access_record *record, enum access_text which,
                          struct buffer *out)
{
    const uint8_t *bytes = (const uint8_t *)record->texts[which].bytes;
    if (!bytes)
        buffer_byte(out, '-');
    for (size_t i = 0, length = bytes ? record->texts[which].length : 0; i < length;) {
        const size_t plain = plain_length(bytes + i, length - i);
        if (plain > 0)
            buffer_append(out, bytes + i, plain);
        else
            buffer_format(out, "\\x%02X", bytes[i]);
        i += plain > 0 ? plain : 1;
    }
}

static void write_combined(const struct access_record *record, struct buffer *out)
{
    char time[TIME_TEXT], client[INET6_ADDRSTRLEN];
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
