/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Hardware maps: what is read, what is refused with which line, and that a change leaves the rest of the
 * text as it is. Expected texts are written out by hand.
 */
#include "host/production/map/map.h"
#include "tests/bench/unit/tests.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct pb_map *parse(const char *text)
{
    struct pb_map *map;
    assert_succeeds(pb_map_parse(&map, "m.yaml", text, strlen(text), &diag));
    return map;
}

TEST(every_key_of_a_board_is_read)
{
    struct pb_map *map = parse("boards:\n"
                               "  - serial: FT1\n"
                               "    rig: ftdi:FT1\n"
                               "    map_hash: 0x43c79354\n"
                               "    node: {kind: board, address: 0x2A3, unit: PB-7}\n"
                               "    station: hall 2\n"
                               "    enabled: no\n"
                               "    note: by the door\n"
                               "  - {rig: 'sim:'}\n"
                               "  - {rig: 'sim:'}\n"
                               "  - {serial: 12, rig: tty:/dev/ttyACM0, node: {address: 7}, map_hash: 9}\n");
    assert_int_equal(pb_map_count(map), 4);
    const struct pb_map_entry *one = pb_map_entry(map, 0), *bare = pb_map_entry(map, 1),
                              *last = pb_map_entry(map, 3);
    assert_string_equal(one->serial, "FT1");
    assert_string_equal(one->rig, "ftdi:FT1");
    assert_true(one->hash_given && one->map_hash == 0x43c79354);
    assert_string_equal(one->node.kind, "board");
    assert_true(one->node.address_given && one->node.address == 0x2A3);
    assert_string_equal(one->node.unit, "PB-7");
    assert_string_equal(one->station, "hall 2");
    assert_false(one->enabled);
    assert_string_equal(one->note, "by the door");
    assert_int_equal(one->line, 2);
    assert_true(bare->enabled && !bare->hash_given && !bare->node.address_given && !*bare->serial);
    assert_int_equal(bare->line, 9);
    assert_string_equal(last->serial, "12");
    assert_true(last->node.address == 7 && last->map_hash == 9);
    assert_string_equal(pb_map_name(one), "FT1");
    assert_string_equal(pb_map_name(bare), "sim:");
    pb_map_free(map);
}

TEST(no_boards_is_a_map)
{
    struct pb_map *map = parse("boards: []\n");
    assert_int_equal(pb_map_count(map), 0);
    pb_map_free(map);
    map = parse("# none yet\nboards:\n");
    assert_int_equal(pb_map_count(map), 0);
    pb_map_free(map);
}

TEST(what_is_wrong_is_refused_with_its_line)
{
    static const struct {
        const char *text, *sentence;
    } wrong[] = {
        {"", "m.yaml: is empty"},
        {"[]\n", "m.yaml:1: no key boards"},
        {"# x\nbords: []\n", "m.yaml:2: unknown key 'bords' in a hardware map; did you mean 'boards'"},
        {"boards: 3\n", "m.yaml:1: boards is no list"},
        {"boards:\n  - 3\n", "m.yaml:2: board 1 is no mapping"},
        {"boards:\n  - {rig: 'sim:'}\n  - {serial: A}\n", "m.yaml:3: board 2 has no rig"},
        {"boards:\n  - rig: 'sim:'\n    serail: A\n",
         "m.yaml:3: unknown key 'serail' in a board; did you mean 'serial'"},
        {"boards:\n  - rig: 'sim:'\n    rig: 'sim:'\n", "m.yaml:3: key 'rig' is already set in line 2"},
        {"boards:\n  - rig: 'sim:'\n    enabled: true\n", "m.yaml:3: enabled is 'true'; write yes or no"},
        {"boards:\n  - rig: 'sim:'\n    enabled: [yes]\n", "m.yaml:3: enabled is 'a list"},
        {"boards:\n  - rig: 'sim:'\n    map_hash: 0x1FFFFFFFF\n", "m.yaml:3: map_hash is '0x1FFFFFFFF'"},
        {"boards:\n  - rig: 'sim:'\n    map_hash: 12ab\n", "m.yaml:3: map_hash is '12ab'"},
        {"boards:\n  - rig: 'sim:'\n    map_hash: ''\n", "m.yaml:3: map_hash is ''"},
        {"boards:\n  - rig: 'sim:'\n    node: board\n", "m.yaml:3: node is no mapping"},
        {"boards:\n  - rig: 'sim:'\n    node: {adress: 1}\n",
         "m.yaml:3: unknown key 'adress' in node; did you mean 'address'"},
        {"boards:\n  - rig: 'sim:'\n    node: {address: 0x10000}\n",
         "m.yaml:3: address is '0x10000'; a number from 0"},
        {"boards:\n  - rig: usb:1\n", "m.yaml:2: rig: unknown rig 'usb:1'"},
        {"boards:\n  - rig: replay:x\n", "m.yaml:2: rig is 'replay:x', which is no board"},
        {"boards:\n  - rig: map:x\n", "m.yaml:2: rig is 'map:x', which is no board"},
        {"boards:\n  - rig: 'sim:?baud=3'\n", "m.yaml:2: rig: baud"},
        {"boards:\n  - {serial: A, rig: ftdi:A}\n  - {serial: A, rig: ftdi:B}\n",
         "m.yaml:3: serial A is already that of the board in line 2"},
        {"boards:\n  - {rig: ftdi:A}\n  - {rig: ftdi:A}\n",
         "m.yaml:3: rig ftdi:A is already that of the board in line 2"},
        {"boards:\n  - rig: 'sim:'\n    note: \"a\\nb\"\n", "m.yaml:3: note is no single line"},
        {"boards:\n  - rig: 'sim:'\n    serial: "
         "0123456789012345678901234567890123456789012345678901234567890123\n",
         "m.yaml:3: serial has 64 bytes; at most 63"},
        {"boards: [\n", "m.yaml:2: not valid YAML"},
    };
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct pb_map *map;
        struct pb_diag diag;
        const int code = pb_map_parse(&map, "m.yaml", wrong[i].text, strlen(wrong[i].text), &diag);
        if (code != PB_ERR_CONFIG || map || strncmp(diag.text, wrong[i].sentence, strlen(wrong[i].sentence)))
            fail_msg("%s: %d %s", wrong[i].text, code, diag.text);
    }
}

