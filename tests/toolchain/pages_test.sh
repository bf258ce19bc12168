#!/usr/bin/env bash
# pages_test.sh DROVER CONSOLE PAGES: the man pages that the build has made. Each is free of warnings, and each command
# and option is in one.
set -u
drover=$1
console=$2
pages=$3/share/man/man1
export LC_ALL=C.UTF-8 MANWIDTH=80 QT_QPA_PLATFORM=offscreen

fault() {
    printf '%s\n' "$@"
    exit 1
}

if ! command -v man >/dev/null; then
    echo "SKIP   : man is not installed"
    exit 0
fi
[[ -f $pages/drover.1.gz && -f $pages/drover-bench.1.gz ]] || fault "there are no pages in $pages"
seen=$(mktemp)
trap 'rm -f -- "$seen"' EXIT
for page in "$pages"/*.1.gz; do
    said=$(man --warnings --local-file "$page" 2>&1 >"$seen") || fault "$page cannot be shown:" "$said"
    [[ -z $said ]] || fault "$page:" "$said"
    said=$(col -bx <"$seen" | awk 'length > 80')
    [[ -z $said ]] || fault "$page has lines of more than 80 columns:" "$said"
done

# shown PAGE: its text without hyphenation and line breaks.
shown() { man --nh --nj --local-file "$pages/$1.1.gz" 2>/dev/null | col -b | tr -s '[:space:]' ' '; }

# Every command that the help names, in the lines "  name   summary".
main=$(shown drover)
count=0
while read -r name; do
    [[ $main == *" $name "* ]] || fault "drover(1) does not name $name"
    [[ -f $pages/drover-${name%% *}.1.gz ]] || fault "there is no page for drover $name"
    ((count += 1))
done < <("$drover" help | sed -nE '/^Options/q; s/^  ([a-z]+([ -][a-z]+)*)(  .*|)$/\1/p')
((count > 50)) || fault "the help names only $count commands"

# Every option of some commands, and of the console, with its text.
# has_options PAGE COMMAND...
has_options() {
    local text option
    text=$(shown "$1")
    shift
    while read -r option; do
        [[ $text == *" $option "* ]] || fault "the page for $* does not say: $option"
    done < <("$@" --help | awk '
        /^Options:/ { options = 1; next }
        !options { next }
        /^  -/ { if (option != "") print option; option = $0; next }
        /^          / { option = option " " $0; next }
        { exit }
        END { if (option != "") print option }' | tr -s ' ' | sort -u)
}
has_options drover-submit "$drover" submit
has_options drover-worker "$drover" worker
has_options drover-console "$console"
submit=$(shown drover-submit)
[[ $submit == *"SEE ALSO drover-run(1), drover-wait(1), "* ]] || fault "$submit"
[[ $submit == *"EXAMPLES drover submit "* && $submit == *"EXIT STATUS 0 success"* ]] || fault "$submit"
