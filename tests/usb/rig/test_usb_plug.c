/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Boards that come and go, hosts that want the same one, threads, and transfers that do not end by
 * themselves. What is expected is what usbfs and libusb document.
 */
#include "rig_fixture.h"
#include "tests/bench/unit/tests.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned boards(libusb_context *context)
{
    libusb_device **list;
    const ssize_t count = libusb_get_device_list(context, &list);
    assert_true(count >= 0);
    libusb_free_device_list(list, 1);
    return (unsigned)count;
}

TEST(two_boards)
{
    struct rig_server server;
    uint8_t bytes[16];
    rig_serve(&server, NULL, 2, "device=echo");
    struct ftdi_context *first = rig_open(FIRST, INTERFACE_B, 3000000);
    struct ftdi_context *second = rig_open(SECOND, INTERFACE_B, 3000000);
    assert_int_equal(ftdi_write_data(first, (const uint8_t *)"one", 3), 3);
    assert_int_equal(ftdi_write_data(second, (const uint8_t *)"second", 6), 6);
    assert_int_equal(ftdi_read_data(first, bytes, sizeof bytes), 3);
    assert_memory_equal(bytes, "one", 3);
    assert_int_equal(ftdi_read_data(second, bytes, sizeof bytes), 6);
    assert_memory_equal(bytes, "second", 6);
    rig_close(first);
    assert_int_equal(ftdi_write_data(second, (const uint8_t *)"x", 1), 1);
    assert_int_equal(ftdi_read_data(second, bytes, sizeof bytes), 1);
    rig_close(second);
    rig_stop(&server);
}

struct seen {
    unsigned arrived, left;
};

static int on_plug(libusb_context *context, libusb_device *device, libusb_hotplug_event event, void *user)
{
    struct seen *seen = user;
    (void)context;
    (void)device;
    if (event == LIBUSB_HOTPLUG_EVENT_DEVICE_ARRIVED)
        seen->arrived++;
    else
        seen->left++;
    return 0;
}

/* A minute at most, which no machine needs. */
static void until(libusb_context *context, const unsigned *number, unsigned wanted)
{
    for (unsigned i = 0; *number < wanted && i < 600; i++) {
        struct timeval tick = {.tv_usec = 100000};
        libusb_handle_events_timeout(context, &tick);
    }
    assert_int_equal(*number, wanted);
}

TEST(hot_plug)
{
    struct rig_server server;
    struct seen seen = {0};
    libusb_context *context;
    libusb_hotplug_callback_handle callback;
    rig_serve(&server, NULL, 2, "device=silent");
    assert_int_equal(libusb_init(&context), 0);
    assert_int_equal(libusb_hotplug_register_callback(
                         context, LIBUSB_HOTPLUG_EVENT_DEVICE_ARRIVED | LIBUSB_HOTPLUG_EVENT_DEVICE_LEFT,
                         LIBUSB_HOTPLUG_ENUMERATE, 0x0403, 0x6010, LIBUSB_HOTPLUG_MATCH_ANY, on_plug, &seen,
                         &callback),
                     0);
    assert_int_equal(seen.arrived, 2);
    rig_write(&server, FIRST, "unplug");
    rig_write(&server, SECOND, "unplug");
    until(context, &seen.left, 2);
    assert_int_equal(boards(context), 0);
    rig_write(&server, FIRST, "plug");
    until(context, &seen.arrived, 3);
    assert_int_equal(boards(context), 1);
    rig_write(&server, SECOND, "plug");
    until(context, &seen.arrived, 4);
    rig_order(&server, SECOND, "replug=1");
    rig_write(&server, SECOND, "unplug");
    until(context, &seen.arrived, 5);
    until(context, &seen.left, 3);
    assert_int_equal(boards(context), 2);
    libusb_hotplug_deregister_callback(context, callback);
    libusb_exit(context);
    rig_stop(&server);
}

/* How calls on a board that has gone end, as libftdi1 reports it. */
static void assert_gone(struct ftdi_context *ftdi)
{
    unsigned short status;
    uint8_t byte = 0;
    assert_int_equal(ftdi_read_data(ftdi, &byte, 1), LIBUSB_ERROR_NO_DEVICE);
    assert_int_equal(ftdi_write_data(ftdi, &byte, 1), -1);
    assert_int_equal(ftdi_poll_modem_status(ftdi, &status), -1);
    ftdi_usb_close(ftdi); /* cannot release what is not there any more */
    ftdi_free(ftdi);
}

/* Unplugged by the nth transfer of what a host does from open to close: each stage ends with an error, and
 * nothing hangs or leaks. */
