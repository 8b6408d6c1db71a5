/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * One board on the virtual USB: its chip, the bench at its pins, its directory, and its open connections.
 */
#ifndef PHASEBENCH_VUSB_BOARD_H
#define PHASEBENCH_VUSB_BOARD_H

#include "bench/usb/preload/wire.h"
#include "host/rig/host_loss.h"
#include "bench/usb/server/peer.h"

enum { BOARD_SERIAL = FT2232H_STRING_CHARS + 1, BOARD_PATH = 108, BOARD_SENTENCE = 256, CONTROL_LINE = 128 };
enum { SETUP_BYTES = 8 }; /* before the data of a control transfer */

struct board;
struct connection;

/* A transfer that the host has submitted. The chip owns it, or one of the lists of the board. */
struct urb {
    struct ft2232h_transfer
        transfer;                  /* for the chip; control transfers use its data, actual and status only */
    struct connection *connection; /* NULL: closed; the result of the transfer is discarded */
    struct urb *next;              /* of the connection */
    struct urb *next_late;         /* of the waiting completed transfers */
    int64_t due_ps;
    uint64_t id;
    bool control, hung;
    uint8_t data[]; /* of a control transfer, with the setup packet first */
};

struct connection {
    struct connection *next;
    struct board *board;
    int fd, command; /* -1 each: not received yet */
    long process;
    bool ended;
    struct vusb_submit head; /* being received */
    size_t head_have, data_have;
    struct urb *incoming, *urbs;
    uint8_t *out; /* bytes that the socket has not taken yet */
    size_t out_count, out_capacity, out_sent;
};

struct faults {
    bool refused, hung;
    unsigned unplug_at; /* the nth transfer from now unplugs; 0: none */
    bool replug;        /* then plugs in again at once */
    unsigned delay_us;  /* simulated, of each completion */
    unsigned short_bytes;
    unsigned stall_controls; /* number of control transfers from now on that stall */
    bool kernel_driver;      /* a driver binds when the board is plugged in */
    unsigned lose;           /* at the next plug-in: bytes from the core to lose, */
    uint8_t stall;           /* and an endpoint to stall, 0: none */
};

enum board_memory {
    MEMORY_GOOD,
    MEMORY_CHECKSUM, /* invalid checksum: the chip ignores the whole memory */
    MEMORY_UART,     /* the channel in use is a UART, independent of its wiring */
    MEMORY_FIFO,     /* the same as a FIFO */
    MEMORY_BLANK
};

struct board {
    char serial[BOARD_SERIAL], manufacturer[BOARD_SERIAL], product[BOARD_SERIAL];
    const char *folder; /* of all boards */
    void (*say)(void *context, const char *sentence);
    void *context;
    bool free_running;
    bool channel_given;
    struct vusb_peer peer;
    struct faults faults;
    struct host_loss host_loss;

    uint16_t memory[FT2232H_EEPROM_WORDS]; /* content while not plugged in */
    enum board_memory memory_kind;
    bool memory_written;    /* by memory_kind; the host may have changed it since */
    struct ft2232h *chip;   /* NULL: not plugged in */
    bool leaving;           /* unplug as soon as the current transfers allow it */
    bool returning;         /* then plug in again at once, this time only */
    unsigned device;        /* number on the bus */
    int listening, control; /* descriptors, -1: closed */
    char line[CONTROL_LINE];
    size_t line_have;
    struct connection *connections;
    struct connection *owner[FT2232H_CHANNELS]; /* of each interface */
    bool driver[FT2232H_CHANNELS];              /* ftdi_sio is bound */
    struct urb *late, **late_last;
};

void board_say(const struct board *board, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* board.c. After board_init come the settings (settings.h), then board_build. */
void board_init(struct board *board, const char *serial, const char *folder);
int board_build(struct board *board, const struct pb_scenario *scenario, struct pb_diag *diag);
void board_destroy(struct board *board);
int board_plug(struct board *board, struct pb_diag *diag);
/* Reads control lines, then messages of hosts. Does not block. */
int board_serve(struct board *board, struct pb_diag *diag);
/* True: simulated time must advance. */
bool board_is_active(const struct board *board);
/* One step of time. */
void board_step(struct board *board);

/* folder.c */
int folder_open(struct board *board, struct pb_diag *diag); /* hidden, with its control pipe */
int folder_show(struct board *board, struct pb_diag *diag); /* files and socket, then visible */
void folder_hide(struct board *board);
void folder_remove(struct board *board);

/* connection.c. None of these functions blocks. */
void connections_accept(struct board *board);
void connections_serve(struct board *board);
/* Ends all connections, after passing pending bytes for the hosts to the operating system. */
void connections_end(struct board *board);
unsigned connections_open(const struct board *board);
void connection_send(struct connection *connection, const void *bytes, size_t count);

/* urb.c */
void urb_start(struct urb *urb); /* a complete transfer of the connection */
int urb_discard(struct connection *connection, uint64_t id);
/* Removes all transfers of the connection, or only those of an interface, from the chip. */
void urbs_cancel(struct connection *connection, int interface);
void urbs_end_late(struct board *board); /* all waiting transfers, now */
void urbs_send_due(struct board *board, int64_t now_ps);

/* command.c: answers one command. */
void command_answer(struct connection *connection, const struct vusb_command *command,
                    struct vusb_answer *answer);

/* settings.c: one KEY=VALUE. `running`: the board is served, so only settings that can still change are
 * accepted. */
int settings_set(struct board *board, const char *text, bool running, struct pb_diag *diag);

#endif
