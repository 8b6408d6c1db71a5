# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# fish completion of phasebench. Verbs and options come from the help of the program itself, so they are always its own.

# "name<tab>description" of the lines of a help text that begin with a verb
function __phasebench_verbs
    phasebench --help 2>/dev/null | string replace -rf '^  ([a-z]+) +(.*)' '$1\t$2' | string match -rv '^phasebench\t'
end

# the same for the options of the verb on the command line
function __phasebench_options
    set -l words (commandline -opc)
    phasebench help $words[2] 2>/dev/null | string replace -rf '^  (?:-h, )?(--[a-z-]+) *(.*)' '$1\t$2'
end

# "name<tab>description" of the shipped scenarios
function __phasebench_scenarios
    phasebench run --list 2>/dev/null | string replace -r '^(\S+) +(.*) \(.*\)$' '$1\t$2'
end

# the word before the one that is completed, when it is one of these
function __phasebench_after
    contains -- (commandline -opc)[-1] $argv
end

set -l valued --rule --rig --network --capture --traffic --out --usb --boards --usb-options --html --junit --csv --record --record-usb --trace-at --jobs --seed --superframes --timeout --dims --node --birth --phase-hz --baud --guard-us --header-bytes --check-bytes --payload-bytes --ppm

complete -c phasebench -f
complete -c phasebench -n '__fish_is_nth_token 1' -a '(__phasebench_verbs)'
complete -c phasebench -n '__fish_is_nth_token 1' -a 'help\t"options, exit codes and examples of a verb" --help --version'
complete -c phasebench -n '__fish_is_nth_token 2; and __fish_seen_subcommand_from help' -a '(__phasebench_verbs)'
complete -c phasebench -n "not __fish_is_nth_token 1; and not __fish_seen_subcommand_from help; and not __phasebench_after $valued; and string match -q -- '-*' (commandline -ct)" -a '(__phasebench_options)'
complete -c phasebench -n "__fish_seen_subcommand_from run report compare; and not __phasebench_after $valued" -F
complete -c phasebench -n "__fish_seen_subcommand_from run; and not __phasebench_after $valued" -a '(__phasebench_scenarios)'
complete -c phasebench -n '__phasebench_after --rule' -a 'ecube opportunistic'
complete -c phasebench -n '__phasebench_after --capture' -a 'auto edges bytes'
complete -c phasebench -n '__phasebench_after --rig' -a 'sim: "sim:?port=uart" "sim:?clock=12MHz" vusb: "vusb:?mode=syncfifo" ftdi: tty:/dev/'
complete -c phasebench -n '__phasebench_after --network' -a 'cube: generalised:'
complete -c phasebench -n '__phasebench_after --traffic' -a 'xor: complement bitrev transpose shuffle perm: uniform: hotspot: total file:'
complete -c phasebench -n '__phasebench_after --out --usb --html --junit --csv --record --record-usb' -F
