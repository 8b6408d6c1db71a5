/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "vusb.h"

#include "cli.h"
#include "runner.h"

#include "host/production/map/map.h"
#include "phasebench/rig.h"

#include <string.h>

static bool is_vusb(const char *url)
{
    return pb_rig_target_of(url).kind == PB_RIG_VUSB;
}

/* The first virtual board that takes part in a hardware map; NULL: none. The verb reports a map that
 * cannot be read. */
static const char *find_in_map(const char *path)
{
    static char found[PB_VUSB_URL_BYTES];
    struct pb_map *boards;
    struct pb_diag diag;
    if (pb_map_load(&boards, path, &diag))
        return NULL;
    for (size_t i = 0; i < pb_map_count(boards) && !*found; i++) {
        const struct pb_map_entry *entry = pb_map_entry(boards, i);
        if (entry->enabled && is_vusb(entry->rig) && !pb_vusb_is_private(entry->rig))
            snprintf(found, sizeof found, "%s", entry->rig);
    }
    pb_map_free(boards);
    return *found ? found : NULL;
}

static const char *virtual_url(const char *url)
{
    const unsigned path = pb_map_url(url);
    return path ? find_in_map(url + path) : is_vusb(url) ? url : NULL;
}

/* The first rig vusb: of --rig, or of the hardware map of --rig or --map; NULL: none. */
static const char *find_url(int argc, char **argv)
{
    const char *url = NULL;
    for (int i = 1; i < argc && !url; i++) {
        if (!strncmp(argv[i], "--rig=", 6))
            url = virtual_url(argv[i] + 6);
        else if (!strcmp(argv[i], "--rig") && i + 1 < argc)
            url = virtual_url(argv[i + 1]);
        else if (!strncmp(argv[i], "--map=", 6))
            url = find_in_map(argv[i] + 6);
        else if (!strcmp(argv[i], "--map") && i + 1 < argc)
            url = find_in_map(argv[i + 1]);
    }
    return url;
}

int vusb_preload(int argc, char **argv)
{
    const char *url = find_url(argc, argv);
    struct pb_diag diag;
    return cli_outcome(url ? pb_vusb_preload(url, argv, &diag) : PB_OK, &diag);
}

int vusb_check_url(const char *url)
{
    struct pb_diag diag;
    return cli_outcome_of("--rig", pb_vusb_check_url(url, &diag), &diag);
}

int vusb_begin(struct vusb *vusb, const char *url, const struct pb_scenario *scenario, unsigned timeout_s,
               struct pb_diag *diag)
{
    vusb->board.stop = runner_stop_flag();
    const int code = pb_vusb_begin(&vusb->board, url, scenario, timeout_s, diag);
    vusb->url = vusb->board.url;
    return code;
}

int vusb_open(struct vusb *vusb, struct pb_device **device, const char *url,
              const struct pb_scenario *scenario, struct pb_diag *diag)
{
    struct pb_transport *transport;
    *device = NULL;
    int code = vusb_begin(vusb, url, scenario, 0, diag);
    const struct pb_rig_options options = {.url = vusb->url, .stop = runner_stop_flag()};
    if (!code)
        code = pb_rig_open(&transport, &options, scenario, diag);
    return code ? code : pb_device_open(device, transport, diag);
}

void vusb_end(struct vusb *vusb)
{
    pb_vusb_end(&vusb->board);
}
