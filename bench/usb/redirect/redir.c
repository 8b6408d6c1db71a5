/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Redirects a board of `phasebench serve --usb` to a virtual machine: the host's end of QEMU's usb-redir, on
 * a Unix socket. The guest's kernel sees each plug and unplug of the server.
 *
 *   redir FOLDER SERIAL SOCKET
 *
 * Reports events on stdout, ends on a signal. Does not offer bulk receiving, in which QEMU reads ahead and
 * strips the status bytes of an FTDI chip's packets: every transfer of the guest reaches the chip unchanged.
 */
#define _GNU_SOURCE
#include "bench/usb/redirect/device.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include <usbredirparser.h>

enum {
    RETURN_LOOKS = 100,
    LOOK_MS = 50,  /* interval of the checks for a board that is not plugged in */
    IDLE_MS = 500, /* interval of the checks of the stop flag without a guest */
    ENDPOINTS = 32,
    FAILED = 4,
    USAGE = 2
};
enum { DESCRIPTOR_INTERFACE = 4, DESCRIPTOR_ENDPOINT = 5 };
enum { CLEAR_FEATURE = 1, TO_ENDPOINT = 0x02, FEATURE_HALT = 0 };

struct redir {
    const char *folder, *serial;
    struct usbredirparser *parser; /* NULL: no guest */
    int guest;                     /* its socket */
    struct device *device;         /* NULL: not plugged in */
    int refused;                   /* errno of the last opening; 0: success */
    bool greeted;                  /* the guest's hello was received */
    unsigned configuration;        /* set by the guest */
    bool leaving;                  /* the disconnect was sent to the guest and is not acknowledged */
};

static volatile sig_atomic_t stop;

static void on_signal(int number)
{
    (void)number;
    stop = 1;
}

