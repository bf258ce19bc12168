#!/usr/bin/env bash
# hardening_test.sh PROGRAM...: fails unless each was compiled and linked as packaging/cmake/DroverBuild.cmake says.
set -u
failed=0

fault() {
    echo "$program: $1"
    failed=1
}

for program; do
    header=$(readelf --wide --file-header "$program") || exit 1
    segments=$(readelf --wide --program-headers "$program")
    dynamic=$(readelf --wide --dynamic "$program")
    symbols=$(readelf --wide --dyn-syms "$program")

    [[ $header == *"DYN (Position-Independent Executable file)"* ]] || fault "no position-independent executable"
    [[ $segments == *GNU_RELRO* ]] || fault "relocations stay writable (-z relro)"
    [[ $dynamic =~ (BIND_NOW|FLAGS_1.*NOW) ]] || fault "symbols are bound when they are first used (-z now)"
    grep -q 'GNU_STACK.* RW ' <<<"$segments" || fault "the stack is executable (-z noexecstack)"
    [[ $symbols == *__stack_chk_fail* ]] || fault "no stack protector (-fstack-protector-strong)"
    [[ $symbols == *__glibcxx_assert_fail* ]] || [[ $program == *-runner ]] ||
        fault "the standard library checks nothing (-D_GLIBCXX_ASSERTIONS)"
    if LC_ALL=C grep -qa 'GNU C++20' "$program"; then # the compiler's options are among the debug information
        LC_ALL=C grep -qa -e -ftrivial-auto-var-init=zero "$program" ||
            fault "variables that are not set hold what was there before (-ftrivial-auto-var-init)"
    fi
    [[ $symbols =~ __[a-z]+_chk@ ]] || fault "nothing is checked (-D_FORTIFY_SOURCE)"
    if [[ $header == *X86-64* ]]; then
        # endbr64 at the begin of functions. A program without the option has two, of the C library's own objects. These
        # lack the note that turns the protection on, so the linker drops it.
        guarded=$(LC_ALL=C grep -oaP '\xf3\x0f\x1e\xfa' "$program" | wc -l)
        ((guarded > 100)) || fault "no control-flow protection (-fcf-protection)"
    fi
done
exit $failed
