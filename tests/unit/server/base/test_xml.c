/* Text inside XML. */
#include "server/base/xml.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void markup_characters_are_escaped(void **state)
{
    (void)state;
    static const struct {
        const char *text, *written;
    } cases[] = {
        {"", ""},
        {"Größe – 1", "Größe – 1"},
        {"a<b>&\"c\"'d'", "a&#60;b&#62;&#38;&#34;c&#34;&#39;d&#39;"},
        {"]]>", "]]&#62;"},
        {"\t\n", "\t\n"},
        {"\r", "&#13;"},
        {"\x01\x1F", "\xEF\xBF\xBD\xEF\xBF\xBD"},
        {"a\xEF\xBF\xBE\xEF\xBF\xBF", "a\xEF\xBF\xBD\xEF\xBF\xBD"},
        {"\xEF\xBF\xBD", "\xEF\xBF\xBD"},
        {"&amp;", "&#38;amp;"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct buffer out = {0};
        xml_text(&out, cases[i].text);
        assert_string_equal(buffer_string(&out), cases[i].written);
        buffer_free(&out);
    }
}

static void an_element_is_closed(void **state)
{
    (void)state;
    struct buffer out = {0};
    xml_element(&out, "ows:Title", "a&b");
    assert_string_equal(buffer_string(&out), "<ows:Title>a&#38;b</ows:Title>");
    buffer_free(&out);
}

int test_xml(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(markup_characters_are_escaped),
        cmocka_unit_test(an_element_is_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
