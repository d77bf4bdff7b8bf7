/* Parsing of request headers, with expectations from RFC 9110 and RFC 9112. */
#include "server/http/request/headers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* The block as the library leaves it: literals with \0 for CR, LF and the colon. */
#define BLOCK_FAULT(text) headers_block_fault(text, sizeof text - 1)

static void only_plain_blocks_are_taken(void **state)
{
    (void)state;
    assert_null(BLOCK_FAULT("\0\0\0\0"));
    assert_null(BLOCK_FAULT("\0\0Host\0 a\0\0\0\0"));
    assert_null(BLOCK_FAULT("\0\0Host\0a:80\0\0X-Y\0\0\0Z\0 \t\xC3\xA4 \0\0\0\0"));
    assert_non_null(BLOCK_FAULT(""));
    assert_non_null(BLOCK_FAULT("\0\0"));
    assert_non_null(BLOCK_FAULT("\0\0\0"));
    assert_non_null(BLOCK_FAULT("\0Host\0 a\0\0\0\0"));          /* LF alone */
    assert_non_null(BLOCK_FAULT("\0\0Host\0 a\0X\0 b\0\0\0\0")); /* LF alone, or a zero byte */
    assert_non_null(BLOCK_FAULT("\0\0Host\0 a\0\0\0 b\0\0"));    /* an empty name */
    assert_non_null(BLOCK_FAULT("\0\0Host\0 a\0\0\0\0\0"));
    assert_non_null(BLOCK_FAULT("\0\0Host\0 a\0\0 folded\0\0\0\0"));
    assert_non_null(BLOCK_FAULT("\0\0Host \0 a\0\0\0\0"));
    assert_non_null(BLOCK_FAULT("\0\0Ho(st\0 a\0\0\0\0"));
    assert_non_null(BLOCK_FAULT("\0\0Host\0 a\rb\0\0\0\0"));
    assert_non_null(BLOCK_FAULT("\0\0Host\0 a\x01\0\0\0\0"));
    assert_non_null(BLOCK_FAULT("\0\0Host\0 a\x7F\0\0\0\0"));
    assert_non_null(BLOCK_FAULT("\0\0Host\0 a\0\0"));
    assert_non_null(BLOCK_FAULT("\0\0Host\0 a"));
    assert_non_null(BLOCK_FAULT("\0\0Host"));
}

struct line {
    const char *name, *value;
};

static unsigned check(const char *method, const char *version, const char *raw_target,
                      const struct line *lines)
{
    struct headers headers = {0};
    struct http_target target;
    struct problem problem;
    assert_true(target_parse(raw_target, strlen(raw_target), &target, &problem));
    for (; lines->name; lines++)
        headers_add(&headers, lines->name, lines->value);
    if (headers_check(&headers, method_parse(method), version, &target, &problem))
        return 200;
    assert_true(problem.close_connection);
    return problem_status(&problem);
}

#define LINES(...) ((const struct line[]){__VA_ARGS__, {NULL, NULL}})

static void one_valid_host_header_is_required(void **state)
{
    (void)state;
    assert_int_equal(check("GET", "HTTP/1.1", "/", LINES({"HOST", "a"})), 200);
    assert_int_equal(check("GET", "HTTP/1.1", "/", LINES({"X", "a"})), 400);
    assert_int_equal(check("GET", "HTTP/1.0", "/", LINES({"X", "a"})), 200);
    assert_int_equal(check("GET", "HTTP/1.1", "/", LINES({"Host", "a"}, {"host", "a"})), 400);
    static const struct {
        const char *host;
        unsigned status;
    } hosts[] = {
        {"a.example:80", 200}, {"[::1]:80", 200}, {"[fe80::1]", 200}, {"127.0.0.1", 200},
        {"a:", 200},           {"", 400},         {":80", 400},       {"a b", 400},
        {"a/b", 400},          {"a@b", 400},      {"a:b", 400},       {"a:123456", 400},
        {"[::1", 400},         {"[::g]", 400},    {"[::1]x", 400},    {"a,b", 400},
    };
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++)
        assert_int_equal(check("GET", "HTTP/1.1", "/", LINES({"Host", hosts[i].host})),
                         hosts[i].status);
}

