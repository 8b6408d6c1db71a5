/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/base/file_output.h"

#include "host/base/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAMES_TRIED = 100 };

/* Creates a temporary file next to the file to replace, and sets `path`. -1: errno. */
static int make_beside(char path[PB_FILE_OUTPUT_SIZE], const char *wanted)
{
    for (unsigned i = 0; i < NAMES_TRIED; i++) {
        if (snprintf(path, PB_FILE_OUTPUT_SIZE, "%s.%ld-%u", wanted, (long)getpid(), i) >=
            PB_FILE_OUTPUT_SIZE) {
            errno = ENAMETOOLONG;
            return -1;
        }
        const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (file >= 0 || errno != EEXIST)
            return file;
    }
    return -1;
}

void pb_file_hold_signals(sigset_t *before)
{
    sigset_t wait;
    sigemptyset(&wait);
    sigaddset(&wait, SIGHUP);
    sigaddset(&wait, SIGINT);
    sigaddset(&wait, SIGTERM);
    sigprocmask(SIG_BLOCK, &wait, before);
}

int pb_file_output_check(struct pb_file_output *file, const char *path)
{
    char beside[PB_FILE_OUTPUT_SIZE];
    struct stat status;
    *file = (struct pb_file_output){.path = path};
    const bool exists = lstat(path, &status) == 0;
    file->direct = exists && !S_ISREG(status.st_mode);
    if (!file->direct) {
        sigset_t before;
        pb_file_hold_signals(&before);
        const int made = make_beside(beside, path), error = errno;
        if (made >= 0) {
            close(made);
            unlink(beside);
        }
        sigprocmask(SIG_SETMASK, &before, NULL);
        errno = error;
        if (made >= 0)
            return 0;
        if (!exists)
            return errno;
        file->direct = true; /* the file may be written to, its directory may not */
    }
    const bool dangles = stat(path, &status) != 0; /* a link to a file that is not there yet */
    /* A pipe that was opened and closed has ended for its reader: the second open would wait for another. */
    if (!dangles && S_ISFIFO(status.st_mode))
        return access(path, W_OK) == 0 ? 0 : errno;
    const int opened = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (opened < 0)
        return errno;
    close(opened);
    if (dangles)
        pb_drop_empty_file(path);
    return 0;
}

int pb_file_stream_begin(struct pb_file_stream *out, const struct pb_file_output *file)
{
    char *beside = out->beside;
    *out = (struct pb_file_stream){.file = *file};
    const int descriptor = file->direct ? open(file->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)
                                        : make_beside(beside, file->path);
    if (descriptor < 0)
        return -1;
    out->stream = fdopen(descriptor, "w");
    if (out->stream)
        return 0;
    const int error = errno;
    close(descriptor);
    if (!file->direct)
        unlink(beside);
    errno = error;
    return -1;
}

/* Where there are no hard links an exclusive name may replace a file. Returns 0, or -1 with errno. */
static int give_name(const struct pb_file_stream *out)
{
    if (out->file.exclusive && link(out->beside, out->file.path) == 0)
        return unlink(out->beside);
    if (out->file.exclusive && errno != EPERM && errno != EOPNOTSUPP)
        return -1;
    return rename(out->beside, out->file.path);
}

int pb_file_stream_end(struct pb_file_stream *out, bool failed, int error)
{
    const bool direct = out->file.direct;
    if (!failed && (fflush(out->stream) || ferror(out->stream) ||
                    (!direct && fsync(fileno(out->stream)) != 0 && errno != EINVAL))) {
        failed = true;
        error = errno;
    }
    if (fclose(out->stream) != 0 && !failed) {
        failed = true;
        error = errno;
    }
    out->stream = NULL;
    if (!failed && (direct || give_name(out) == 0))
        return 0;
    error = failed ? error : errno;
    if (direct)
        pb_drop_empty_file(out->file.path);
    else
        unlink(out->beside);
    errno = error;
    return -1;
}
