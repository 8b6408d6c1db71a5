#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Installs into a staging folder and tests what a user gets: program, library, headers, pkg-config, manual pages, completions,
# and that uninstall leaves nothing. Prints TAP. Usage, from the top of the tree, after `make all`: run.sh BUILD-DIR
# covers: host/include host/install.sh host/completion host/libphasebench.map docs/man docs/examples mk/host.mk
build=${1:?usage: run.sh BUILD-DIR}
top=$(pwd)
stage=$(mktemp -d) || exit 4
trap 'rm -rf "$stage"' EXIT
trap 'exit 130' INT TERM
prefix=/opt/phasebench
root=$stage$prefix
log=$stage.log
count=0

# point NAME STATUS
point() {
    count=$((count + 1))
    if [ "$2" -eq 0 ]; then
        echo "ok $count - $1"
    else
        echo "not ok $count - $1"
        [ ! -s "$log" ] || sed 's/^/#   /' "$log" | head -n 20
    fi
    : > "$log"
}

# same NAME: the files wanted and got hold the same lines, in any order
same() {
    sort -u "$stage/wanted" > "$stage/wanted.sorted"
    sort -u "$stage/got" > "$stage/got.sorted"
    diff "$stage/wanted.sorted" "$stage/got.sorted" > "$log" && [ -s "$stage/wanted.sorted" ]
    point "$1" $?
}

host/install.sh install "$build" "$prefix" "$stage" > "$log" 2>&1
point 'staged install' $?
program=$root/bin/phasebench

grep -rlaF "$top/" "$root" > "$log"
[ ! -s "$log" ]
point 'no installed file names the folder in which it was built' $?
# ---------------------------------------------------------------- program
(cd "$stage" && "$program" run cube4-ref --quiet --out "$stage/out") > "$log" 2>&1
point 'the installed program runs an installed scenario by its bare name' $?
grep -q "share/phasebench/scenarios/cube4-ref.yaml" "$stage/out/result.json"
point 'and says where it is' $?
(cd "$stage" && "$program" run broken/silent --quiet --out "$stage/out") > "$log" 2>&1
[ $? -eq 1 ]
point 'a broken one, too' $?
python3 tests/cli/page_links.py "$stage/out/report.html" share/doc/phasebench/reference/measurements.md > "$log" 2>&1
point 'a page leads to the installed manual' $?
rm -rf "$stage/out"
cmp host/production/limits/default.yaml "$root/share/phasebench/limits/default.yaml" > "$log" 2>&1
point 'the limits of a validation are installed, to copy' $?

