#!/usr/bin/env python3
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
"""Runs a scenario on the simulated bench and prints the verdict and each finding; exits like phasebench run:
python3 verdict.py SCENARIO.yaml. The library is found as the dynamic linker finds it."""
import ctypes
import json
import os
import sys
import tempfile

DIAG_BYTES = 320  # struct pb_diag
OPTIONS_BYTES = 256  # more than struct pb_run_options has; all zero: the defaults, which is the rig sim:

phasebench = ctypes.CDLL("libphasebench.so.0")
libc = ctypes.CDLL(None)
libc.fdopen.restype = ctypes.c_void_p


def report(result):
    """The result as docs/reference/result.schema.json describes it."""
    with tempfile.TemporaryFile() as file:
        stream = ctypes.c_void_p(libc.fdopen(os.dup(file.fileno()), b"w"))
        code = phasebench.pb_report_json(stream, result)
        if libc.fclose(stream) or code:
            sys.exit("the report cannot be written")
        file.seek(0)
        return json.load(file)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: verdict.py SCENARIO.yaml")
    diag = ctypes.create_string_buffer(DIAG_BYTES)
    scenario, result = ctypes.c_void_p(), ctypes.c_void_p()
    code = phasebench.pb_scenario_load(ctypes.byref(scenario), os.fsencode(sys.argv[1]), diag)
    if not code:
        options = ctypes.create_string_buffer(OPTIONS_BYTES)
        code = phasebench.pb_run(ctypes.byref(result), scenario, options, diag)
    if code:
        print(diag.value.decode(), file=sys.stderr)
        return phasebench.pb_error_exit_code(code)
    got = report(result)
    print(got["verdict"])
    for finding in got["findings"]:
        print(finding["id"])
    phasebench.pb_result_free(result)
    phasebench.pb_scenario_free(scenario)
    return {"pass": 0, "marginal": 0, "fail": 1, "inconclusive": 5}[got["verdict"]]


sys.exit(main())
