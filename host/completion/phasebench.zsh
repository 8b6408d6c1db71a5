#compdef phasebench
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# zsh completion of phasebench. Verbs and options come from the help of the program itself, so they are always its own.

local program=$words[1] verb=$words[2] previous=$words[CURRENT-1]
local -a list

# "name:description" of the lines of a help text that begin with a verb or an option
_phasebench_verbs() { $program --help 2>/dev/null | sed -n 's/^  \([a-z][a-z]*\)  *\(.*\)/\1:\2/p' | grep -v '^phasebench:' }
_phasebench_options() {
    $program help $verb 2>/dev/null | sed -n 's/^  \(-h, \)\{0,1\}\(--[a-z-]*\) *\([A-Za-z]* *\)\(.*\)/\2:\3\4/p'
}

if (( CURRENT == 2 )); then
    list=(${(f)"$(_phasebench_verbs)"} 'help:options, exit codes and examples of a verb' '--help:this text' '--version:version and register map')
    _describe 'verb' list
elif [[ $verb == help ]]; then
    list=(${(f)"$(_phasebench_verbs)"})
    (( CURRENT > 3 )) || _describe 'verb' list
elif [[ $words[CURRENT] == -* ]]; then
    list=(${(f)"$(_phasebench_options)"})
    _describe -o 'option' list
else
    case $previous in
    --rule) compadd ecube opportunistic ;;
    --capture) compadd auto edges bytes ;;
    --rig) compadd sim: 'sim:?port=uart' 'sim:?clock=12MHz' vusb: 'vusb:?mode=syncfifo' ftdi: tty:/dev/ ;;
    --network) compadd -S '' cube: generalised: ;;
    --traffic) compadd -S '' xor: perm: uniform: hotspot: file: && compadd complement bitrev transpose shuffle total ;;
    --out | --usb) _files -/ ;;
    --html | --junit | --csv | --record | --record-usb) _files ;;
    --*-hz | --*-bytes | --*-us | --baud | --birth | --dims | --node | --ppm | --seed | --superframes | --timeout | --trace-at | --jobs | --boards | --usb-options) ;;
    *)
        if [[ $verb == run ]]; then
            list=(${(f)"$($program run --list 2>/dev/null | sed 's/ .*//')"})
            compadd -a list
        fi
        _files
        ;;
    esac
fi