static void an_absolute_target_must_agree(void **state)
{
    (void)state;
    assert_int_equal(check("GET", "HTTP/1.1", "http://A:1/", LINES({"Host", "a:1"})), 200);
    assert_int_equal(check("GET", "HTTP/1.1", "http://a:1/", LINES({"Host", "a"})), 400);
    assert_int_equal(check("GET", "HTTP/1.1", "http://b/", LINES({"Host", "a"})), 400);
    assert_int_equal(check("OPTIONS", "HTTP/1.1", "*", LINES({"Host", "a"})), 200);
    assert_int_equal(check("GET", "HTTP/1.1", "*", LINES({"Host", "a"})), 400);
}

#define BODY(method, ...) check(method, "HTTP/1.1", "/", LINES({"Host", "a"}, __VA_ARGS__))

static void bodies_have_one_length(void **state)
{
    (void)state;
    assert_int_equal(BODY("POST", {"Content-Length", "3"}), 200);
    assert_int_equal(BODY("POST", {"Content-Length", "0"}), 200);
    assert_int_equal(BODY("POST", {"Content-Length", "007"}), 200);
    assert_int_equal(BODY("POST", {"Transfer-Encoding", "Chunked"}), 200);
    assert_int_equal(BODY("GET", {"Content-Length", "0"}), 200);
    assert_int_equal(BODY("POST", {"X", "y"}), 400);
    static const char *const lengths[] = {
        "", "-1", "+1", "1.0", "0x1", "1,1", "1, 1", "1 1", "abc", " ", "18446744073709551616"};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        assert_int_equal(BODY("POST", {"Content-Length", lengths[i]}), 400);
    assert_int_equal(BODY("POST", {"Content-Length", "3"}, {"Content-Length", "3"}), 400);
    assert_int_equal(BODY("POST", {"Content-Length", "3"}, {"Transfer-Encoding", "chunked"}), 400);
    assert_int_equal(
        BODY("POST", {"Transfer-Encoding", "chunked"}, {"Transfer-Encoding", "chunked"}), 400);
    assert_int_equal(BODY("POST", {"Transfer-Encoding", "gzip, chunked"}), 400);
    assert_int_equal(BODY("POST", {"Transfer-Encoding", "identity"}), 400);
    assert_int_equal(BODY("GET", {"Content-Length", "3"}), 400);
    assert_int_equal(BODY("GET", {"Transfer-Encoding", "chunked"}), 400);
    assert_int_equal(BODY("POST", {"Content-Length", "3"}, {"Content-Encoding", "gzip"}), 415);
    assert_int_equal(BODY("POST", {"Content-Length", "3"}, {"Content-Encoding", "identity"}), 200);
    assert_int_equal(check("POST", "HTTP/1.0", "/", LINES({"Transfer-Encoding", "chunked"})), 400);
}

static void hosts_are_compared_without_ports(void **state)
{
    (void)state;
    assert_true(headers_host_is_loopback("localhost"));
    assert_true(headers_host_is_loopback("LocalHost:8080"));
    assert_true(headers_host_is_loopback("127.0.0.1:1"));
    assert_true(headers_host_is_loopback("127.255.3.4"));
    assert_true(headers_host_is_loopback("[::1]:80"));
    assert_true(headers_host_is_loopback("maps.LocalHost:80"));
    assert_false(headers_host_is_loopback("maplocalhost"));
    assert_false(headers_host_is_loopback("localhost."));
    assert_false(headers_host_is_loopback("127.evil.example"));
    assert_false(headers_host_is_loopback("localhost.evil.example"));
    assert_false(headers_host_is_loopback("128.0.0.1"));
    assert_false(headers_host_is_loopback("[::2]"));
    assert_true(headers_host_equals("Maps.Example:443", "maps.example"));
    assert_false(headers_host_equals("maps.example.evil", "maps.example"));
    assert_false(headers_host_equals("maps", "maps.example"));
}

