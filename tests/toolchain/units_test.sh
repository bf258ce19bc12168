#!/usr/bin/env bash
# units_test.sh SYSTEMD: what systemd says of the units in this folder. The programs that they name need not exist.
set -u
units=$1
scratch=$(mktemp -d)
trap 'rm -rf -- "$scratch"' EXIT

fault() {
    printf '%s\n' "$@"
    exit 1
}

if ! command -v systemd-analyze >/dev/null; then
    echo "SKIP   : systemd is not installed"
    exit 0
fi
sed 's|/usr/bin/drover|/bin/true|' -- "$units/drover-worker@.service" >"$scratch/drover-worker@.service"
cp -- "$units/drover.target" "$scratch"
# systemd 252 does not know DelegateSubgroup, and says so. Units that are not ours do not matter here.
said=$(systemd-analyze verify --man=no "$scratch/drover.target" "$scratch/drover-worker@main.service" 2>&1)
code=$?
said=$(grep -v "Unknown key.*'DelegateSubgroup'" <<<"$said" | grep -F drover)
[[ -z $said && $code -eq 0 ]] || fault "systemd-analyze verify: exit code $code" "$said"

# The worker has to end by itself before systemd kills it.
seconds() { sed -nE "s/.*$1[ =]([0-9]+)s.*/\1/p" -- "$units/drover-worker@.service"; }
grace=$(seconds --grace) most=$(seconds --max-grace) stop=$(seconds TimeoutStopSec)
((grace + most < stop)) || fault "TimeoutStopSec=$stop is too short for a grace of $grace s and one of $most s"

said=$(systemd-sysusers --dry-run "$units/sysusers.conf" 2>&1) || fault "systemd-sysusers:" "$said"
