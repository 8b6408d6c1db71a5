/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * URLs of boards: what each form means by host/include/phasebench/rig.h, and what is refused. And the lock of
 * a board. */
#include "host/rig/ftdi_url.h"
#include "host/usb/lock.h"
#include "phasebench/rig.h"
#include "tests/bench/unit/tests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct pb_ftdi_url parse(const char *text)
{
    struct pb_ftdi_url url;
    struct pb_diag diag = {""};
    if (pb_ftdi_url_parse(&url, text, &diag))
        fail_msg("%s: %s", text, diag.text);
    return url;
}

static void assert_refused(const char *text, const char *says)
{
    struct pb_diag diag = {""};
    if (pb_rig_check_url(text, &diag) != PB_ERR_ARGUMENT || !strstr(diag.text, says))
        fail_msg("%s: '%s', not '%s'", text, diag.text, says);
}

TEST(test_short_form)
{
    struct pb_ftdi_url url = parse("ftdi:");
    assert_string_equal(url.choice.name, "");
    assert_int_equal(url.channel, 0);
    assert_int_equal(url.mode, PB_FTDI_UART);
    assert_int_equal(url.baud_hz, 0);
    assert_int_equal(url.latency_ms, 2);
    assert_int_equal(url.wait_s, 0);
    url = parse("ftdi:FT4MG2XK");
    assert_string_equal(url.choice.name, "FT4MG2XK");
    url = parse("ftdi:1-2.3?baud=3000000&latency=1&wait=30");
    assert_string_equal(url.choice.name, "1-2.3");
    assert_int_equal(url.baud_hz, 3000000);
    assert_int_equal(url.latency_ms, 1);
    assert_int_equal(url.wait_s, 30);
}

TEST(test_full_form)
{
    struct pb_ftdi_url url = parse("ftdi://ftdi:2232h:FT4MG2XK/2?mode=uart&baud=12000000");
    assert_int_equal(url.choice.vendor, 0); /* "ftdi" is all that is ever looked for */
    assert_int_equal(url.choice.product, 0x6010);
    assert_string_equal(url.choice.name, "FT4MG2XK");
    assert_int_equal(url.channel, 2);
    assert_int_equal(parse("ftdi:?mode=sync").mode, PB_FTDI_SYNC_FIFO);
    assert_int_equal(parse("ftdi:?mode=fifo").mode, PB_FTDI_FIFO);
    url = parse("ftdi://0x403:6014/1?mode=syncfifo");
    assert_int_equal(url.choice.vendor, 0x403);
    assert_int_equal(url.choice.product, 0x6014);
    assert_int_equal(url.channel, 1);
    assert_int_equal(url.mode, PB_FTDI_SYNC_FIFO);
    url = parse("ftdi://ftdi:4232h:3:1f");
    assert_int_equal(url.choice.bus, 3);
    assert_int_equal(url.choice.address, 0x1f);
    url = parse("ftdi://ftdi?mode=fifo");
    assert_int_equal(url.choice.product, 0);
    assert_int_equal(url.mode, PB_FTDI_FIFO);
}

TEST(test_refused)
{
    char name[200];
    assert_refused("ftdi:?mode=spi", "'spi'; uart, fifo and syncfifo");
    assert_refused("ftdi:?baud=13000000", "from 300 to 12000000");
    assert_refused("ftdi:?baud=0", "from 300 to 12000000");
    assert_refused("ftdi:?latency=0", "from 1 to 16");
    assert_refused("ftdi:?latency=256", "is 256 ms; at most 16 ms");
    assert_int_equal(parse("ftdi:?latency=16").latency_ms, 16);
    assert_refused("ftdi:?latency=17", "is 17 ms; at most 16 ms are possible");
    assert_refused("ftdi:?wait=-1", "from 0 to 3600");
    assert_refused("ftdi:?bawd=3000000", "did you mean 'baud'");
    assert_refused("ftdi:?baud", "no value");
    assert_refused("ftdi:?baud=3000000&baud=3000000", "given twice");
    assert_refused("ftdi:?mode=fifo&baud=3000000", "a FIFO has none");
    assert_refused("ftdi://ftdi:2232h/0", "1 (A) to 4 (D)");
    assert_refused("ftdi://ftdi:2232h/5", "1 (A) to 4 (D)");
    assert_refused("ftdi://ftdi:2232h/22", "1 (A) to 4 (D)");
    assert_refused("ftdi://ftdi:2232h/2?mode=syncfifo", "only channel 1");
    assert_refused("ftdi://prolific:2232h", "vendor");
    assert_refused("ftdi://ftdi:2233x", "product");
    assert_refused("ftdi://ftdi:60100", "product");
    assert_refused("ftdi://ftdi:2232h:0:5", "from 1");
    assert_refused("ftdi://ftdi:2232h:1:zz", "from 1");
    memset(name, 'x', sizeof name);
    memcpy(name, "ftdi:", 5);
    name[sizeof name - 1] = '\0';
    assert_refused(name, "longer than 63");
    memcpy(name, "ftdi://ftdi:2232h:", 18);
    assert_refused(name, "longer than");
}

static const char *set_folder(void)
{
    const char *folder = new_folder();
    assert_int_equal(setenv("PHASEBENCH_LOCK_DIR", folder, 1), 0);
    return folder;
}

TEST(test_lock_names_its_holder)
{
    const char *folder = set_folder();
    char path[128], process[32];
    struct pb_diag diag = {""};
    struct stat status;
    int lock, second;
    assert_int_equal(pb_lock(&lock, "1-2.3", &diag), PB_OK);
    snprintf(path, sizeof path, "%s/phasebench-1-2.3.lock", folder);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0666);
    /* A lock is that of the open file, so that a second opening is like another process. */
    assert_int_equal(pb_lock(&second, "1-2.3", &diag), PB_ERR_IO);
    snprintf(process, sizeof process, "process %ld", (long)getpid());
    assert_non_null(strstr(diag.text, process));
    assert_int_equal(second, -1);
    pb_unlock(second);
    pb_unlock(lock);
    assert_int_equal(pb_lock(&lock, "1-2.3", &diag), PB_OK);
    pb_unlock(lock);
}

TEST(test_lock_of_a_killed_process)
{
    const char *folder = set_folder();
    char path[128];
    int lock, status;
    const pid_t child = fork();
    if (child == 0)
        _exit(pb_lock(&lock, "../odd name", NULL) ? 1 : 0); /* ends without unlocking */
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_succeeds(pb_lock(&lock, "../odd name", &diag));
    pb_unlock(lock);
    snprintf(path, sizeof path, "%s/phasebench-.._odd_name.lock", folder);
    assert_int_equal(unlink(path), 0);
}

TEST(test_lock_refuses_a_link_and_a_missing_folder)
{
    const char *folder = set_folder();
    char path[128];
    struct pb_diag diag = {""};
    int lock;
    snprintf(path, sizeof path, "%s/phasebench-a.lock", folder);
    assert_int_equal(symlink("/dev/null", path), 0);
    assert_int_equal(pb_lock(&lock, "a", &diag), PB_ERR_IO);
    assert_non_null(strstr(diag.text, "PHASEBENCH_LOCK_DIR"));
    unlink(path);
    rmdir(folder);
    assert_int_equal(pb_lock(&lock, "a", &diag), PB_ERR_IO);
    assert_non_null(strstr(diag.text, "PHASEBENCH_LOCK_DIR"));
}