# ---------------------------------------------------------------- library
for header in "$root"/include/phasebench/*.h; do
    name=phasebench/$(basename "$header")
    printf '#include "%s"\nint unused;\n' "$name" > "$stage/header.c"
    for language in 'c -std=c11' 'c++ -std=c++11'; do
        # shellcheck disable=SC2086 # a language and its standard
        ${CC:-cc} -x $language -Wall -Wextra -Werror -I "$root/include" -c "$stage/header.c" -o "$stage/header.o" > "$log" 2>&1
        point "<$name> stands alone in ${language% *}" $?
    done
done
export PKG_CONFIG_PATH="$root/lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$stage"
[ "$(pkg-config --modversion phasebench)" = "$(cat VERSION)" ]
point 'pkg-config knows the version' $?

# What the headers declare, the shared library exports and the archive shows; neither has anything else.
cat "$root"/include/phasebench/*.h | sed 's|/\*.*||; s|^ \*.*||' | grep -v '^static inline\|^typedef\|^#\|^return\|^ \|^}' |
    grep -o '\<pb_[a-z0-9_]*(' | tr -d '(' > "$stage/wanted"
nm -D --defined-only "$root/lib/libphasebench.so" | sed 's/.* //' > "$stage/got"
same 'the shared library exports the functions of the headers'
nm -g --defined-only "$root/lib/libphasebench.a" | sed -n 's/^[0-9a-f]* [A-Z] //p' > "$stage/got"
same 'the archive has the same symbols'
readelf -d "$root/lib/libphasebench.so" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p' > "$stage/got"
echo "libphasebench.so.$(cut -d. -f1 VERSION)" > "$stage/wanted"
same 'its soname has the major version'

export LD_LIBRARY_PATH="$root/lib"
examples=$root/share/doc/phasebench/examples
scenarios=$root/share/phasebench/scenarios

# example NAME STATUS PRINTED COMMAND...: an example runs, exits so and prints that
example() {
    name=$1 status=$2 printed=$3
    shift 3
    (cd "$stage" && "$@") > "$log" 2>&1
    [ $? -eq "$status" ] && [ "$(cat "$log")" = "$printed" ]
    point "$name" $?
}
# shellcheck disable=SC2046 # flags are several words
(cd "$stage" && ${CC:-cc} -std=c11 -Wall -Wextra -Werror $(pkg-config --cflags phasebench) "$examples/bound.c" \
    $(pkg-config --libs phasebench) -o bound) > "$log" 2>&1
point 'bound.c builds with pkg-config alone' $?
# In dimension order the complement uses each directed link once.
example 'bound: complement' 0 '4096 messages, at most 1 on one link: 1 superframe(s) of 24 phases' ./bound complement
# shellcheck disable=SC2046
(cd "$stage" && ${CXX:-c++} -std=c++11 -Wall -Wextra -Werror $(pkg-config --cflags phasebench) "$examples/verdict.cpp" \
    $(pkg-config --libs phasebench) -o verdict) > "$log" 2>&1
point 'verdict.cpp builds with pkg-config alone' $?
# shellcheck disable=SC2046
(cd "$stage" && ${CXX:-c++} -std=c++11 $(pkg-config --cflags phasebench) "$examples/verdict.cpp" "$root/lib/libphasebench.a" \
    $(pkg-config --static --libs-only-l phasebench | sed 's/-lphasebench//') -o verdict-static) > "$log" 2>&1
point 'and with the archive' $?
for verdict in ./verdict ./verdict-static "python3 $examples/verdict.py"; do
    # shellcheck disable=SC2086 # an interpreter and its file
    example "$(basename "$verdict"): a sound node" 0 pass $verdict "$scenarios/cube4-ref.yaml"
    # shellcheck disable=SC2086
    (cd "$stage" && $verdict "$scenarios/broken/silent.yaml") > "$stage/printed" 2>&1
    [ $? -eq 1 ] && head -n 1 "$stage/printed" | grep -qx fail && sed -n '2,$p' "$stage/printed" | grep -qx missing_frame
    point "$(basename "$verdict"): a silent one" $?
done
# A program that uses libphasebench has another one load the libraries of nodes.
# The commands of docs/start/your-firmware.md, word for word; only the warnings are added.
cc() {
    # shellcheck disable=SC2086 # a compiler and its options
    command ${CC:-cc} -std=c11 -Wall -Wextra -Werror "$@"
}
for library in my_firmware my_pins; do
    build_it=$(sed -n "s/^    \\$ \(cc .* $library\.c\)\$/\1/p" docs/start/your-firmware.md)
    in_tree=$(echo "$build_it" | sed "s|\$([^)]*)|-I '$top/host/include'|")
    (cd "$stage" && cp "$examples/$library.yaml" "$examples/$library.c" "$examples/phasebench_node.h" . && [ -n "$build_it" ] && eval "$in_tree") > "$log" 2>&1
    point "$library.c builds by the command of your-firmware.md, in the tree" $?
    (cd "$stage" && rm -f $library.so && eval "$build_it" && [ -s $library.so ]) > "$log" 2>&1
    point "$library.c builds by the command of your-firmware.md, with pkg-config alone" $?
    example "$library: phasebench in PATH" 0 pass env PATH="$root/bin:$PATH" ./verdict $library.yaml
    example "$library: PHASEBENCH" 0 pass env PHASEBENCH="$program" ./verdict $library.yaml
done
unset LD_LIBRARY_PATH
# Scenarios are read and analysed by objects that need neither the Verilated models nor C++.
printf '%s\n' '#include <phasebench/network.h>' '#include <phasebench/scenario.h>' 'int main(int argc, char **argv)' '{' \
    '    struct pb_scenario *scenario;' \
    '    return argc > 1 && pb_network_cube(12).nodes > 1 && pb_scenario_load(&scenario, argv[1], NULL);' '}' > "$stage/reader.c"
${CC:-cc} -std=c11 -Wall -Wextra -Werror -I "$root/include" "$stage/reader.c" "$build/libphasebench.a" -lyaml -lm \
    -o "$stage/reader" > "$log" 2>&1 && "$stage/reader" host/scenarios/broken/wrong-order.yaml > "$log" 2>&1
point 'a program that only reads scenarios links without the simulation' $?

# ---------------------------------------------------------------- manual pages
for page in "$root"/share/man/man?/*; do
    name=$(basename "$page")
    mandoc -Tlint -W warning "$page" > "$log" 2>&1
    point "$name: mandoc has no warning" $?
done
manual=$root/share/man/man1/phasebench.1
grep -q '^open_drain, push_pull: ' "$root/share/man/man5/phasebench-scenario.5" && grep -q '^nodes\[NODE\] ' "$manual"
point 'the manual pages write words of a scenario as they are' $?
verbs=$("$program" --help | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p' | grep -v '^phasebench$')

# The options of a verb, as its help lists them; all have -h and --help, which the manual names once.
options() { "$program" help "$1" | sed -n 's/^  \(--[a-z-]*\).*/\1/p'; }

