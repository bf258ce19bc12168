#include "app/completion/shell_scripts.h"

#include <QMap>

namespace drover::app {

namespace {

// COMP_WORDS is cut at each of COMP_WORDBREAKS; here what stands together without a blank is one word again. What bash
// puts into the line takes the place of $2 alone, the end of that word: behind the last = or :, or an open quote. It
// goes in as it is, and any client may have created a znode called $(...): so all but plain words are quoted. Inside
// quotes no quoting would fit all words, so only plain words are offered. Bash itself quotes file names.
constexpr const char *Bash = R"script(# Completion of drover for bash. In ~/.bashrc:  eval "$(drover completion bash)"

_drover()
{
    local rest=${COMP_LINE:0:COMP_POINT} part blank at line
    local -a words=() begins=()
    for ((at = 0; at <= COMP_CWORD; ++at)); do
        part=${COMP_WORDS[at]}
        blank=${rest%%[![:space:]]*}
        rest=${rest:${#blank}}
        part=${part:0:${#rest}}
        rest=${rest:${#part}}
        if [[ -z $blank && ${#words[@]} -gt 1 ]]; then
            words[-1]+=$part
        else
            words+=("$part")
            begins+=("$at")
        fi
    done

    local word open cut filenames=
    local -a asked=() found=()
    _drover_unquote "${words[-1]%"$2"}"
    cut=$word
    for part in "${words[@]:1}"; do
        _drover_unquote "$part"
        asked+=("$word")
    done
    COMPREPLY=()
    while IFS= read -r line; do
        case $line in
            :files) filenames=1; compopt -o default -o filenames ;;
            :directories) filenames=1; compopt -o dirnames -o filenames ;;
            :nospace) compopt -o nospace ;;
            :program\ *) [[ ${line#* } == *[!0-9]* ]] || _drover_program "${line#* }" ;;
            :*) ;;
            *)
                line=${line%%$'\t'*}
                found+=("${line#"$cut"}")
                ;;
        esac
    done < <("$1" complete -- "${asked[@]}" 2>/dev/null)
    for word in "${found[@]}"; do
        if [[ -z $filenames && $word == *[![:alnum:]_./:=@%+,-]* ]]; then
            [[ -n $open ]] && continue
            printf -v word %q "$word"
        fi
        COMPREPLY+=("$word")
    done
}

# Sets word to what $1 of the line stands for, and open to the quote that it leaves open.
_drover_unquote()
{
    local rest=$1 char
    word= open=
    while [[ -n $rest ]]; do
        char=${rest:0:1}
        rest=${rest:1}
        if [[ -n $open && $char == "$open" ]]; then
            open=
        elif [[ -z $open && $char == [\"\'] ]]; then
            open=$char
        elif [[ $char == \\ && ( -z $open || $open == \" && ${rest:0:1} == [\"\\\$\`] ) ]]; then
            word+=${rest:0:1}
            rest=${rest:1}
        else
            word+=$char
        fi
    done
}

# The word $1 of the line, counted behind drover, begins another program's.
_drover_program()
{
    local first=$(($1 + 1))
    if declare -F _comp_command_offset >/dev/null; then
        _comp_command_offset "${begins[first]}"
    elif declare -F _command_offset >/dev/null; then
        _command_offset "${begins[first]}"
    elif ((first + 1 == ${#words[@]})); then
        compopt -o default
        mapfile -t COMPREPLY < <(compgen -c -- "${words[-1]}")
    else
        compopt -o default
    fi
}

complete -F _drover drover
)script";

constexpr const char *Zsh = R"script(#compdef drover
# Completion of drover for zsh: _drover in a directory of $fpath, or in ~/.zshrc behind compinit:
# source <(drover completion zsh)

_drover()
{
    local line word
    local -a asked described ending
    asked=("${(@)words[2,CURRENT-1]}" "$PREFIX")
    local program=${words[1]} files= directories= begins=
    for line in "${(@f)$("${(Q)program}" complete -- "${(@Q)asked}" 2>/dev/null)}"; do
        case $line in
            '') ;;
            :files) files=1 ;;
            :directories) directories=1 ;;
            :nospace) ending=(-S '') ;;
            :program\ *) [[ ${line#* } == *[^0-9]* ]] || begins=${line#* } ;;
            :*) ;;
            *)
                word=${line%%$'\t'*}
                word=${word//:/\\:}
                [[ $line == *$'\t'* ]] && word+=:${line#*$'\t'}
                described+=("$word")
                ;;
        esac
    done

    if [[ -n $begins ]]; then
        shift $((begins + 1)) words
        ((CURRENT -= begins + 1))
        _normal
        return
    fi
    local answer=1
    ((${#described})) && _describe -V drover described "${ending[@]}" && answer=0
    [[ $PREFIX == --*=* ]] && compset -P '*='
    [[ -n $files ]] && _files && answer=0
    [[ -n $directories ]] && _files -/ && answer=0
    return answer
}

if [[ $funcstack[1] == _drover ]]; then
    _drover "$@"
else
    compdef _drover drover
fi
)script";

constexpr const char *Fish = R"script(# Completion of drover for fish: ~/.config/fish/completions/drover.fish

function __drover_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program $words[1]
    set -l asked $words[2..-1] "$current"
    for line in (command $program complete -- $asked 2>/dev/null)
        switch $line
            case ':files'
                __fish_complete_path (string replace -r '^--[^=]*=' '' -- "$current")
            case ':directories'
                __fish_complete_directories (string replace -r '^--[^=]*=' '' -- "$current") ''
            case ':nospace'
            case ':program *'
                string match -qr '^:program [0-9]+$' -- $line; or continue
                set -l begins (math (string replace ':program ' '' -- $line) + 1)
                set -l before
                test $begins -lt (count $asked); and set before (string escape -- $asked[$begins..-2])
                complete -C (string join ' ' -- $before "$current")
            case ':*'
            case '*'
                printf '%s\n' $line
        end
    end
end

complete -c drover -f -a '(__drover_complete)'
)script";

const QMap<QString, const char *> &scripts()
{
    static const QMap<QString, const char *> all{
        {QStringLiteral("bash"), Bash}, {QStringLiteral("fish"), Fish}, {QStringLiteral("zsh"), Zsh}};
    return all;
}

} // namespace

QStringList completionShells()
{
    return scripts().keys();
}

QByteArray completionScript(const QString &shell)
{
    return scripts().value(shell);
}

} // namespace drover::app