TEST(unplugged_at_every_stage)
{
    struct rig_server server;
    rig_serve(&server, NULL, 1, "device=echo&replug=1");
    unsigned failures = 0, at;
    const unsigned before = rig_descriptors();
    for (at = 1; at <= 40; at++) {
        char line[32];
        uint8_t bytes[4] = {0};
        unsigned short status;
        snprintf(line, sizeof line, "unplug=%u", at);
        rig_order(&server, FIRST, line);
        struct ftdi_context *ftdi = ftdi_new();
        assert_non_null(ftdi);
        ftdi_set_interface(ftdi, INTERFACE_B);
        int code = ftdi_usb_open_desc(ftdi, 0x0403, 0x6010, NULL, FIRST);
        if (!code)
            code = ftdi_set_latency_timer(ftdi, 1);
        if (!code)
            code = ftdi_write_data(ftdi, bytes, 4) < 0;
        for (unsigned i = 0; i < 8 && !code; i++)
            code = ftdi_read_data(ftdi, bytes, 4) < 0;
        for (unsigned i = 0; i < 8 && !code; i++)
            code = ftdi_poll_modem_status(ftdi, &status);
        failures += code != 0;
        if (ftdi->usb_dev)
            ftdi_usb_close(ftdi);
        ftdi_free(ftdi);
        if (!code)
            break;
        rig_wait(&server, "plugged in");
    }
    assert_in_range(failures, 15, 39); /* as many transfers as that are made, and the last round passes */
    assert_int_equal(rig_descriptors(), before);
    rig_order(&server, FIRST, "unplug=0"); /* and without a connection */
    rig_wait(&server, "plugged in");
    rig_close(rig_open(FIRST, INTERFACE_B, 0));
    rig_stop(&server);
}

TEST(unplugged_in_a_transfer)
{
    struct rig_server server;
    rig_serve(&server, NULL, 1, "device=silent&hang=1");
    rig_order(&server, FIRST, "hang=0");
    struct ftdi_context *ftdi = rig_open(FIRST, INTERFACE_B, 0);
    rig_order(&server, FIRST, "hang=1");
    uint8_t bytes[8];
    struct ftdi_transfer_control *read = ftdi_read_data_submit(ftdi, bytes, sizeof bytes);
    assert_non_null(read);
    rig_write(&server, FIRST, "unplug");
    assert_true(ftdi_transfer_data_done(read) <= 0);
    assert_gone(ftdi);
    rig_write(&server, FIRST, "plug");
    rig_wait(&server, "plugged in");
    rig_stop(&server);
}

/* A server that dies looks like a board that was pulled out. */
TEST(server_dies)
{
    struct rig_server server;
    libusb_context *context;
    rig_serve(&server, NULL, 1, "device=silent&hang=0");
    struct ftdi_context *ftdi = rig_open(FIRST, INTERFACE_B, 0);
    rig_order(&server, FIRST, "hang=1");
    uint8_t bytes[8];
    struct ftdi_transfer_control *read = ftdi_read_data_submit(ftdi, bytes, sizeof bytes);
    assert_non_null(read);
    rig_kill(&server);
    assert_true(ftdi_transfer_data_done(read) <= 0);
    assert_gone(ftdi);
    assert_int_equal(libusb_init(&context), 0);
    assert_int_equal(boards(context), 0);
    libusb_exit(context);
}

static void on_end(struct libusb_transfer *transfer)
{
    *(int *)transfer->user_data = 1;
}

/* A transfer that the device never ends can be taken back. */
TEST(hung_device)
{
    struct rig_server server;
    libusb_context *context;
    uint8_t bytes[512];
    int ended = 0, count = 0;
    rig_serve(&server, NULL, 1, "device=silent");
    libusb_device_handle *handle = rig_open_usb(FIRST, &context);
    assert_int_equal(libusb_claim_interface(handle, 1), 0);
    rig_order(&server, FIRST, "hang=1");
    assert_int_equal(libusb_bulk_transfer(handle, 0x83, bytes, sizeof bytes, &count, 50),
                     LIBUSB_ERROR_TIMEOUT);
    assert_int_equal(libusb_control_transfer(handle, 0xc0, 5, 0, 2, bytes, 2, 50), LIBUSB_ERROR_TIMEOUT);
    struct libusb_transfer *transfer = libusb_alloc_transfer(0);
    libusb_fill_bulk_transfer(transfer, handle, 0x83, bytes, sizeof bytes, on_end, &ended, 0);
    assert_int_equal(libusb_submit_transfer(transfer), 0);
    assert_int_equal(libusb_cancel_transfer(transfer), 0);
    while (!ended)
        assert_int_equal(libusb_handle_events_completed(context, &ended), 0);
    assert_int_equal(transfer->status, LIBUSB_TRANSFER_CANCELLED);
    assert_int_equal(libusb_cancel_transfer(transfer), LIBUSB_ERROR_NOT_FOUND);
    libusb_free_transfer(transfer);
    libusb_close(handle);
    libusb_exit(context);
    rig_stop(&server);
}