echo "$verbs" > "$stage/wanted"
sed -n '/^\.Sh VERBS/,/^\.Sh [^V]/s/^\.Ss //p' "$manual" > "$stage/got"
same 'phasebench.1 has the verbs of the help, and no others'
for verb in $verbs; do
    options "$verb" > "$stage/wanted"
    echo none >> "$stage/wanted"
    { echo none; awk -v verb="$verb" '/^\.S[sh] / {here = $1 == ".Ss" && $2 == verb} here && $1 == ".It" && $2 == "Fl" {print "-" $3}' "$manual"; } > "$stage/got"
    same "phasebench.1: options of $verb"
done
"$program" --help | tr '\n' ' ' | grep -o '[0-9][0-9]* [a-z]' | sed 's/ .*//' | sort -u > "$stage/codes"
awk '/^\.Sh EXIT STATUS/ {here = 1} here && /^\.El/ {exit} here && /^\.It [0-9]/ {print $2}' "$manual" > "$stage/got"
cp "$stage/codes" "$stage/wanted"
same 'phasebench.1: exit codes of the help'

# The keys of a scenario: first column of the tables of docs/reference/scenario.md whose second is a range.
sed -n '/^# Scenario/,$ { /^| `[a-z_, `]*` |.*|.*|/p }' docs/reference/scenario.md | cut -d'|' -f2 | grep -o '[a-z_][a-z_]*' |
    grep -vx -e none > "$stage/words"
# Not the names of defects and freedoms, which the page of the scenario lists.
for list in defects freedoms; do
    sed -n 's/^    X([A-Z_0-9]*, "\([a-z_0-9]*\)".*/\1/p' bench/nodes/$list.h > "$stage/$list"
    [ -s "$stage/$list" ] || echo "bench/nodes/$list.h has no list" >&2
done
cat "$stage/defects" "$stage/freedoms" | grep -vxF -f - "$stage/words" > "$stage/keys"
for key in $(sort -u "$stage/keys"); do
    grep -Eq "(^|[ ,])$key( |,|$)" "$root/share/man/man5/phasebench-scenario.5" || echo "$key is not in phasebench-scenario.5"
done > "$log"
[ ! -s "$log" ] && [ -s "$stage/keys" ]
point 'phasebench-scenario.5 has every key of docs/reference/scenario.md' $?

