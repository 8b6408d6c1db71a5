/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Who may use the station: addresses, names in the Host header, origins, tokens. Expected:
 * docs/use/station.md. */
#include "host/production/station/access.h"
#include "tests/bench/unit/tests.h"

#include <string.h>

TEST(addresses_are_numeric_and_loopback_is_known)
{
    static const struct {
        const char *text, *written;
        bool loopback;
    } good[] = {{"127.0.0.1:8080", "127.0.0.1:8080", true},   {"localhost:1", "127.0.0.1:1", true},
                {"127.255.0.9:65535", "127.255.0.9:65535", true}, {"[::1]:8080", "[::1]:8080", true},
                {"0.0.0.0:8080", "0.0.0.0:8080", false},      {"192.168.7.2:80", "192.168.7.2:80", false},
                {"[::]:8080", "[::]:8080", false},            {"[fe80::1]:0", "[fe80::1]:0", false},
                {"[::ffff:127.0.0.1]:1", "127.0.0.1:1", false}, {"128.0.0.1:1", "128.0.0.1:1", false}};
    static const char *const bad[] = {"",
                                      ":",
                                      "8080",
                                      ":8080",
                                      "127.0.0.1",
                                      "127.0.0.1:",
                                      "127.0.0.1:65536",
                                      "127.0.0.1:-1",
                                      "127.0.0.1:80x",
                                      "127.1:80",
                                      "example.org:80",
                                      "::1:80",
                                      "[::1]80",
                                      "[::1",
                                      "[::1]",
                                      "[]:80",
                                      "]:80",
                                      "[127.0.0.1]:80",
                                      "127.0.0.1 :80",
                                      "[1111:2222:3333:4444:5555:6666:7777:8888:9999:aaaa:bbbb:cccc]:1"};
    struct station_address address;
    struct pb_diag diag;
    char text[STATION_HOST_SIZE];
    for (size_t i = 0; i < COUNT(good); i++) {
        assert_int_equal(station_address_read(&address, good[i].text, &diag), 0);
        assert_int_equal(address.loopback, good[i].loopback);
        assert_string_equal(station_address_text(text, (struct sockaddr *)&address.socket), good[i].written);
    }
    for (size_t i = 0; i < COUNT(bad); i++)
        if (station_address_read(&address, bad[i], &diag) != PB_ERR_ARGUMENT)
            fail_msg("read: %s", bad[i]);
}

