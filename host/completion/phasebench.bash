# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# bash completion of phasebench. What is possible comes from the program itself (host/cli/complete.c).

_phasebench() {
    local word=${COMP_WORDS[COMP_CWORD]} line words= files=
    COMPREPLY=()
    while read -r line; do
        case $line in
        :folder) files=-d ;;
        :file) files=-f ;;
        *) words+=" ${line%%$'\t'*}" ;;
        esac
    done < <("${COMP_WORDS[0]}" complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    [ -z "$files" ] || mapfile -t COMPREPLY < <(compgen "$files" -- "$word")
    COMPREPLY+=($(compgen -W "$words" -- "$word"))
}
complete -o filenames -F _phasebench phasebench
