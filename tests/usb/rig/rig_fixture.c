/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * covers: bench/usb host/cli/cmd_serve.c host/cli/vusb* host/usb host/rig/rig_ftdi*
 */
#define _GNU_SOURCE /* pipe2 */
#include "rig_fixture.h"

#include "bench/usb/server/serve.h"
#include "rtl/proto/packet.h"
#include "tests/bench/unit/tests.h"

#include <dirent.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_BYTES = 512, READ_REPLY = 0x81 };

/* A file two directories above that of this program. */
static void beside(char path[PATH_BYTES], const char *file)
{
    char own[PATH_BYTES - 100];
    const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    assert_true(length > 0);
    own[length] = '\0';
    snprintf(path, PATH_BYTES, "%s/../../%s", dirname(own), file);
}

void rig_preload(char **argv)
{
    char library[PATH_BYTES];
    if (getenv("PHASEBENCH_VUSB"))
        return;
    beside(library, "libphasebench-vusb.so");
    setenv("LD_PRELOAD", library, 1);
    setenv("PHASEBENCH_VUSB", "/nonexistent", 1);
    setenv("PHASEBENCH_VUSB_ONLY", "1", 1);
    setenv("ASAN_OPTIONS", "verify_asan_link_order=0", 1);
    execv("/proc/self/exe", argv);
    perror("cannot run again");
    _exit(1);
}

/* Of the programs that have tests alone. */
__attribute__((weak)) int main(int argc, char **argv)
{
    (void)argc;
    rig_preload(argv);
    return test_all();
}

static void be_server(const struct rig_server *server, int said, const char *scenario, unsigned boards,
                      const char *options)
{
    char program[PATH_BYTES], count[12];
    beside(program,
           getenv("RIG_PROGRAM") ? getenv("RIG_PROGRAM") : "phasebench-san"); /* coverage has another */
    snprintf(count, sizeof count, "%u", boards);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that fails leaves none behind */
    dup2(said, STDOUT_FILENO);
    unsetenv("LD_PRELOAD");
    unsetenv("PHASEBENCH_VUSB");
    execl(program, "phasebench", "serve", scenario ? scenario : "host/scenarios/xor-one-bit.yaml", "--usb",
          server->folder, "--boards", count, "--usb-options", options, (char *)NULL);
    perror(program);
    _exit(127);
}

static void *listen_to(void *context)
{
    struct rig_server *server = context;
    char line[400];
    bool more = true;
    while (more) {
        more = fgets(line, sizeof line, server->said);
        pthread_mutex_lock(&server->lock);
        if (more) {
            const size_t count = strlen(line);
            server->text = realloc(server->text, server->length + count + 1);
            assert_non_null(server->text);
            memcpy(server->text + server->length, line, count + 1);
            server->length += count;
        }
        server->ended = !more;
        pthread_cond_signal(&server->more);
        pthread_mutex_unlock(&server->lock);
    }
    return NULL;
}

void rig_serve(struct rig_server *server, const char *scenario, unsigned boards, const char *options)
{
    int pipes[2];
    strcpy(server->folder, new_folder());
    assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
    server->process = fork();
    assert_true(server->process >= 0);
    if (!server->process)
        be_server(server, pipes[1], scenario, boards, options);
    close(pipes[1]);
    server->said = fdopen(pipes[0], "r");
    assert_non_null(server->said);
    server->text = NULL;
    server->length = 0;
    server->ended = false;
    pthread_mutex_init(&server->lock, NULL);
    pthread_cond_init(&server->more, NULL);
    assert_int_equal(pthread_create(&server->listener, NULL, listen_to, server), 0);
    rig_wait(server, "serving");
    setenv("PHASEBENCH_VUSB", server->folder, 1);
    /* Boards at the same port of another server are other boards. */
    char locks[sizeof server->folder + sizeof PB_SERVE_USB_LOCKS];
    snprintf(locks, sizeof locks, "%s/" PB_SERVE_USB_LOCKS, server->folder);
    setenv("PHASEBENCH_LOCK_DIR", locks, 1);
}

void rig_wait(struct rig_server *server, const char *text)
{
    const char *found;
    pthread_mutex_lock(&server->lock);
    while (!(found = server->text ? strstr(server->text, text) : NULL) && !server->ended)
        pthread_cond_wait(&server->more, &server->lock);
    if (found) {
        const size_t used = (size_t)(found - server->text) + strlen(text);
        memmove(server->text, server->text + used, server->length - used + 1);
        server->length -= used;
    }
    pthread_mutex_unlock(&server->lock);
    if (!found)
        fail_msg("the server ended without saying '%s'", text);
}