TEST(a_map_holds_256_boards)
{
    char text[64 + 257 * 40] = "boards:\n";
    struct pb_map *map;
    struct pb_diag diag;
    bool changed;
    for (unsigned i = 0; i < 256; i++)
        snprintf(text + strlen(text), 40, "  - {serial: S%u, rig: ftdi:S%u}\n", i, i);
    map = parse(text);
    assert_int_equal(pb_map_count(map), 256);
    const struct pb_map_entry more = {.serial = "S256", .rig = "ftdi:S256"};
    assert_int_equal(pb_map_put(map, &more, &changed, &diag), PB_ERR_CONFIG);
    assert_non_null(strstr(diag.text, "S256 is board 257, and a map holds 256"));
    pb_map_free(map);
    snprintf(text + strlen(text), 40, "  - {serial: S256, rig: ftdi:S256}\n");
    assert_int_equal(pb_map_parse(&map, "m.yaml", text, strlen(text), &diag), PB_ERR_CONFIG);
}

/* The text after the board was put in, or the same text if nothing changes. */
static void put(const char *before, const struct pb_map_entry *board, const char *after)
{
    struct pb_map *map = parse(before);
    bool changed;
    assert_succeeds(pb_map_put(map, board, &changed, &diag));
    assert_string_equal(pb_map_text(map), after);
    assert_int_equal(changed, strcmp(before, after) != 0);
    const size_t at = pb_map_find(map, board);
    assert_true(at < pb_map_count(map));
    if (board->hash_given)
        assert_int_equal(pb_map_entry(map, at)->map_hash, board->map_hash);
    pb_map_free(map);
}

static const struct pb_map_entry board = {
    .serial = "FT2", .rig = "ftdi:FT2", .hash_given = true, .map_hash = 0x43C79354, .enabled = true};

TEST(a_hash_replaces_the_old_one_and_nothing_else)
{
    put("boards:\n- serial: FT1\n  rig: ftdi:FT1\n- serial: FT2 # left\n  map_hash: 0x1  # old\n  rig: "
        "ftdi:FT2?baud=3000000\n",
        &board,
        "boards:\n- serial: FT1\n  rig: ftdi:FT1\n- serial: FT2 # left\n  map_hash: 0x43C79354  # old\n  "
        "rig: "
        "ftdi:FT2?baud=3000000\n");
    put("# \xC3\xA4\xE2\x82\xAC\nboards: [{note: \xC3\xBC, map_hash: '7', serial: FT2, rig: ftdi:FT2}]",
        &board,
        "# \xC3\xA4\xE2\x82\xAC\nboards: [{note: \xC3\xBC, map_hash: 0x43C79354, serial: FT2, rig: "
        "ftdi:FT2}]");
    put("\xEF\xBB\xBF"
        "boards: [{map_hash: 7, serial: FT2, rig: ftdi:FT2}]",
        &board,
        "\xEF\xBB\xBF"
        "boards: [{map_hash: 0x43C79354, serial: FT2, rig: ftdi:FT2}]");
    put("boards:\r\n  - serial: FT2\r\n    map_hash: 7\r\n    rig: ftdi:FT2\r\n", &board,
        "boards:\r\n  - serial: FT2\r\n    map_hash: 0x43C79354\r\n    rig: ftdi:FT2\r\n");
    put("boards:\n- {serial: FT2, map_hash: 0x43c79354, rig: ftdi:FT2}\n", &board,
        "boards:\n- {serial: FT2, map_hash: 0x43c79354, rig: ftdi:FT2}\n");
}