# ---------------------------------------------------------------- completions
PATH=$root/bin:$PATH
export PATH
in_bash() { # WORD...: completes the last
    bash -c '. "$1"; shift; COMP_WORDS=(phasebench "$@"); COMP_CWORD=$#; _phasebench; printf "%s\n" "${COMPREPLY[@]}"' \
        bash "$root/share/bash-completion/completions/phasebench" "$@"
}
in_zsh() {
    timeout 30 tests/install/zsh-complete "$root/share/zsh/site-functions" "phasebench $*"
}
in_fish() {
    fish --no-config -c 'source $argv[1]; complete -C"phasebench $argv[2..]"' \
        "$root/share/fish/vendor_completions.d/phasebench.fish" "$@" | cut -f1
}
for shell in bash zsh fish; do
    { echo "$verbs"; echo help; } > "$stage/wanted"
    in_$shell '' | grep -v '^--' > "$stage/got"
    same "$shell: verbs"
    echo run > "$stage/wanted"
    in_$shell ru > "$stage/got"
    same "$shell: ru is run"
    for verb in $verbs; do
        { options "$verb"; echo --help; } > "$stage/wanted"
        in_$shell "$verb" -- > "$stage/got"
        same "$shell: options of $verb"
    done
    echo opportunistic > "$stage/wanted"
    in_$shell route 1 2 --rule o > "$stage/got"
    same "$shell: values of --rule"
    { echo "$verbs"; echo scenario; } > "$stage/wanted"
    in_$shell help '' > "$stage/got"
    same "$shell: verbs after help"
    printf '%s\n' auto bytes edges > "$stage/wanted"
    in_$shell run x.yaml --capture '' > "$stage/got"
    same "$shell: values of --capture"
    echo worked-example-up > "$stage/wanted"
    in_$shell run worked-example-u > "$stage/got"
    same "$shell: shipped scenarios"
    echo faults/babble > "$stage/wanted"
    in_$shell run faults/bab > "$stage/got"
    same "$shell: those of every folder"
    echo stuck_low > "$stage/wanted"
    in_$shell fault stuck > "$stage/got"
    same "$shell: kinds of fault"
    echo opportunistic > "$stage/wanted"
    in_$shell fault stuck_low oppo > "$stage/got"
    same "$shell: and then a scenario"
    echo hx8k-evn-tdc > "$stage/wanted"
    in_$shell flash hx8k-evn-t > "$stage/got"
    same "$shell: boards of flash"
done

# Not zsh: what its list of matches holds is nothing to the shell, so it tries files in place of folders.
mkdir -p "$stage/place/AUTHORS.d" && touch "$stage/place/AUTHORS"
for shell in bash fish; do
    echo AUTHORS.d > "$stage/wanted"
    in_$shell run --out "$stage/place/A" | sed 's|/$||; s|.*/||' > "$stage/got"
    same "$shell: folders for --out"
    printf '%s\n' AUTHORS AUTHORS.d > "$stage/wanted"
    in_$shell report "$stage/place/A" | sed 's|/$||; s|.*/||' > "$stage/got"
    same "$shell: files of report"
done

# ---------------------------------------------------------------- and away again
host/install.sh uninstall "$build" "$prefix" "$stage" > "$log" 2>&1
point 'uninstall' $?
find "$root" ! -type d > "$log"
find "$root" -mindepth 1 -name '*phasebench*' >> "$log"
[ ! -s "$log" ]
point 'uninstall leaves nothing' $?
! host/install.sh install "$build" relative "$stage" > "$log" 2>&1
point 'a relative prefix is refused' $?

# ---------------------------------------------------------------- blanks in the prefix
blank=$stage/a\ place
(host/install.sh install "$build" "$blank" && cd "$stage" && unset PKG_CONFIG_SYSROOT_DIR &&
    export PKG_CONFIG_PATH="$blank/lib/pkgconfig" &&
    eval "${CC:-cc} -std=c11 $(pkg-config --cflags phasebench) '$blank/share/doc/phasebench/examples/bound.c' \
        $(pkg-config --libs phasebench) -o blank" && [ -x blank ]) > "$log" 2>&1
point 'pkg-config quotes a prefix with blanks' $?

rm -f "$log"
echo "1..$count"
