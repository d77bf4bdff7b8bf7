/* The lists of If-None-Match are walked tag by tag, without copying. Weak tags compare like strong
 * ones, as RFC 9110 requires for If-None-Match.
 *
 * A tag with a length is what makes a 304 possible before anything is rendered: the hash is known
 * from the recipe, but the length of the bytes only the client knows, from the tag that it got. */
#include "server/http/request/conditional.h"

#include <stdio.h>
#include <string.h>

void etag_add_length(char etag[ETAG_TEXT], uint64_t length)
{
    const size_t end = strlen(etag) - 1;
    if (length <= ETAG_LENGTH_MAX)
        snprintf(etag + end, ETAG_TEXT - end, "-%llx\"", (unsigned long long)length);
}

/* The next tag of a list, quotes included, from *at on, which moves behind it. Null at the end, and
 * at text that does not parse. */
static const char *next_tag(const char **at, size_t *length)
{
    const char *tag = *at + strspn(*at, " \t,");
    if (strncmp(tag, "W/", 2) == 0)
        tag += 2;
    const char *end = *tag == '"' ? strchr(tag + 1, '"') : NULL;
    if (!end)
        return NULL;
    const char *next = end + 1 + strspn(end + 1, " \t");
    if (*next && *next != ',')
        return NULL;
    *length = (size_t)(end + 1 - tag);
    *at = next;
    return tag;
}

static bool is_asterisk(const char *header)
{
    const char *at = header + strspn(header, " \t");
    return at[0] == '*' && at[1 + strspn(at + 1, " \t")] == '\0';
}

bool conditional_matches(const char *header, const char *etag)
{
    size_t length;
    for (const char *at = header, *tag; (tag = next_tag(&at, &length));)
        if (length == strlen(etag) && memcmp(tag, etag, length) == 0)
            return true;
    return is_asterisk(header);
}

/* The digits behind the dash. Only the form that etag_add_length() writes is accepted. */
static bool parse_length(const char *digits, size_t count, uint64_t *length)
{
    static const char values[] = "0123456789abcdef";
    *length = 0;
    if (count == 0 || (digits[0] == '0' && count > 1))
        return false;
    for (size_t i = 0; i < count; i++) {
        const char *value = strchr(values, digits[i]);
        if (!value || *length > ETAG_LENGTH_MAX >> 4)
            return false;
        *length = *length << 4 | (uint64_t)(value - values);
    }
    return true;
}

bool conditional_find_length(const char *header, char etag[ETAG_TEXT], uint64_t *length)
{
    const size_t hash = strlen(etag) - 1; /* with the first quote */
    size_t size;
    for (const char *at = header, *tag; (tag = next_tag(&at, &size));) {
        if (size < hash + 3 || memcmp(tag, etag, hash) != 0 || tag[hash] != '-' ||
            !parse_length(tag + hash + 1, size - hash - 2, length))
            continue;
        etag_add_length(etag, *length);
        return true;
    }
    return false;
}
