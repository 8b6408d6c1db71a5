# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# fish completion of phasebench. What is possible comes from the program itself (host/cli/complete.c).

function __phasebench
    set -l words (commandline -opc) "$(commandline -ct)"
    for line in ($words[1] complete $words[2..] 2>/dev/null)
        switch $line
            case :folder
                __fish_complete_directories "$words[-1]"
            case :file
                __fish_complete_path "$words[-1]"
            case '*'
                echo $line
        end
    end
end

complete -c phasebench -f -a '(__phasebench)'
