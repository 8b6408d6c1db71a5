# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# bash completion of phasebench. Verbs and options come from the help of the program itself, so they are always its own.

# The words of a help text that begin its lines: verbs of `help`, options of `help VERB`.
_phasebench_verbs() { "$1" --help 2>/dev/null | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p' | grep -v '^phasebench$'; }
_phasebench_options() { "$1" help "$2" 2>/dev/null | sed -n 's/^  \(-h, \)\{0,1\}\(--[a-z-]*\).*/\2/p'; }

# Names of the shipped scenarios.
_phasebench_scenarios() { "$1" run --list 2>/dev/null | sed 's/ .*//'; }

_phasebench() {
    local program=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} verb=${COMP_WORDS[1]}
    local words=
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        words="$(_phasebench_verbs "$program") help --help --version"
    elif [ "$verb" = help ]; then
        [ "$COMP_CWORD" -ne 2 ] || words=$(_phasebench_verbs "$program")
    else
        case $previous in
        --rule) words='ecube opportunistic' ;;
        --rig) words='sim: vusb: ftdi: tty:/dev/' ;;
        --capture) words='auto edges bytes' ;;
        --network) words='cube: generalised:' ;;
        --traffic) words='xor: complement bitrev transpose shuffle perm: uniform: hotspot: total file:' ;;
        --out | --usb) mapfile -t COMPREPLY < <(compgen -d -- "$word") && return ;;
        --html | --junit | --csv | --record | --record-usb) mapfile -t COMPREPLY < <(compgen -f -- "$word") && return ;;
        --[a-z]*-hz | --*-bytes | --*-us | --baud | --birth | --dims | --node | --ppm | --seed | --superframes | --timeout | --trace-at | --jobs | --boards | --usb-options) return ;;
        *)
            case $word in
            -*) words=$(_phasebench_options "$program" "$verb") ;;
            *)
                case $verb in
                run) words=$(_phasebench_scenarios "$program") ;;
                esac
                mapfile -t COMPREPLY < <(compgen -f -- "$word")
                ;;
            esac
            ;;
        esac
    fi
    COMPREPLY+=($(compgen -W "$words" -- "$word"))
}
complete -o filenames -F _phasebench phasebench
