/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "history_keep.h"

#include "cli.h"

#include "host/base/utf8.h"
#include "host/production/history/images.h"

#include "phasebench/rig.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- options */

const char *history_default(void)
{
    const char *path = getenv(HISTORY_ENVIRONMENT);
    return path && *path ? path : NULL;
}

int history_check_place(const char *place)
{
    struct pb_diag diag;
    return cli_outcome(pb_history_check_place(place, &diag), &diag);
}

static int check_label(const char *option, const char *label)
{
    char clean[3 * PB_HISTORY_LABEL_SIZE];
    if (!label)
        return CLI_PASS;
    pb_utf8_clean(clean, sizeof clean, label);
    if (*label && strlen(label) < PB_HISTORY_LABEL_SIZE && !strcmp(clean, label))
        return CLI_PASS;
    return cli_fail(CLI_USAGE, "--%s is '%.80s'; give 1 to %d printable bytes", option, label,
                    PB_HISTORY_LABEL_SIZE - 1);
}

int history_spool(const char **spool, const char *place)
{
    const char *usual = getenv(HISTORY_SPOOL_ENVIRONMENT);
    if (*spool && !pb_history_is_url(place))
        return cli_fail(CLI_USAGE,
                        "--spool keeps runs for a server, and the history '%.100s' is a file; leave --spool "
                        "out, or give --history postgresql://...",
                        place);
    if (*spool && !**spool)
        return cli_fail(CLI_USAGE, "--spool is ''; give the path of a file");
    if (!*spool && usual && *usual)
        *spool = usual;
    return CLI_PASS;
}

static struct pb_history_target target_of(const struct history_options *options)
{
    return (struct pb_history_target){.place = options->path,
                                      .spool = options->spool,
                                      .patience_ms = PB_HISTORY_PATIENCE_MS,
                                      .offline = options->offline};
}

int history_reach(struct history_options *options)
{
    if (!options->path)
        return CLI_PASS;
    static struct pb_history_kept kept;
    struct pb_diag diag;
    const struct pb_history_target target = target_of(options);
    const int code = pb_history_try(&target, &kept, &diag);
    if (code)
        return cli_outcome(code, &diag);
    options->offline = kept.spooled;
    return kept.spooled ? cli_fail(CLI_PASS,
                                   "%s; the runs wait in spool '%s' (%zu before them) until the next "
                                   "--history or --deliver reaches the server",
                                   kept.cause.text, kept.spool, kept.waiting)
                        : CLI_PASS;
}

int history_check_labels(struct history_options *options, const char *unit_option)
{
    int exit_code = check_label(unit_option, options->unit);
    if (exit_code == CLI_PASS)
        exit_code = check_label("operator", options->operator_name);
    if (exit_code == CLI_PASS)
        exit_code = check_label("station", options->station);
    if (exit_code == CLI_PASS && !options->station &&
        gethostname(options->host, sizeof options->host - 1) == 0)
        options->station = options->host;
    return exit_code;
}

int history_check(struct history_options *options)
{
    const char *given = options->unit            ? "unit"
                        : options->operator_name ? "operator"
                        : options->station       ? "station"
                        : options->spool         ? "spool"
                                                 : NULL;
    if (options->path && !*options->path)
        return cli_fail(CLI_USAGE, "--history is ''; give the path of a file, or postgresql://...");
    if (!options->path)
        options->path = history_default();
    if (!options->path)
        return given ? cli_fail(CLI_USAGE,
                                "--%s is of a run that is stored, and none is; give --history PLACE, or "
                                "set " HISTORY_ENVIRONMENT,
                                given)
                     : CLI_PASS;
    int exit_code = history_check_place(options->path);
    if (exit_code == CLI_PASS)
        exit_code = history_check_labels(options, "unit");
    if (exit_code == CLI_PASS)
        exit_code = history_spool(&options->spool, options->path);
    return exit_code;
}

/* ---- storing */

void history_look(struct history_images *images, const struct pb_scenario *scenario, const char *rig_url)
{
    images->count = pb_rig_target_of(rig_url).in_process ? scenario->node_count : 0;
    if (images->count)
        pb_history_look(images->node, scenario);
}

static struct pb_history_labels labels_of(const struct history_options *options,
                                          const struct history_images *images)
{
    return (struct pb_history_labels){.unit = options->unit,
                                      .station = options->station,
                                      .operator_name = options->operator_name,
                                      .image = images->node,
                                      .images = images->count};
}

/* Reports the outcome for a run. An error that needs an action of the operator fails the bench, although
 * nothing is lost. */
static int say(int code, const struct pb_history_kept *kept, const struct pb_diag *diag)
{
    const int exit_code = kept->code && kept->code != PB_ERR_IO ? CLI_BENCH_FAILED : CLI_PASS;
    if (code && kept->code)
        return cli_fail(CLI_BENCH_FAILED, "%s; and the run cannot wait: %s", kept->cause.text, diag->text);
    if (code)
        return cli_fail(CLI_BENCH_FAILED, "%s", diag->text);
    if (kept->code && kept->spooled)
        return cli_fail(exit_code,
                        "%s; the run waits in spool '%s' (%zu in all) until the next --history or --deliver "
                        "reaches the server",
                        kept->cause.text, kept->spool, kept->waiting);
    if (kept->code)
        return cli_fail(exit_code, "%s; %zu runs still wait in spool '%s'", kept->cause.text, kept->waiting,
                        kept->spool);
    return kept->delivered ? cli_fail(CLI_PASS, "history: delivered %zu runs from spool '%s', %zu wait",
                                      kept->delivered, kept->spool, kept->waiting)
                           : CLI_PASS;
}

/* One of result and validation is NULL. */
static int keep(const struct history_options *options, const struct history_images *images,
                const struct pb_result *result, const struct pb_validation *validation)
{
    const struct pb_history_target target = target_of(options);
    const struct pb_history_labels labels = labels_of(options, images);
    static struct pb_history_kept kept;
    struct pb_diag diag;
    if (!options->path)
        return CLI_PASS;
    const int code = result ? pb_history_keep(&target, result, &labels, &kept, &diag)
                            : pb_history_keep_validation(&target, validation, &labels, &kept, &diag);
    return say(code, &kept, &diag);
}

int history_keep(const struct history_options *options, const struct history_images *images,
                 const struct pb_result *result)
{
    return keep(options, images, result, NULL);
}

int history_keep_validation(const struct history_options *options, const struct history_images *images,
                            const struct pb_validation *validation)
{
    return keep(options, images, NULL, validation);
}
