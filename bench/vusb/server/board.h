/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * One board on the virtual USB: its chip, what is behind it, its folder, and who has it open.
 */
#ifndef PHASEBENCH_VUSB_BOARD_H
#define PHASEBENCH_VUSB_BOARD_H

#include "bench/vusb/usbfs/wire.h"
#include "host/rig/run_out.h"
#include "bench/vusb/server/peer.h"

enum { BOARD_SERIAL = FT2232H_STRING_CHARS + 1, BOARD_PATH = 108, BOARD_SENTENCE = 256, CONTROL_LINE = 128 };

struct board;
struct connection;

/* A transfer that the host has submitted. The chip has it, or one of the lists of the board. */
struct urb {
    struct ft2232h_transfer
        transfer;                  /* for the chip; control transfers use its data, actual and status only */
    struct connection *connection; /* NULL: it has gone, nobody wants to know how the transfer ended */
    struct urb *next;              /* of the connection */
    struct urb *next_late;         /* of the completed ones that wait */
    int64_t due_ps;
    uint64_t id;
    bool control, hung;
    uint8_t data[]; /* a control transfer's begins with its setup packet */
};

struct connection {
    struct connection *next;
    struct board *board;
    int fd, command; /* -1 each: not there yet */
    long process;
    bool ended;
    struct vusb_submit head; /* being received */
    size_t head_have, data_have;
    struct urb *incoming, *urbs;
    uint8_t *out; /* what the socket did not take yet */
    size_t out_count, out_capacity, out_sent;
};

struct faults {
    bool refused, hung;
    unsigned unplug_at; /* the nth transfer from now unplugs; 0: none */
    bool replug;        /* and is plugged in again at once */
    unsigned delay_us;  /* simulated, of each completion */
    unsigned short_bytes;
    unsigned stall_controls; /* so many control transfers from now stall */
    bool kernel_driver;      /* a driver binds when the board is plugged in */
    unsigned lose;           /* for the next time it is plugged in: bytes from the core, */
    uint8_t stall;           /* and an endpoint, 0: none */
};

enum board_memory {
    MEMORY_GOOD,
    MEMORY_CHECKSUM, /* wrong, so that the chip ignores it all */
    MEMORY_UART,     /* the channel in use is a UART, whatever is wired to it */
    MEMORY_FIFO,     /* likewise */
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
    struct run_out run_out;

    uint16_t memory[FT2232H_EEPROM_WORDS]; /* while it is not plugged in */
    enum board_memory memory_kind;
    bool memory_written;    /* as memory_kind says; the host may have changed it since */
    struct ft2232h *chip;   /* NULL: not plugged in */
    bool leaving;           /* to be unplugged when what is being served allows it */
    bool returning;         /* and to be plugged in again at once, this time only */
    unsigned device;        /* number on the bus */
    int listening, control; /* descriptors, -1: closed */
    char line[CONTROL_LINE];
    size_t line_have;
    struct connection *connections;
    struct connection *owner[FT2232H_CHANNELS]; /* of an interface */
    bool driver[FT2232H_CHANNELS];              /* ftdi_sio is bound */
    struct urb *late, **late_last;
};

void board_say(const struct board *board, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* board.c. After board_init come the settings (settings.h), then board_build. */
void board_init(struct board *board, const char *serial, const char *folder);
int board_build(struct board *board, const struct pb_scenario *scenario, struct pb_diag *diag);
void board_destroy(struct board *board);
int board_plug(struct board *board, struct pb_diag *diag);
void board_unplug(struct board *board);
/* Reads control lines, then what hosts sent. Does not wait. */
int board_serve(struct board *board, struct pb_diag *diag);
/* Time is to pass. */
bool board_is_active(const struct board *board);
/* One step of time. */
void board_step(struct board *board);

/* folder.c */
int folder_open(struct board *board, struct pb_diag *diag); /* hidden, with its control pipe */
int folder_show(struct board *board, struct pb_diag *diag); /* files and socket, then visible */
void folder_hide(struct board *board);
void folder_remove(struct board *board);

/* connection.c. Nothing here blocks. */
void connections_accept(struct board *board);
void connections_serve(struct board *board);
/* Ends all: what is on the way to the hosts is handed to the system first. */
void connections_end(struct board *board);
unsigned connections_open(const struct board *board);
void connection_send(struct connection *connection, const void *bytes, size_t count);

/* urb.c */
void urb_start(struct urb *urb); /* the connection's, filled in */
int urb_discard(struct connection *connection, uint64_t id);
/* Takes all transfers of the connection, or only those on an interface, from the chip. */
void urbs_cancel(struct connection *connection, int interface);
void urbs_end_late(struct board *board); /* all that wait, now */
void urbs_send_due(struct board *board, int64_t now_ps);

/* command.c: answers one command. */
void command_answer(struct connection *connection, const struct vusb_command *command,
                    struct vusb_answer *answer);

/* settings.c: one KEY=VALUE. `running`: the board is served already, and only what can change then is taken.
 */
int settings_set(struct board *board, const char *text, bool running, struct pb_diag *diag);

#endif