static void end(struct rig_server *server, int number, bool well)
{
    int status;
    assert_int_equal(kill(server->process, number), 0);
    assert_int_equal(waitpid(server->process, &status, 0), server->process);
    pthread_join(server->listener, NULL);
    fclose(server->said);
    free(server->text);
    pthread_cond_destroy(&server->more);
    pthread_mutex_destroy(&server->lock);
    if (well && (!WIFEXITED(status) || WEXITSTATUS(status) != 0))
        fail_msg("the server ended with status 0x%x", (unsigned)status);
}

void rig_stop(struct rig_server *server)
{
    end(server, SIGTERM, true);
    assert_int_equal(rmdir(server->folder), 0); /* nothing is left in it */
}

void rig_kill(struct rig_server *server)
{
    end(server, SIGKILL, false);
}

void rig_write(struct rig_server *server, const char *board, const char *line)
{
    char path[PATH_BYTES], text[200];
    snprintf(path, sizeof path, "%s/%s/control", server->folder, board);
    const int length = snprintf(text, sizeof text, "%s\n", line);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) {
        snprintf(path, sizeof path, "%s/.%s/control", server->folder, board);
        fd = open(path, O_WRONLY | O_CLOEXEC);
    }
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, (size_t)length), length);
    close(fd);
}

void rig_order(struct rig_server *server, const char *board, const char *line)
{
    char taken[200];
    rig_write(server, board, line);
    snprintf(taken, sizeof taken, "%s: set %s", board, line);
    rig_wait(server, taken);
}

struct ftdi_context *rig_open(const char *serial, enum ftdi_interface channel, int baud)
{
    struct ftdi_context *ftdi = ftdi_new();
    assert_non_null(ftdi);
    ftdi->usb_read_timeout = ftdi->usb_write_timeout = 600000; /* the simulation takes the time it takes */
    assert_int_equal(ftdi_set_interface(ftdi, channel), 0);
    const int code = ftdi_usb_open_desc(ftdi, 0x0403, 0x6010, NULL, serial);
    if (code)
        fail_msg("ftdi_usb_open_desc: %d, %s", code, ftdi->error_str);
    assert_int_equal(ftdi_set_latency_timer(ftdi, 2), 0);
    if (baud)
        assert_int_equal(ftdi_set_baudrate(ftdi, baud), 0);
    assert_int_equal(ftdi_tcioflush(ftdi), 0);
    return ftdi;
}

void rig_close(struct ftdi_context *ftdi)
{
    assert_int_equal(ftdi_usb_close(ftdi), 0);
    ftdi_free(ftdi);
}

libusb_device_handle *rig_open_usb(const char *serial, libusb_context **context)
{
    libusb_device **list;
    libusb_device_handle *found = NULL;
    assert_int_equal(libusb_init(context), 0);
    const ssize_t count = libusb_get_device_list(*context, &list);
    for (ssize_t i = 0; i < count && !found; i++) {
        struct libusb_device_descriptor descriptor;
        unsigned char text[64] = "";
        assert_int_equal(libusb_get_device_descriptor(list[i], &descriptor), 0);
        if (descriptor.idVendor != 0x0403 || libusb_open(list[i], &found))
            continue;
        libusb_get_string_descriptor_ascii(found, descriptor.iSerialNumber, text, sizeof text);
        if (strcmp((char *)text, serial)) {
            libusb_close(found);
            found = NULL;
        }
    }
    libusb_free_device_list(list, 1);
    assert_non_null(found);
    return found;
}

bool rig_read_register(struct ftdi_context *ftdi, unsigned address, uint32_t *value, unsigned reads)
{
    static uint8_t sequence;
    struct pb_packet packet = {.opcode = 1, .sequence = ++sequence, .length = 4};
    struct pb_packet_decoder decoder = {0};
    uint8_t bytes[PB_PACKET_WIRE_MAX];
    packet.payload[0] = (uint8_t)address;
    packet.payload[2] = 1;
    const size_t count = pb_packet_encode(&packet, bytes);
    assert_int_equal(ftdi_write_data(ftdi, bytes, (int)count), count);
    while (reads--) {
        const int got = ftdi_read_data(ftdi, bytes, sizeof bytes);
        assert_true(got >= 0);
        for (int i = 0; i < got; i++)
            if (pb_packet_decode(&decoder, bytes[i], &packet) && packet.opcode == READ_REPLY &&
                packet.sequence == sequence && packet.length == 8) {
                const uint8_t *word = packet.payload + 4;
                *value = word[0] | (uint32_t)word[1] << 8 | (uint32_t)word[2] << 16 | (uint32_t)word[3] << 24;
                return true;
            }
    }
    return false;
}

unsigned rig_descriptors(void)
{
    unsigned count = 0;
    DIR *folder = opendir("/proc/self/fd");
    assert_non_null(folder);
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}
