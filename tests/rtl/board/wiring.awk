# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# The pin tables of docs/start/wiring.md from the constraints. Usage: awk -f tests/rtl/board/wiring.awk constraints/*.pcf
# helps: tests/rtl/board/labels.py tests/rtl/board/electrical.py tests/pictures.py
FNR == 1 {
    title = ""
}
/^# / && !/SPDX/ && title == "" {
    title = substr($0, 3)
    sub(/[.:].*/, "", title)
    printf "%s#### %s\n\n| header pin | FPGA pin | signal | direction | pull | volts | series resistor |\n|---|---|---|---|---|---|---|\n", n++ ? "\n" : "", title
}
/^set_io/ {
    order = comment = $0
    sub(/ *#.*/, "", order)
    sub(/^[^#]*# */, "", comment)
    words = split(order, w, / +/)
    fields = split(comment, f, /; */)
    if (fields != 5) {
        printf "%s:%d: five fields after #, not %d\n", FILENAME, FNR, fields > "/dev/stderr"
        exit 1
    }
    printf "| %s | %s | `%s` | %s | %s | %s | %s |\n", f[1], w[words], w[words - 1], f[2], f[3], f[4], f[5]
}
