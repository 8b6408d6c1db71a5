/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Processes that hand bytes over to one another, by MPI. All of them run the same program on machines of one
 * kind. */
#include "mpi.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* A message of MPI has an int of bytes: more are several, of which the tag of the last one says so. */
#define PIECE ((size_t)1 << 30)
enum { LAST, MORE };

static struct {
    int own, count;
    char **received; /* [count] */
    size_t *room;    /* [count] */
    MPI_Request *request;
    size_t requests, requests_max;
} mpi;

static void out_of_memory(void)
{
    fprintf(stderr, "phasebench: machine: no memory for what the processes exchange; give fewer nodes\n");
    MPI_Abort(MPI_COMM_WORLD, 4);
}

static void *array(size_t size)
{
    void *made = calloc((size_t)mpi.count, size);
    if (!made)
        out_of_memory();
    return made;
}

static bool begin(unsigned *own, unsigned *count)
{
    if (MPI_Init(NULL, NULL) != MPI_SUCCESS)
        return false;
    MPI_Comm_rank(MPI_COMM_WORLD, &mpi.own);
    MPI_Comm_size(MPI_COMM_WORLD, &mpi.count);
    mpi.received = array(sizeof *mpi.received);
    mpi.room = array(sizeof *mpi.room);
    *own = (unsigned)mpi.own;
    *count = (unsigned)mpi.count;
    return true;
}

static MPI_Request *next_request(void)
{
    if (mpi.requests == mpi.requests_max) {
        const size_t most = 2 * mpi.requests_max + 16;
        MPI_Request *grown = realloc(mpi.request, most * sizeof *grown);
        if (!grown)
            out_of_memory();
        mpi.request = grown;
        mpi.requests_max = most;
    }
    return &mpi.request[mpi.requests++];
}

/* All of them go on their way before the first one is waited for. */
static void send(int to, const struct pb_handed *over)
{
    size_t at = 0, left;

    do {
        left = over->count - at;
        const size_t bytes = left < PIECE ? left : PIECE;
        MPI_Isend((const char *)over->bytes + at, (int)bytes, MPI_BYTE, to, bytes == left ? LAST : MORE,
                  MPI_COMM_WORLD, next_request());
        at += bytes;
    } while (at < over->count);
}

static size_t receive(int from)
{
    size_t count = 0;
    MPI_Status status = {.MPI_TAG = MORE};

    while (status.MPI_TAG == MORE) {
        MPI_Message message;
        int bytes;
        MPI_Mprobe(from, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
        MPI_Get_count(&status, MPI_BYTE, &bytes);
        if (count + (size_t)bytes > mpi.room[from]) {
            char *grown = realloc(mpi.received[from], count + (size_t)bytes);
            if (!grown)
                out_of_memory();
            mpi.received[from] = grown;
            mpi.room[from] = count + (size_t)bytes;
        }
        MPI_Mrecv(mpi.received[from] + count, bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE);
        count += (size_t)bytes;
    }
    return count;
}

static void exchange(void *context, const struct pb_handed *over, struct pb_handed *got)
{
    (void)context;
    mpi.requests = 0;
    for (int i = 0; i < mpi.count; i++)
        if (i != mpi.own)
            send(i, &over[i]);
    for (int i = 0; i < mpi.count; i++) {
        got[i] = over[i];
        if (i != mpi.own) {
            got[i].count = receive(i);
            got[i].bytes = mpi.received[i];
        }
    }
    MPI_Waitall((int)mpi.requests, mpi.request, MPI_STATUSES_IGNORE);
}

static void end(void)
{
    MPI_Finalize();
}

extern const struct pb_mpi pb_mpi;
__attribute__((visibility("default"))) const struct pb_mpi pb_mpi = {begin, exchange, end};