static void several_if_none_match_headers_are_combined(void **state)
{
    (void)state;
    struct headers headers = {0};
    headers_add(&headers, "If-None-Match", "\"a\"");
    headers_add(&headers, "if-none-match", "\"b\"");
    assert_true(headers_match_etag(&headers, "\"a\""));
    assert_true(headers_match_etag(&headers, "\"b\""));
    assert_false(headers_match_etag(&headers, "\"c\""));
}

/* Two lines, of which the second may be null; expectations by RFC 9110, 12.4.2 and 12.5.3. */
static const struct {
    const char *first, *second;
    enum coding coding;
    enum coding without_gzip; /* of what is offered in zstd alone */
    bool refused;             /* identity is */
} accepts[] = {
    {NULL, NULL, CODING_IDENTITY, CODING_IDENTITY, false},
    {"", NULL, CODING_IDENTITY, CODING_IDENTITY, false},
    {"identity", NULL, CODING_IDENTITY, CODING_IDENTITY, false},
    {"gzip", NULL, CODING_GZIP, CODING_IDENTITY, false},
    {"GZip", NULL, CODING_GZIP, CODING_IDENTITY, false},
    {"x-gzip", NULL, CODING_GZIP, CODING_IDENTITY, false},
    {"zstd", NULL, CODING_ZSTD, CODING_ZSTD, false},
    {"ZSTD", NULL, CODING_ZSTD, CODING_ZSTD, false},
    {"gzip, deflate, br, zstd", NULL, CODING_ZSTD, CODING_ZSTD, false},
    {"gzip,zstd", NULL, CODING_ZSTD, CODING_ZSTD, false},
    {"gzip , zstd", NULL, CODING_ZSTD, CODING_ZSTD, false},
    {"gzip", "zstd", CODING_ZSTD, CODING_ZSTD, false},
    {"zstd", "gzip", CODING_ZSTD, CODING_ZSTD, false},
    {"zstd", "", CODING_ZSTD, CODING_ZSTD, false},
    {", ,gzip,,", ",", CODING_GZIP, CODING_IDENTITY, false},
    {"gzip, zstd;q=0.9", NULL, CODING_GZIP, CODING_ZSTD, false},
    {"zstd;q=0.9", "gzip", CODING_GZIP, CODING_ZSTD, false},
    {"gzip;q=0.5, zstd;q=0.5", NULL, CODING_ZSTD, CODING_ZSTD, false},
    {"gzip;q=0.499, zstd;q=0.5", NULL, CODING_ZSTD, CODING_ZSTD, false},
    {"gzip;q=0.51, zstd;q=0.509", NULL, CODING_GZIP, CODING_ZSTD, false},
    {"gzip;q=1, zstd;q=0", NULL, CODING_GZIP, CODING_IDENTITY, false},
    {"zstd;q=0.000", NULL, CODING_IDENTITY, CODING_IDENTITY, false},
    {"gzip;q=0", NULL, CODING_IDENTITY, CODING_IDENTITY, false},
    {"gzip;q=0.001", NULL, CODING_GZIP, CODING_IDENTITY, false},
    {"gzip ; Q=1.000", NULL, CODING_GZIP, CODING_IDENTITY, false},
    {"gzip\t;\tq=0.", NULL, CODING_IDENTITY, CODING_IDENTITY, false},
    {"*", NULL, CODING_ZSTD, CODING_ZSTD, false},
    {"*;q=0.5, gzip", NULL, CODING_GZIP, CODING_ZSTD, false},
    {"*, zstd;q=0", NULL, CODING_GZIP, CODING_IDENTITY, false},
    {"zstd;q=0", "*", CODING_GZIP, CODING_IDENTITY, false},
    {"*, gzip;q=0, zstd;q=0", NULL, CODING_IDENTITY, CODING_IDENTITY, false},
    {"*;q=0", NULL, CODING_IDENTITY, CODING_IDENTITY, true},
    {"*;q=0, gzip", NULL, CODING_GZIP, CODING_IDENTITY, true},
    {"*;q=0, identity;q=0.1", NULL, CODING_IDENTITY, CODING_IDENTITY, false},
    {"identity;q=0", NULL, CODING_IDENTITY, CODING_IDENTITY, true},
    {"identity;q=0, gzip", NULL, CODING_GZIP, CODING_IDENTITY, true},
    {"identity, gzip;q=0.5", NULL, CODING_IDENTITY, CODING_IDENTITY, false},
    {"identity;q=0.5, gzip;q=0.5", NULL, CODING_GZIP, CODING_IDENTITY, false},
    {"identity;q=0.5", "zstd;q=0.6", CODING_ZSTD, CODING_ZSTD, false},
    /* No weights and no codings: as if they were not there. */
    {"gzip;q=2", NULL, CODING_IDENTITY, CODING_IDENTITY, false},
    {"gzip;q=1.001", NULL, CODING_IDENTITY, CODING_IDENTITY, false},
    {"gzip;q=0.1234", NULL, CODING_IDENTITY, CODING_IDENTITY, false},
    {"gzip;q=.5", NULL, CODING_IDENTITY, CODING_IDENTITY, false},
    {"gzip;q=-1", NULL, CODING_IDENTITY, CODING_IDENTITY, false},
    {"gzip;q=", NULL, CODING_IDENTITY, CODING_IDENTITY, false},
    {"gzip;q", "zstd;", CODING_IDENTITY, CODING_IDENTITY, false},
    {"gzip;level=1", NULL, CODING_IDENTITY, CODING_IDENTITY, false},
    {"gzip zstd", NULL, CODING_IDENTITY, CODING_IDENTITY, false},
    {"gzipped, zst, gzi, **", NULL, CODING_IDENTITY, CODING_IDENTITY, false},
    {"br, deflate;q=0.5", NULL, CODING_IDENTITY, CODING_IDENTITY, false},
};

