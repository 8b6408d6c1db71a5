#compdef phasebench
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# zsh completion of phasebench. What is possible comes from the program itself (host/cli/complete.c).

local line word
local -a list open option
for line in ${(f)"$($words[1] complete "${(@)words[2,CURRENT]}" 2>/dev/null)"}; do
    word=${line%%$'\t'*}
    case $word in
    :folder) _files -/ ;;
    :file) _files ;;
    *[:/]) open+=($word) ;; # more follows
    *) list+=("${word//:/\\:}:${line#*$'\t'}") ;;
    esac
done
(( ! $#open )) || compadd -S '' -a open
[[ $words[CURRENT] != -* ]] || option=(-o)
(( ! $#list )) || _describe $option 'phasebench' list