TEST(hosts_are_the_address_and_the_names_asked_for)
{
    static const struct {
        const char *names, *local, *host;
        bool allowed;
    } cases[] = {
        {NULL, "127.0.0.1:8080", "127.0.0.1:8080", true},
        {NULL, "127.0.0.1:8080", "localhost:8080", true},
        {NULL, "127.0.0.1:8080", "LocalHost:8080", true},
        {NULL, "[::1]:8080", "localhost:8080", true},
        {NULL, "127.0.0.1:8080", "127.0.0.1", false},
        {NULL, "127.0.0.1:8080", "127.0.0.1:8081", false},
        {NULL, "127.0.0.1:8080", "127.0.0.1:80800", false},
        {NULL, "127.0.0.1:8080", "localhost:80801", false},
        {NULL, "127.0.0.1:8080", "127.0.0.2:8080", false},
        {NULL, "127.0.0.1:8080", "evil.example:8080", false},
        {NULL, "127.0.0.1:8080", "localhost.evil.example:8080", false},
        {NULL, "127.0.0.1:8080", "", false},
        {NULL, "127.0.0.1:8080", NULL, false},
        {NULL, "127.0.0.1:80", "127.0.0.1", true},
        {NULL, "127.0.0.1:80", "127.0.0.11", false},
        {NULL, "127.0.0.1:80", "localhost", true},
        {NULL, "192.168.7.2:8080", "192.168.7.2:8080", true},
        {NULL, "192.168.7.2:8080", "localhost:8080", false},
        {"bench-3", "192.168.7.2:8080", "bench-3:8080", true},
        {"bench-3", "192.168.7.2:8080", "bench-3", false},
        {"bench-3", "192.168.7.2:80", "bench-3", true},
        {"bench-3", "192.168.7.2:8080", "bench-3x:8080", false},
        {"bench-3", "192.168.7.2:8080", "bench-:8080", false},
        {"a,bench-3.lan:443,b", "192.168.7.2:8080", "bench-3.lan:443", true},
        {"a,bench-3.lan:443,b", "192.168.7.2:8080", "bench-3.lan:8080", false},
        {"a,bench-3.lan:443,b", "192.168.7.2:8080", "b:8080", true},
        {"a,bench-3.lan:443,b", "192.168.7.2:8080", "a,bench-3.lan:443", false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct station_access access = {.names = cases[i].names};
        if (station_host_allowed(&access, cases[i].host, cases[i].local) != cases[i].allowed)
            fail_msg("row %zu", i);
    }
    char longest[1000];
    memset(longest, 'a', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    assert_false(station_host_allowed(&(struct station_access){.names = longest}, longest, "127.0.0.1:80"));
}

TEST(names_are_those_of_a_url)
{
    struct pb_diag diag;
    static const char *const good[] = {"a",        "a,b",         "bench-3.lan",
                                       "bench:80", "a:0,b:65535", "192.168.7.2:8080"};
    static const char *const bad[] = {"",        ",",        "a,", ",a", "a b", "a:", "a:x",
                                      "a:65536", "http://a", "-a", ".a", "a/b", "*"};
    assert_int_equal(station_names_check(NULL, &diag), 0);
    for (size_t i = 0; i < COUNT(good); i++)
        if (station_names_check(good[i], &diag))
            fail_msg("refused: %s", good[i]);
    for (size_t i = 0; i < COUNT(bad); i++)
        if (station_names_check(bad[i], &diag) != PB_ERR_ARGUMENT)
            fail_msg("accepted: %s", bad[i]);
}

TEST(origin_is_this_very_host)
{
    assert_true(station_origin_allowed("http://127.0.0.1:8080", "127.0.0.1:8080"));
    assert_true(station_origin_allowed("https://bench-3", "bench-3"));
    static const char *const bad[] = {"null",
                                      "",
                                      "127.0.0.1:8080",
                                      "http://127.0.0.1",
                                      "http://127.0.0.1:8080/",
                                      "http://127.0.0.1:80801",
                                      "http://evil.example",
                                      "ftp://127.0.0.1:8080",
                                      "http://evil.example/127.0.0.1:8080"};
    for (size_t i = 0; i < COUNT(bad); i++)
        assert_false(station_origin_allowed(bad[i], "127.0.0.1:8080"));
    assert_false(station_origin_allowed(NULL, "127.0.0.1:8080"));
    assert_false(station_origin_allowed("http://127.0.0.1:8080", NULL));
}

TEST(type_of_a_body_is_json)
{
    static const char *const good[] = {"application/json", "Application/JSON",
                                       "application/json;charset=utf-8", "application/json ; charset=utf-8",
                                       "application/json\t"};
    static const char *const bad[] = {"application/jsonx",
                                      "application/json-patch+json",
                                      "application/json x",
                                      "application/json/;",
                                      "text/plain;application/json",
                                      "application/jso",
                                      ""};
    for (size_t i = 0; i < COUNT(good); i++)
        assert_true(station_type_allowed(good[i]));
    for (size_t i = 0; i < COUNT(bad); i++)
        assert_false(station_type_allowed(bad[i]));
    assert_false(station_type_allowed(NULL));
}

TEST(token_is_compared_as_a_whole)
{
    const struct station_access none = {.token = NULL}, some = {.token = "0123456789abcdef"};
    char longest[300];
    memset(longest, '0', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    assert_true(station_token_allowed(&none, NULL));
    assert_true(station_token_allowed(&some, "0123456789abcdef"));
    static const char *const bad[] = {"", "0123456789abcde", "0123456789abcdef0", "0123456789abcdeg",
                                      "x123456789abcdef"};
    for (size_t i = 0; i < COUNT(bad); i++)
        assert_false(station_token_allowed(&some, bad[i]));
    assert_false(station_token_allowed(&some, NULL));
    assert_false(station_token_allowed(&some, longest));
}

TEST(tokens_have_16_to_128_characters_of_a_url)
{
    char longest[130];
    memset(longest, 'x', sizeof longest);
    longest[129] = '\0';
    assert_true(station_token_valid("0123456789abcdef"));
    assert_true(station_token_valid("AZaz09._~-AZaz09"));
    assert_false(station_token_valid("0123456789abcde"));
    assert_false(station_token_valid("0123456789abcde;"));
    assert_false(station_token_valid("0123456789abcde\n"));
    assert_false(station_token_valid(longest));
    assert_true(station_token_valid(longest + 1));
}
