/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Transfers: submitted, discarded, reaped.
 */
#define _GNU_SOURCE
#include "bench/usb/preload/usbfs.h"
#include "bench/usb/preload/wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { SETUP_BYTES = 8, INTERFACES = 2 };

static int fail(int error)
{
    errno = error;
    return -1;
}

static bool is_in(const struct usbdevfs_urb *urb)
{
    if (urb->type == USBDEVFS_URB_TYPE_CONTROL)
        return ((const uint8_t *)urb->buffer)[0] & 0x80;
    return urb->endpoint & 0x80;
}

/* Interface 0 has endpoints 1 and 2, interface 1 has 3 and 4. */
static int check(struct handle *handle, const struct usbdevfs_urb *urb)
{
    const unsigned number = urb->endpoint & 0x0f;
    if (urb->buffer_length < 0)
        return fail(EINVAL);
    if (urb->buffer_length > VUSB_TRANSFER_MAX)
        return fail(ENOMEM);
    if (urb->type == USBDEVFS_URB_TYPE_CONTROL) {
        const uint8_t *setup = urb->buffer;
        return urb->buffer_length < SETUP_BYTES ||
                       urb->buffer_length < SETUP_BYTES + (setup[6] | setup[7] << 8)
                   ? fail(EINVAL)
                   : 0;
    }
    if (urb->type != USBDEVFS_URB_TYPE_BULK)
        return fail(EINVAL);
    if (number < 1 || number > 2 * INTERFACES || (number & 1) != !!(urb->endpoint & 0x80))
        return fail(ENOENT);
    return usbfs_claim(handle, (number - 1) / 2);
}

int urb_submit(struct handle *handle, struct usbdevfs_urb *urb)
{
    if (check(handle, urb))
        return -1;
    struct pending *pending = malloc(sizeof *pending);
    if (!pending)
        return fail(ENOMEM);
    const bool control = urb->type == USBDEVFS_URB_TYPE_CONTROL;
    struct vusb_submit submit = {
        .control = control, .endpoint = urb->endpoint, .length = (uint32_t)urb->buffer_length};
    if (control) {
        const uint8_t *setup = urb->buffer;
        submit.length = SETUP_BYTES + (setup[6] | (uint32_t)setup[7] << 8);
    }
    const bool bytes = control || !is_in(urb);
    struct iovec part[2] = {{&submit, sizeof submit}, {urb->buffer, bytes ? submit.length : 0}};
    pthread_mutex_lock(&handle->lock);
    submit.id = ++handle->next_id;
    *pending = (struct pending){.id = submit.id, .urb = urb};
    const bool sent = !handle->gone && server_send(handle->fd, part, bytes ? 2 : 1);
    if (sent) {
        *handle->last = pending;
        handle->last = &pending->next;
    } else if (!handle->gone) {
        handle_lose(handle);
    }
    pthread_mutex_unlock(&handle->lock);
    if (sent)
        return 0;
    free(pending);
    return fail(ENODEV);
}

/* Removes it from the list; NULL: not listed. Call with the lock held. */
static struct pending *take(struct handle *handle, uint64_t id)
{
    for (struct pending **at = &handle->first; *at; at = &(*at)->next)
        if ((*at)->id == id) {
            struct pending *found = *at;
            *at = found->next;
            if (handle->last == &found->next)
                handle->last = at;
            return found;
        }
    return NULL;
}

int urb_discard(struct handle *handle, const struct usbdevfs_urb *urb)
{
    struct vusb_command command = {.kind = VUSB_DISCARD};
    struct vusb_answer answer;
    struct pending *at;
    int code = -EINVAL;
    pthread_mutex_lock(&handle->lock);
    for (at = handle->first; at && at->urb != urb; at = at->next)
        ;
    if (at && handle->gone)
        code = -ENODEV;
    else if (at) {
        command.id = at->id;
        const bool answered = command_answered(handle, &command, &answer);
        code = answered ? answer.result : -ENODEV;
    }
    pthread_mutex_unlock(&handle->lock);
    return code ? fail(-code) : 0;
}

static void *finish(struct pending *pending, int status, unsigned actual)
{
    struct usbdevfs_urb *urb = pending->urb;
    urb->status = status;
    urb->actual_length = (int)actual;
    urb->error_count = 0;
    free(pending);
    return urb;
}

/* Returns the next completed transfer of the server. Call with the lock held. */
static int reap_one(struct handle *handle, void **urb)
{
    struct vusb_completion completion;
    const ssize_t first = recv(handle->fd, &completion, sizeof completion, MSG_DONTWAIT);
    if (first < 0 && (errno == EAGAIN || errno == EINTR))
        return fail(EAGAIN);
    if (first <= 0 ||
        !server_receive(handle->fd, (char *)&completion + first, sizeof completion - (size_t)first)) {
        handle_lose(handle);
        return fail(ENODEV);
    }
    struct pending *pending = take(handle, completion.id);
    const size_t offset = pending && pending->urb->type == USBDEVFS_URB_TYPE_CONTROL ? SETUP_BYTES : 0;
    if (!pending || (size_t)pending->urb->buffer_length < offset + completion.bytes ||
        !server_receive(handle->fd, (char *)pending->urb->buffer + offset, completion.bytes)) {
        handle_lose(handle);
        if (!pending)
            return fail(ENODEV);
        completion = (struct vusb_completion){.status = -ESHUTDOWN};
    }
    *urb = finish(pending, completion.status, completion.actual);
    return 0;
}

static int try_reap(struct handle *handle, void **urb)
{
    int code = -1;
    pthread_mutex_lock(&handle->lock);
    if (!handle->gone)
        code = reap_one(handle, urb);
    if (code && handle->gone) {
        errno = ENODEV;
        if (handle->first) {
            *urb = finish(take(handle, handle->first->id), -ESHUTDOWN, 0);
            code = 0;
        }
    }
    const int error = errno;
    pthread_mutex_unlock(&handle->lock);
    errno = error;
    return code;
}

int urb_reap(struct handle *handle, void **urb, bool wait)
{
    for (;;) {
        const int code = try_reap(handle, urb);
        if (!code || !wait || errno != EAGAIN)
            return code;
        struct pollfd ready = {.fd = handle->fd, .events = POLLIN};
        if (real_poll(&ready, 1, -1) < 0)
            return -1;
    }
}
