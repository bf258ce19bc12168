# shellcheck shell=bash
# The commands of the documents, for scripts that carry out what app/documents/documents_test cannot paste. A script asks
# for each by a pattern, so it runs what the document says; app/documents/runners_test fails for a command that no script
# asks for. Needs `fault TEXT`.

documents_root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P)

# documents_commands: those behind a prompt in a fenced block, without it and their comment, and all that stands in `...`
# in the text; each once.
# shellcheck disable=SC2016 # of sed
documents_commands() {
    find "$documents_root"/{README,CONTRIBUTING}.md "$documents_root"/{app,core,gui,packaging,tests,workers} -name '*.md' \
        -exec awk '
            FNR == 1 { block = 0; print "" }
            /^```/ { block = !block; print ""; next }
            block && match($0, /^([A-Za-z0-9_\/-]*[$]|#) /) { print substr($0, RLENGTH + 1) }
            !block { sub(/^ +/, ""); printf "%s ", $0 }
            END { print "" }' {} + |
        sed -E -e 's/ {2,}# .*$//' -e 's/`([^`]+)`/\n\1\n/g' | sort -u
}

# said PATTERN: prints the only command of the documents that matches the pattern.
said() {
    local line found=()
    while IFS= read -r line; do
        # shellcheck disable=SC2053 # a pattern
        [[ $line != $1 ]] || found+=("$line")
    done < <(documents_commands)
    ((${#found[@]} == 1)) || fault "${#found[@]} commands of the documents match '$1': ${found[*]}"
    printf '%s\n' "${found[0]}"
}
