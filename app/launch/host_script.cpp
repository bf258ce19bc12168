#include "app/launch/host_script.h"

#include <sstream>

#include <toml++/toml.h>

namespace drover::app {

namespace {

QByteArray quoted(QByteArray text)
{
    return '\'' + text.replace('\'', "'\\''") + '\'';
}

QByteArray assigned(const char *name, const QByteArray &value)
{
    return QByteArray(name) + '=' + quoted(value) + '\n';
}

// What a worker of the cluster is configured by, as TOML.
QByteArray configFile(const QString &connect, const QByteArray &cluster)
{
    std::ostringstream text;
    text << toml::table{{"connect", connect.toStdString()}, {"cluster", cluster.toStdString()}};
    return QByteArray::fromStdString(text.str());
}

// One launcher at a time changes a host; one that only looks does not wait. What a launcher starts does not hold the
// lock. A folder on a shared file system, such as a home directory, may be that of another machine's worker.
constexpr char Beginning[] = R"sh(
set -u
umask 077
fail() { printf 'failed %s\n' "$(printf '%s' "$*" | tr '\n' ' ')"; exit 0; }
for tool in flock setsid sha256sum tar; do
    command -v $tool >/dev/null || fail "$tool is missing here"
done
# The worker gets what the launch says, and not what this user tells his commands.
for name in $(env | sed -n 's/^\(DROVER_[A-Z0-9_]*\)=.*/\1/p'); do unset "$name"; done
case $prefix in /*) ;; *) prefix=$HOME/$prefix ;; esac
[ -z "$changes" ] || why=$(mkdir -p "$prefix" 2>&1) || fail "cannot make $prefix: ${why##*: }"
absent= place=$prefix
[ -d "$prefix" ] || absent=yes
while [ ! -d "$place" ]; do place=$(dirname "$place"); done
cd "$place" || fail "cannot enter $place"
[ -n "$absent" ] || [ -O . ] || fail "$prefix belongs to another user"
own() { [ -n "$absent" ] || cat "$1" 2>/dev/null; }
[ -z "$changes" ] || exec 9>lock
[ -z "$changes" ] || flock -w 60 9 || fail 'another drover launch is at work here'
other=$(own worker.toml | sed -n "s/^id = ['\"]\(.*\)['\"]\$/\1/p")
of=$(own config.toml | sed -n "s/^cluster = ['\"]\(.*\)['\"]\$/\1/p")
[ "${other:-$id} ${of:-$cluster}" = "$id $cluster" ] ||
    fail "$prefix is the folder of worker $other of cluster $of; stop that one, or give this one another prefix"
began() { sed -n 's/.*) [^ZX] /x /p' "/proc/$1/stat" 2>/dev/null | cut -d ' ' -f 20; }
alive() {
    pid=0 started= runs=-
    [ -z "$absent" ] && read -r pid started runs 2>/dev/null <worker.pid || { pid=0 runs=-; return 1; }
    [ -n "$started" ] && [ "$(began "$pid")" = "$started" ] || { pid=0 runs=-; return 1; }
}
# Of a tree: the libraries beside the programs in a folder, for whatever is started from now on.
use_libraries() { [ ! -d "$1/lib" ] || export LD_LIBRARY_PATH="$1/lib" QT_PLUGIN_PATH="$1/plugins"; }
last() { tail -n 1 worker.log | sed 's/^drover: //' | grep . || echo 'it wrote nothing'; }
)sh";

constexpr char FindPrograms[] = R"sh(
wanted=$(printf '%s\n' "$config" "$has_credentials" "$worker_file" | sha256sum | cut -c 1-16)
if [ -n "$release" ]; then
    program=$prefix/releases/$release/bin/drover
else
    program=$(command -v drover) || fail 'drover is not installed here; install the package, or say programs = "copy"'
    release=installed-$(sha256sum <"$program" | cut -c 1-12)
fi
use_libraries "${program%/*}"
)sh";

constexpr char Look[] = R"sh(
alive
has=no
[ -x "$program" ] && has=yes
settings=unknown
[ "$runs" = - ] || case $(own worker.settings) in '') ;; "$wanted") settings=same ;; *) settings=other ;; esac
printf 'state %s %s %s %s %s %s %s\n' "$release" $has "$runs" "$pid" "$(uname -sm | tr ' ' -)" \
    "$(df -Pk . | awk 'NR == 2 { print $4 }')" $settings
)sh";

// A launcher that is killed closes the archive early, which tar reports. What else is in a folder of this name stays.
constexpr char Install[] = R"sh(
alive
rm -rf releases/.new.*
for old in releases/*; do
    [ "$old" = "releases/$runs" ] || [ "$old" = "releases/$release" ] || [ ! -e "$old/bin/drover" ] || rm -rf "$old"
done
new=releases/.new.$$
trap 'rm -rf "$new"' EXIT
mkdir -p "$new/bin" || fail "cannot make $prefix/$new"
why=$(tar -xzf - -C "$new/bin" 2>&1) || fail "cannot unpack the programs: $why"
use_libraries "$prefix/$new/bin"
missing=$(ldd "$new"/bin/drover* 2>/dev/null | awk '/not found/ { print $1 }' | sort -u | tr '\n' ' ')
[ -z "$missing" ] ||
    fail "libraries are missing: $missing(the package drover depends on them all; programs = 'tree' copies them)"
why=$("$new/bin/drover" --version 2>&1) || fail "drover does not start here: $why"
rm -rf "releases/$release"
mv -T "$new" "releases/$release" || fail "cannot make $prefix/releases/$release"
echo installed
)sh";

// A worker that runs has read its files already.
constexpr char Prepare[] = R"sh(
[ -x "$program" ] || fail "the programs of $release are not here"
put() { printf '%s' "$2" >"$1.new" && mv "$1.new" "$1" || fail "cannot write $prefix/$1"; }
put worker.toml "$worker_file"
if [ -n "$credentials" ]; then
    put credentials "$credentials"
    config="$config
credentials = \"$(printf '%s' "$prefix" | sed 's/[\\"]/\\&/g')/credentials\""
fi
put config.toml "$config
"
why=$("$program" config check --config config.toml worker.toml 2>&1 >/dev/null) ||
    fail "$(printf '%s\n' "$why" | head -n 1 | sed 's/^drover: //')"
)sh";

constexpr char Reach[] = R"sh(
why=$("$program" cluster status --config config.toml 2>&1) || case $why in
    *' leader '* | *' follower '* | *' observer '* | *' standalone '*) ;; # one server that serves is enough
    *) fail "ZooKeeper does not serve this machine: $(printf '%s\n' "$why" | tail -n 1)" ;;
esac
)sh";

// The inner shell writes its own process id and becomes the worker: no worker is without a file that names it.
constexpr char Start[] = R"sh(
set -- "$program" worker --config "$prefix/config.toml" --policy "$prefix/worker.toml"
[ -n "$names_spool" ] || set -- "$@" --spool "$prefix/spool"
bound='--default log_size=10M' # installed programs may be too old to know it
! "$program" config check --config config.toml worker.toml $bound >/dev/null 2>&1 || set -- "$@" $bound
rm -f worker.pid
put worker.settings "$wanted"
[ ! -e worker.log ] || mv worker.log worker.log.1
setsid sh -c '
    began=$(sed "s/.*) [^ ]* /x /" /proc/$$/stat | cut -d " " -f 20)
    echo "$$ $began $1" >worker.pid.new && mv worker.pid.new worker.pid || exit
    shift
    cd
    exec "$@"' sh "$release" "$@" </dev/null >>worker.log 2>&1 9>&- &
tries=0
while [ $tries -lt $((seconds * 10)) ]; do
    if alive; then
        grep -q "^drover: worker $id: queues " worker.log && { echo "running $pid $runs"; exit 0; }
    elif [ -e worker.pid ] || [ $tries -gt 50 ]; then
        fail "$(last)"
    fi
    tries=$((tries + 1))
    sleep 0.1
done
alive && kill "$pid"
fail "it has not joined the cluster within $seconds s: $(last)"
)sh";

// Another launcher may have replaced the worker that was meant.
constexpr char Stop[] = R"sh(
stays() {
    state=$(sed 's/.*) //' "/proc/$pid/stat" 2>/dev/null | cut -c 1)
    [ "$state" != T ] || fail "process $pid is stopped by a signal: continue it (kill -CONT $pid)"
    grep -qs "^drover: worker $id: stopping.* for the jobs" worker.log worker.log.1 &&
        fail "process $pid has not ended within $seconds s; it still waits for its jobs"
    fail "process $pid has not ended within $seconds s, and does not say that it waits for jobs: see $prefix/worker.log"
}
alive && [ "$pid" != "${only:-$pid}" ] && { echo stopped; exit 0; }
alive && kill "$pid"
tries=0
while alive; do
    [ $tries -lt $((seconds * 10)) ] || stays
    tries=$((tries + 1))
    sleep 0.1
done
rm -f worker.pid worker.toml config.toml worker.settings
echo stopped
)sh";

} // namespace

HostScript::HostScript(const LaunchHost &host, QString release, QByteArray cluster)
    : m_names(assigned("prefix", host.prefix.toUtf8())
              + assigned("release", host.programs == LaunchHost::Programs::Installed ? QByteArray() : release.toUtf8())
              + assigned("cluster", cluster) + assigned("id", host.name.toUtf8())
              + assigned("worker_file", host.workerFile) + assigned("credentials", host.credentials)
              + assigned("has_credentials", host.credentials.isEmpty() ? "" : "yes") // which workers renew
              + assigned("names_spool", host.namesSpool ? "yes" : "")
              + assigned("config", configFile(host.connect, cluster)))
{
}

QByteArray HostScript::with(const QByteArray &body) const
{
    return m_names + assigned("changes", "yes") + Beginning + FindPrograms + body;
}

QByteArray HostScript::look() const
{
    return m_names + assigned("changes", "") + Beginning + FindPrograms + Look;
}

QByteArray HostScript::install() const
{
    return with(Install);
}

QByteArray HostScript::prepare() const
{
    return with(QByteArray(Prepare) + Reach + "echo prepared\n");
}

QByteArray HostScript::start(int seconds) const
{
    const QByteArray unlessItRuns = "alive && { echo \"running $pid $runs\"; exit 0; }\n";
    return assigned("seconds", QByteArray::number(seconds)) + with(unlessItRuns + Prepare + Start);
}

QByteArray HostScript::stop(int seconds, const QString &pid) const
{
    return m_names + assigned("seconds", QByteArray::number(seconds)) + assigned("only", pid.toLatin1())
        + assigned("changes", "yes") + Beginning + Stop;
}

} // namespace drover::app