TEST(delayed_completions)
{
    struct rig_server server;
    uint8_t bytes[8];
    rig_serve(&server, NULL, 1, "device=echo&delay_us=3000");
    struct ftdi_context *ftdi = rig_open(FIRST, INTERFACE_B, 0);
    assert_int_equal(ftdi_write_data(ftdi, (const uint8_t *)"late", 4), 4);
    assert_int_equal(ftdi_read_data(ftdi, bytes, sizeof bytes), 4);
    assert_memory_equal(bytes, "late", 4);
    rig_close(ftdi);
    rig_stop(&server);
}

/* Another process wants the same interface. Returns its exit status: 0 all was as expected. */
static int other_process(void)
{
    int status;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        char *const arguments[] = {"test_usb_plug", "claim", NULL};
        execv("/proc/self/exe", arguments);
        _exit(99);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 98;
}

/* What the other process does: interface 1 is taken, interface 0 is not. */
static int claim_both(void)
{
    libusb_context *context;
    libusb_device_handle *handle = rig_open_usb(FIRST, &context);
    int wrong = libusb_claim_interface(handle, 1) != LIBUSB_ERROR_BUSY;
    wrong |= libusb_set_auto_detach_kernel_driver(handle, 1) != 0;
    wrong |= libusb_claim_interface(handle, 1) != LIBUSB_ERROR_BUSY;
    wrong |= libusb_claim_interface(handle, 0) != 0;
    libusb_close(handle);
    libusb_exit(context);
    return wrong;
}

TEST(two_processes)
{
    struct rig_server server;
    uint8_t bytes[4];
    rig_serve(&server, NULL, 1, "device=echo");
    struct ftdi_context *ftdi = rig_open(FIRST, INTERFACE_B, 0);
    assert_int_equal(other_process(), 0);
    assert_int_equal(ftdi_write_data(ftdi, (const uint8_t *)"mine", 4), 4);
    assert_int_equal(ftdi_read_data(ftdi, bytes, 4), 4);
    struct ftdi_context *again = ftdi_new();
    ftdi_set_interface(again, INTERFACE_B);
    assert_int_equal(ftdi_usb_open_desc(again, 0x0403, 0x6010, NULL, FIRST), -5);
    rig_close(ftdi);
    assert_int_equal(ftdi_usb_open_desc(again, 0x0403, 0x6010, NULL, FIRST), 0);
    rig_close(again);
    rig_stop(&server);
}

enum { CYCLES = 1000 };

TEST(a_thousand_times)
{
    struct rig_server server;
    rig_serve(&server, NULL, 1, "device=echo");
    unsigned before = 0;
    for (unsigned i = 0; i < CYCLES; i++) {
        rig_close(rig_open(FIRST, INTERFACE_B, 3000000));
        if (i == 0)
            before = rig_descriptors();
    }
    assert_int_equal(rig_descriptors(), before);
    rig_stop(&server);
}

enum { THREADED = 60000 };

static void *write_all(void *context)
{
    uint8_t bytes[500];
    for (unsigned at = 0; at < THREADED; at += sizeof bytes) {
        for (unsigned i = 0; i < sizeof bytes; i++)
            bytes[i] = (uint8_t)((at + i) % 251);
        assert_int_equal(ftdi_write_data(context, bytes, sizeof bytes), sizeof bytes);
    }
    return NULL;
}

static void *read_all(void *context)
{
    uint8_t bytes[700];
    for (unsigned at = 0; at < THREADED;) {
        const int got = ftdi_read_data(context, bytes, sizeof bytes);
        assert_true(got >= 0);
        for (int i = 0; i < got; i++)
            assert_int_equal(bytes[i], (at + (unsigned)i) % 251);
        at += (unsigned)got;
    }
    return NULL;
}

/* One that writes and one that reads, on each of two boards. */
TEST(threads)
{
    struct rig_server server;
    pthread_t thread[4];
    rig_serve(&server, NULL, 2, "device=echo");
    struct ftdi_context *ftdi[2] = {rig_open(FIRST, INTERFACE_B, 0), rig_open(SECOND, INTERFACE_B, 0)};
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, i & 1 ? read_all : write_all, ftdi[i / 2]), 0);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    rig_close(ftdi[0]);
    rig_close(ftdi[1]);
    rig_stop(&server);
}

int main(int argc, char **argv)
{
    rig_preload(argv);
    if (argc > 1 && !strcmp(argv[1], "claim"))
        return claim_both();
    return test_all();
}
