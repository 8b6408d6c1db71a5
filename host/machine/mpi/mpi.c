/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Processes that hand bytes over to one another, by MPI. All of them run the same program on machines of one
 * kind. */
#include "mpi.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* A message of MPI has an int of bytes. */
#define PIECE ((size_t)1 << 30)

static struct {
    int own, count;
    uint64_t *over, *got; /* [count]: bytes */
    char **received;      /* [count] */
    size_t *room;         /* [count] */
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
    mpi.over = array(sizeof *mpi.over);
    mpi.got = array(sizeof *mpi.got);
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

static void receive(int from)
{
    if (mpi.got[from] > mpi.room[from]) {
        free(mpi.received[from]);
        mpi.room[from] = mpi.got[from];
        mpi.received[from] = malloc(mpi.room[from]);
        if (!mpi.received[from])
            out_of_memory();
    }
    for (size_t at = 0; at < mpi.got[from]; at += PIECE) {
        const size_t left = mpi.got[from] - at;
        MPI_Irecv(mpi.received[from] + at, (int)(left < PIECE ? left : PIECE), MPI_BYTE, from, 0,
                  MPI_COMM_WORLD, next_request());
    }
}

static void send(int to, const char *bytes)
{
    for (size_t at = 0; at < mpi.over[to]; at += PIECE) {
        const size_t left = mpi.over[to] - at;
        MPI_Isend(bytes + at, (int)(left < PIECE ? left : PIECE), MPI_BYTE, to, 0, MPI_COMM_WORLD,
                  next_request());
    }
}

static void exchange(void *context, const struct pb_handed *over, struct pb_handed *got)
{
    (void)context;
    for (int i = 0; i < mpi.count; i++)
        mpi.over[i] = over[i].count;
    MPI_Alltoall(mpi.over, 1, MPI_UINT64_T, mpi.got, 1, MPI_UINT64_T, MPI_COMM_WORLD);
    mpi.requests = 0;
    for (int i = 0; i < mpi.count; i++)
        if (i != mpi.own)
            receive(i);
    for (int i = 0; i < mpi.count; i++)
        if (i != mpi.own)
            send(i, over[i].bytes);
    MPI_Waitall((int)mpi.requests, mpi.request, MPI_STATUSES_IGNORE);
    for (int i = 0; i < mpi.count; i++)
        got[i] = i == mpi.own ? over[i] : (struct pb_handed){mpi.received[i], mpi.got[i]};
}

static void end(void)
{
    MPI_Finalize();
}

extern const struct pb_mpi pb_mpi;
__attribute__((visibility("default"))) const struct pb_mpi pb_mpi = {begin, exchange, end};