TEST(a_hash_comes_behind_the_rig)
{
    put("boards:\n  - rig: ftdi:FT2 # here\n    # and here\n    serial: FT2\n    enabled: no\n", &board,
        "boards:\n  - rig: ftdi:FT2 # here\n    map_hash: 0x43C79354\n    # and here\n    serial: FT2\n    "
        "enabled: no\n");
    put("boards:\n  - serial: FT2\n    rig: ftdi:FT2", &board,
        "boards:\n  - serial: FT2\n    rig: ftdi:FT2\n    map_hash: 0x43C79354\n");
    put("boards:\n  - {serial: FT2, rig: 'ftdi:FT2', note: x} # x\n", &board,
        "boards:\n  - {serial: FT2, rig: 'ftdi:FT2', map_hash: 0x43C79354, note: x} # x\n");
    put("boards:\n  - {rig: ftdi:FT2}\n", &board, "boards:\n  - {rig: ftdi:FT2, map_hash: 0x43C79354}\n");
}

TEST(a_new_board_comes_last)
{
    static const char keys[] =
        "serial: FT2\n    rig: \"ftdi:FT2\"\n    map_hash: 0x43C79354\n    enabled: yes\n";
    char after[400];
    snprintf(after, sizeof after, "boards:\n  - %s", keys);
    put("boards:\n", &board, after);
    put("boards: []\n", &board, after);
    snprintf(after, sizeof after, "boards: # none\n  - %s", keys);
    put("boards: # none\n", &board, after);
    snprintf(after, sizeof after, "boards:\n  - rig: ftdi:A # a\n  - %s# end\n", keys);
    put("boards:\n  - rig: ftdi:A # a\n# end\n", &board, after);
    put("boards:\n- rig: ftdi:A\n  node:\n    kind: board", &board,
        "boards:\n- rig: ftdi:A\n  node:\n    kind: board\n- serial: FT2\n  rig: \"ftdi:FT2\"\n  map_hash: "
        "0x43C79354\n"
        "  enabled: yes\n");
    put("boards:\n    - {rig: ftdi:A,\n       note: b}\n", &board,
        "boards:\n    - {rig: ftdi:A,\n       note: b}\n    - serial: FT2\n      rig: \"ftdi:FT2\"\n      "
        "map_hash: "
        "0x43C79354\n      enabled: yes\n");
    put("boards: [{rig: ftdi:A}, ]\n", &board,
        "boards: [{rig: ftdi:A}, {serial: FT2, rig: \"ftdi:FT2\", map_hash: 0x43C79354, enabled: yes}, ]\n");
    put("{boards: []}\n", &board,
        "{boards: [{serial: FT2, rig: \"ftdi:FT2\", map_hash: 0x43C79354, enabled: yes}]}\n");
    const struct pb_map_entry odd = {
        .serial = "a: \"b\" #c\\", .rig = "tty:/dev/ttyACM0?baud=3000000", .station = "-x", .note = "no: 1"};
    put("boards: []\n", &odd,
        "boards:\n  - serial: \"a: \\\"b\\\" #c\\\\\"\n    rig: \"tty:/dev/ttyACM0?baud=3000000\"\n    "
        "station: \"-x\"\n"
        "    enabled: no\n    note: \"no: 1\"\n");
}

TEST(a_board_without_an_answer_keeps_its_entry)
{
    const struct pb_map_entry silent = {.serial = "FT2", .rig = "ftdi:FT2"};
    put("boards:\n  - {serial: FT2, rig: ftdi:other, map_hash: 5}\n", &silent,
        "boards:\n  - {serial: FT2, rig: ftdi:other, map_hash: 5}\n");
}

TEST(a_file_is_replaced_whole)
{
    const char *folder = new_folder();
    char path[64], link[64], name[80];
    struct pb_map *map, *again;
    struct pb_diag diag;
    struct stat status;
    bool changed;
    snprintf(path, sizeof path, "%s/m.yaml", folder);
    snprintf(link, sizeof link, "%s/l.yaml", folder);
    snprintf(name, sizeof name, "%s/none/m.yaml", folder);
    assert_int_equal(pb_map_new(&map, path, &diag), PB_OK);
    assert_int_equal(pb_map_put(map, &board, &changed, &diag), PB_OK);
    assert_int_equal(pb_map_save(map, &diag), PB_OK);
    assert_int_equal(pb_map_load(&again, path, &diag), PB_OK);
    assert_string_equal(pb_map_text(map), pb_map_text(again));
    pb_map_free(again);
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(symlink("m.yaml", link), 0);
    assert_int_equal(pb_map_load(&again, link, &diag), PB_OK);
    assert_int_equal(pb_map_save(again, &diag), PB_OK);
    pb_map_free(again);
    assert_true(lstat(link, &status) == 0 && S_ISLNK(status.st_mode));
    assert_true(stat(path, &status) == 0 && (status.st_mode & 0777) == 0640);
    pb_map_free(map);
    assert_int_equal(pb_map_new(&map, name, &diag), PB_OK);
    assert_int_equal(pb_map_save(map, &diag), PB_ERR_IO);
    assert_non_null(strstr(diag.text, "none/m.yaml': No such file or directory"));
    pb_map_free(map);
    assert_int_equal(pb_map_load(&map, name, &diag), PB_ERR_CONFIG);
    unlink(link);
    unlink(path);
    assert_int_equal(rmdir(folder), 0); /* nothing else is left */
}