static void the_coding_with_the_highest_qvalue_is_chosen(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof accepts / sizeof *accepts; i++) {
        struct headers headers = {0};
        if (accepts[i].first)
            headers_add(&headers, "Accept-Encoding", accepts[i].first);
        if (accepts[i].second)
            headers_add(&headers, "accept-encoding", accepts[i].second);
        if (headers_select_coding(&headers, CODINGS_ALL) != accepts[i].coding ||
            headers_select_coding(&headers, CODINGS_ZSTD) != accepts[i].without_gzip ||
            headers_forbid_identity(&headers) != accepts[i].refused)
            fail_msg("Accept-Encoding %s", accepts[i].first);
        assert_int_equal(headers_select_coding(&headers, CODINGS_NONE), CODING_IDENTITY);
    }
}

static void accept_names_types_with_a_quality_above_0(void **state)
{
    (void)state;
    static const struct {
        const char *accept;
        bool webp;
    } cases[] = {
        {"image/webp", true},
        {"image/avif,image/webp,*/*;q=0.8", true},
        {" , text/html ,\tIMAGE/WebP ; q=0.001 ,", true},
        {"image/webp;q=0, image/webp;q=1", true},
        {"", false},
        {"*/*", false},
        {"image/*", false},
        {"image/webp;q=0", false},
        {"image/webp;q=0.000,*/*", false},
        {"image/webpp", false},
        {"image/web", false},
        {"ximage/webp", false},
        {"text/html;a=image/webp", false},
        {"image/webp;q=2", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct headers headers = {0};
        headers_add(&headers, "Accept", cases[i].accept);
        if (headers_accept(&headers, "image/webp") != cases[i].webp)
            fail_msg("%s", cases[i].accept);
    }
    const struct headers none = {0};
    assert_false(headers_accept(&none, "image/webp"));
}

static void several_accept_headers_are_combined(void **state)
{
    (void)state;
    struct headers headers = {0};
    headers_add(&headers, "Accept", "image/webp, application/octet-stream;q=0.5");
    headers_add(&headers, "accept", "text/html, application/json;q=0.4");
    assert_true(headers_accept(&headers, "image/webp"));
    assert_true(headers_accept(&headers, "text/html"));
    assert_false(headers_accept(&headers, "image/png"));
    static const char *const types[] = {"application/json", HTTP_BINARY};
    assert_int_equal(headers_preferred_type(&headers, types, 2), 1);
}

static void of_several_types_the_best_is_preferred(void **state)
{
    (void)state;
    static const char *const types[] = {"application/json", HTTP_BINARY, "application/x-npy"};
    static const struct {
        const char *accept;
        unsigned type;
    } cases[] = {
        {"*/*", 0},
        {"application/*", 0},
        {"application/x-npy", 2},
        {"application/x-npy;q=0.5, application/octet-stream", 1},
        {"application/json;q=0, */*", 1},
        {"application/json, application/x-npy", 0},
        {"application/json;q=0.9, application/x-npy;q=0.91", 2},
        {"text/html", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct headers headers = {0};
        headers_add(&headers, "Accept", cases[i].accept);
        if (headers_preferred_type(&headers, types, 3) != cases[i].type)
            fail_msg("%s", cases[i].accept);
    }
}

/* RFC 9110, 5.3: a header whose value is no list must not be there twice. */
static void single_headers_that_are_repeated_have_no_value(void **state)
{
    (void)state;
    static const char *const names[] = {"Range", "If-Range", "Origin"};
    struct headers headers = {0};
    for (unsigned times = 1; times <= 3; times++)
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            headers_add(&headers, names[i], "a");
            const char *const values[] = {headers.range, headers.if_range, headers.origin};
            assert_string_equal(values[i], times == 1 ? "a" : "");
        }
    assert_null(headers.fault);
}

static void the_last_forwarded_header_is_used(void **state)
{
    (void)state;
    struct headers headers = {0};
    assert_null(headers.forwarded_host);
    headers_add(&headers, "X-Forwarded-Host", "a");
    headers_add(&headers, "x-forwarded-host", "b");
    headers_add(&headers, "X-FORWARDED-PROTO", "https");
    headers_add(&headers, "X-Forwarded-Prefix", NULL);
    headers_add(&headers, "X-Forwarded-For", "c");
    assert_string_equal(headers.forwarded_host, "b");
    assert_string_equal(headers.forwarded_proto, "https");
    assert_string_equal(headers.forwarded_prefix, "");
    assert_null(headers.host);
    assert_null(headers.fault);
}

int test_headers(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_plain_blocks_are_taken),
        cmocka_unit_test(one_valid_host_header_is_required),
        cmocka_unit_test(an_absolute_target_must_agree),
        cmocka_unit_test(bodies_have_one_length),
        cmocka_unit_test(hosts_are_compared_without_ports),
        cmocka_unit_test(several_if_none_match_headers_are_combined),
        cmocka_unit_test(the_coding_with_the_highest_qvalue_is_chosen),
        cmocka_unit_test(accept_names_types_with_a_quality_above_0),
        cmocka_unit_test(several_accept_headers_are_combined),
        cmocka_unit_test(of_several_types_the_best_is_preferred),
        cmocka_unit_test(single_headers_that_are_repeated_have_no_value),
        cmocka_unit_test(the_last_forwarded_header_is_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