static void say(const struct redir *redir, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(const struct redir *redir, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    printf("%s: ", redir->serial);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
    fflush(stdout);
}

/* ---------------------------------------------------------------- plug and unplug */

static unsigned word(const uint8_t *bytes)
{
    return bytes[0] | (unsigned)bytes[1] << 8;
}

/* Sends the description of a device, which must precede its connection. */
static void send_shape(struct usbredirparser *parser, const uint8_t *bytes, size_t count)
{
    struct usb_redir_interface_info_header interfaces = {0};
    struct usb_redir_ep_info_header endpoints = {0};
    unsigned interface = 0;
    memset(endpoints.type, usb_redir_type_invalid, sizeof endpoints.type);
    endpoints.type[0] = endpoints.type[ENDPOINTS / 2] = usb_redir_type_control;
    for (size_t at = 0; at + 2 <= count && bytes[at] >= 2 && at + bytes[at] <= count; at += bytes[at]) {
        const uint8_t *own = bytes + at;
        if (own[1] == DESCRIPTOR_INTERFACE && own[0] >= 9 && interfaces.interface_count < 32) {
            const unsigned index = interfaces.interface_count++;
            interface = interfaces.interface[index] = own[2];
            interfaces.interface_class[index] = own[5];
            interfaces.interface_subclass[index] = own[6];
            interfaces.interface_protocol[index] = own[7];
        } else if (own[1] == DESCRIPTOR_ENDPOINT && own[0] >= 7) {
            const unsigned index = (own[2] & 0x0f) | (own[2] & 0x80) >> 3;
            endpoints.type[index] = own[3] & 3;
            endpoints.interval[index] = own[6];
            endpoints.interface[index] = (uint8_t)interface;
            endpoints.max_packet_size[index] = (uint16_t)word(own + 4);
        }
    }
    usbredirparser_send_interface_info(parser, &interfaces);
    usbredirparser_send_ep_info(parser, &endpoints);
}

static void connect_device(struct redir *redir)
{
    size_t count;
    redir->device = device_open(redir->folder, redir->serial);
    const int code = redir->device ? 0 : errno;
    const bool absent = code == ENOENT || code == ENODEV;
    if (code && !absent && code != redir->refused)
        say(redir, "cannot open the board: %s; looking again", strerror(code));
    redir->refused = code;
    if (code)
        return;
    const uint8_t *bytes = device_descriptors(redir->device, &count);
    struct usb_redir_device_connect_header header = {
        .speed = usb_redir_speed_high,
        .device_class = bytes[4],
        .device_subclass = bytes[5],
        .device_protocol = bytes[6],
        .vendor_id = (uint16_t)word(bytes + 8),
        .product_id = (uint16_t)word(bytes + 10),
        .device_version_bcd = (uint16_t)word(bytes + 12),
    };
    send_shape(redir->parser, bytes, count);
    usbredirparser_send_device_connect(redir->parser, &header);
    redir->configuration = 1; /* the value that the host system sets */
    say(redir, "connected to the guest");
}

static void disconnect_device(struct redir *redir)
{
    device_close(redir->device);
    redir->device = NULL;
    usbredirparser_send_device_disconnect(redir->parser);
    redir->leaving = usbredirparser_peer_has_cap(redir->parser, usb_redir_cap_device_disconnect_ack);
    say(redir, "disconnected from the guest");
}

/* ---------------------------------------------------------------- transfers */

static uint8_t status_of(int code)
{
    switch (code) {
    case 0:
        return usb_redir_success;
    case -ENOENT:
        return usb_redir_cancelled;
    case -EPIPE:
        return usb_redir_stall;
    case -EOVERFLOW:
        return usb_redir_babble;
    case -EINVAL:
    case -ENOMEM:
        return usb_redir_inval;
    default:
        return usb_redir_ioerror;
    }
}

/* Reports the result of a transfer to the guest, except of a transfer that the unplug ended: the guest gets
 * the disconnect and ends its transfers itself. (QEMU does not expect several of an endpoint to fail in a
 * row.) */
static void tell(void *context, const struct device_end *end)
{
    struct redir *redir = context;
    const int bytes = end->in && end->actual ? (int)end->actual : 0;
    if (end->status == -ESHUTDOWN || end->status == -ENODEV)
        return;
    if (end->control) {
        struct usb_redir_control_packet_header header = {
            .endpoint = end->setup[0] & 0x80,
            .request = end->setup[1],
            .requesttype = end->setup[0],
            .status = status_of(end->status),
            .value = (uint16_t)word(end->setup + 2),
            .index = (uint16_t)word(end->setup + 4),
            .length = (uint16_t)end->actual,
        };
        usbredirparser_send_control_packet(redir->parser, end->id, &header, bytes ? end->data : NULL, bytes);
    } else {
        struct usb_redir_bulk_packet_header header = {
            .endpoint = end->endpoint,
            .status = status_of(end->status),
            .length = (uint16_t)end->actual,
            .length_high = (uint16_t)(end->actual >> 16),
        };
        usbredirparser_send_bulk_packet(redir->parser, end->id, &header, bytes ? end->data : NULL, bytes);
    }
}

static void control_packet(void *context, uint64_t id, struct usb_redir_control_packet_header *header,
                           uint8_t *data, int count)
{
    struct redir *redir = context;
    struct device_end end = {.id = id,
                             .control = true,
                             .setup = {header->requesttype, header->request, (uint8_t)header->value,
                                       (uint8_t)(header->value >> 8), (uint8_t)header->index,
                                       (uint8_t)(header->index >> 8), (uint8_t)header->length,
                                       (uint8_t)(header->length >> 8)}};
    /* A cleared halt must reach the redirecting host also, which owns the data toggles. */
    const bool clear_halt = header->requesttype == TO_ENDPOINT && header->request == CLEAR_FEATURE &&
                            header->value == FEATURE_HALT;
    const bool sound = header->requesttype & 0x80 ? !count : count == header->length;
    if (!redir->device)
        end.status = -ESHUTDOWN;
    else if (!sound)
        end.status = -EINVAL;
    else if (clear_halt)
        end.status = device_clear_halt(redir->device, (uint8_t)header->index);
    else
        end.status = device_control(redir->device, id, end.setup, data);
    if (end.status || clear_halt)
        tell(redir, &end);
    usbredirparser_free_packet_data(redir->parser, data);
}

static void bulk_packet(void *context, uint64_t id, struct usb_redir_bulk_packet_header *header,
                        uint8_t *data, int count)
{
    struct redir *redir = context;
    const size_t length = header->length | (size_t)header->length_high << 16;
    struct device_end end = {.id = id, .endpoint = header->endpoint};
    const bool sound = header->endpoint & 0x80 ? !count : (size_t)count == length;
    if (!redir->device)
        end.status = -ESHUTDOWN;
    else
        end.status = sound ? device_bulk(redir->device, id, header->endpoint, data, length) : -EINVAL;
    if (end.status)
        tell(redir, &end);
    usbredirparser_free_packet_data(redir->parser, data);
}

static void cancel_data_packet(void *context, uint64_t id)
{
    struct redir *redir = context;
    if (redir->device)
        device_cancel(redir->device, id);
}

/* ---------------------------------------------------------------- the device as a whole */

static void hello(void *context, struct usb_redir_hello_header *header)
{
    struct redir *redir = context;
    redir->greeted = true;
    say(redir, "guest: %.63s", header->version);
}

/* After its memory was rewritten, a reset gives the device another number on the host's bus. The guest stays
 * connected and reads the new descriptors itself. */
static void reset(void *context)
{
    struct redir *redir = context;
    const struct timespec pause = {.tv_nsec = LOOK_MS * 1000000L};
    if (!redir->device || device_reset(redir->device) != -ENODEV)
        return;
    device_close(redir->device);
    redir->device = device_open(redir->folder, redir->serial);
    for (unsigned i = 0; !redir->device && i < RETURN_LOOKS; i++) {
        nanosleep(&pause, NULL);
        redir->device = device_open(redir->folder, redir->serial);
    }
    if (redir->device)
        say(redir, "another device after a reset");
    else
        disconnect_device(redir);
}

static void send_configuration(const struct redir *redir, uint64_t id, int code)
{
    struct usb_redir_configuration_status_header header = {.status = status_of(code),
                                                           .configuration = (uint8_t)redir->configuration};
    usbredirparser_send_configuration_status(redir->parser, id, &header);
}

static void set_configuration(void *context, uint64_t id, struct usb_redir_set_configuration_header *header)
{
    struct redir *redir = context;
    const int code = redir->device ? device_configure(redir->device, header->configuration) : -ENODEV;
    if (!code)
        redir->configuration = header->configuration;
    send_configuration(redir, id, code);
}

static void get_configuration(void *context, uint64_t id)
{
    send_configuration(context, id, 0);
}

/* Interfaces have one setting each. */
static void send_setting(const struct redir *redir, uint64_t id, unsigned interface, unsigned setting)
{
    struct usb_redir_alt_setting_status_header header = {
        .status = setting ? usb_redir_stall : usb_redir_success, .interface = (uint8_t)interface};
    usbredirparser_send_alt_setting_status(redir->parser, id, &header);
}

static void set_alt_setting(void *context, uint64_t id, struct usb_redir_set_alt_setting_header *header)
{
    send_setting(context, id, header->interface, header->alt);
}

static void get_alt_setting(void *context, uint64_t id, struct usb_redir_get_alt_setting_header *header)
{
    send_setting(context, id, header->interface, 0);
}

static void disconnect_ack(void *context)
{
    struct redir *redir = context;
    redir->leaving = false;
}

/* ---------------------------------------------------------------- the guest's socket */

static void note(void *context, int level, const char *text)
{
    if (level <= usbredirparser_warning)
        say(context, "%s", text);
}

static int read_guest(void *context, uint8_t *bytes, int count)
{
    const struct redir *redir = context;
    const ssize_t got = recv(redir->guest, bytes, (size_t)count, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    return got > 0 ? (int)got : -1;
}

static int write_guest(void *context, uint8_t *bytes, int count)
{
    const struct redir *redir = context;
    const ssize_t sent = send(redir->guest, bytes, (size_t)count, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    return sent >= 0 ? (int)sent : -1;
}

static bool begin(struct redir *redir, int guest)
{
    static const int caps[] = {usb_redir_cap_connect_device_version, usb_redir_cap_device_disconnect_ack,
                               usb_redir_cap_ep_info_max_packet_size, usb_redir_cap_64bits_ids,
                               usb_redir_cap_32bits_bulk_length};
    uint32_t set[USB_REDIR_CAPS_SIZE] = {0};
    struct usbredirparser *parser = usbredirparser_create();
    if (!parser)
        return false;
    for (size_t i = 0; i < sizeof caps / sizeof caps[0]; i++)
        usbredirparser_caps_set_cap(set, caps[i]);
    parser->priv = redir;
    parser->log_func = note;
    parser->read_func = read_guest;
    parser->write_func = write_guest;
    parser->hello_func = hello;
    parser->reset_func = reset;
    parser->set_configuration_func = set_configuration;
    parser->get_configuration_func = get_configuration;
    parser->set_alt_setting_func = set_alt_setting;
    parser->get_alt_setting_func = get_alt_setting;
    parser->cancel_data_packet_func = cancel_data_packet;
    parser->control_packet_func = control_packet;
    parser->bulk_packet_func = bulk_packet;
    parser->device_disconnect_ack_func = disconnect_ack;
    redir->parser = parser;
    redir->guest = guest;
    redir->greeted = redir->leaving = false;
    usbredirparser_init(parser, "phasebench", set, USB_REDIR_CAPS_SIZE, usbredirparser_fl_usb_host);
    return true;
}

static void end(struct redir *redir)
{
    device_close(redir->device);
    redir->device = NULL;
    usbredirparser_destroy(redir->parser);
    redir->parser = NULL;
    close(redir->guest);
    say(redir, "the guest has gone");
}

/* One round: waits for either side and serves both. False: the guest has disconnected. */
static bool serve(struct redir *redir)
{
    if (redir->greeted && !redir->device && !redir->leaving)
        connect_device(redir);
    struct pollfd wait[2] = {
        {.fd = redir->guest, .events = POLLIN},
        {.fd = redir->device ? device_fd(redir->device) : -1, .events = POLLOUT},
    };
    if (usbredirparser_has_data_to_write(redir->parser))
        wait[0].events |= POLLOUT;
    if (poll(wait, 2, LOOK_MS) < 0)
        return errno == EINTR;
    if (wait[0].revents && usbredirparser_do_read(redir->parser))
        return false;
    if (redir->device && !device_reap(redir->device, tell, redir))
        disconnect_device(redir);
    return !usbredirparser_has_data_to_write(redir->parser) || !usbredirparser_do_write(redir->parser);
}

static int listen_to(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(address.sun_path, path);
    unlink(path);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && (bind(fd, (struct sockaddr *)&address, sizeof address) || listen(fd, 1))) {
        close(fd);
        return -1;
    }
    return fd;
}

int main(int argc, char **argv)
{
    struct redir redir = {.guest = -1};
    const struct sigaction action = {.sa_handler = on_signal};
    if (argc != 4) {
        fprintf(stderr, "usage: redir FOLDER SERIAL SOCKET\n");
        return USAGE;
    }
    redir.folder = argv[1];
    redir.serial = argv[2];
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    setenv("PHASEBENCH_VUSB", redir.folder, 1);
    const int listening = listen_to(argv[3]);
    if (listening < 0) {
        fprintf(stderr, "redir: cannot listen at the socket '%s': %s; choose another path\n", argv[3],
                strerror(errno));
        return FAILED;
    }
    say(&redir, "waiting for a guest at %s", argv[3]);
    while (!stop) {
        struct pollfd wait = {.fd = listening, .events = POLLIN};
        const int guest = poll(&wait, 1, IDLE_MS) == 1 ? accept(listening, NULL, NULL) : -1;
        if (guest < 0)
            continue;
        if (!begin(&redir, guest)) {
            close(guest);
            continue;
        }
        while (!stop && serve(&redir))
            ;
        end(&redir);
    }
    close(listening);
    unlink(argv[3]);
    return 0;
}
