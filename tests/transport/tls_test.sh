#!/usr/bin/env bash
# tls_test.sh SOURCE DROVER: the recipe of packaging/tls with one server, and who is refused.
set -u
recipe=$1/packaging/tls
drover=$2
scratch=$(mktemp -d)
children=()
finish() {
    ((${#children[@]})) && kill -- "${children[@]}" 2>/dev/null
    wait
    rm -rf -- "$scratch"
}
trap finish EXIT
cd -- "$scratch" || exit 1

fault() {
    printf '%s\n' "$@"
    tail -n 20 server.log tunnel.log stranger.log 2>/dev/null
    exit 1
}
free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}
# shellcheck source=tests/support/documents.sh
source "$1/tests/support/documents.sh"
# Waits until a process listens on the port.
await_port() {
    local try
    for ((try = 0; try < 600; try++)); do
        (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null && return
        sleep 0.1
    done
    fault "nothing listens on port $1"
}

plain=$(free_port) secure=$(free_port) tunnel=$(free_port) stranger=$(free_port)
ln -s -- "$1/packaging" packaging # the commands of the recipe's README.md, but for the server's address
server=$(said 'packaging/tls/make-certificates tls server *') || exit 1
client=$(said 'packaging/tls/make-certificates tls client *') || exit 1
${server/10.0.0.1/127.0.0.1} >/dev/null || fault "no certificate for the server"
$client >/dev/null || fault "no certificate for the client"
"$recipe/make-certificates" other client mallory >/dev/null || fault "no certificate of another authority"

{
    printf '%s\n' tickTime=500 "dataDir=$scratch/data" "clientPort=$plain" clientPortAddress=127.0.0.1 admin.enableServer=false
    sed -e "s|^secureClientPort=.*|secureClientPort=$secure|" -e "s|/etc/zookeeper/tls|$scratch/tls|" "$recipe/zookeeper.cfg"
    echo secureClientPortAddress=127.0.0.1
} >zoo.cfg
java -Xmx128m -Dorg.slf4j.simpleLogger.defaultLogLevel=info -cp \
    /usr/share/java/slf4j-simple.jar:/usr/share/java/zookeeper.jar:/usr/share/java/netty-codec.jar:/usr/share/java/netty-resolver.jar \
    org.apache.zookeeper.server.quorum.QuorumPeerMain zoo.cfg >server.log 2>&1 &
children+=($!)

# tunnel_to PORT FOLDER NAME LOG: stunnel with the recipe's configuration, for one server.
tunnel_to() {
    sed -e '/^\[zk2\]/,$d' -e "s|/etc/drover/tls/build-7|$scratch/$2/$3|" -e "s|/etc/drover/tls|$scratch/tls|" \
        -e "s|127.0.0.1:2181|127.0.0.1:$1|" -e "s|zk1:2281|127.0.0.1:$secure|" "$recipe/drover-zookeeper.conf" >"$4.conf"
    stunnel "$4.conf" >"$4.log" 2>&1 &
    children+=($!)
}
tunnel_to "$tunnel" tls build-7 tunnel
tunnel_to "$stranger" other mallory stranger
await_port "$secure"
await_port "$tunnel"
await_port "$stranger"

# Holds a lock for a moment, by the server at a port.
lock_at() {
    timeout 60 env HOME="$scratch" LC_ALL=C.UTF-8 "$drover" lock --path /tls/lock --connect "127.0.0.1:$1" \
        --connect-timeout "$2" -- echo held 2>&1
}
said=$(lock_at "$tunnel" 20s) || fault "no lock through the tunnel:" "$said"
[[ $said == held ]] || fault "another output through the tunnel:" "$said"

said=$(lock_at "$secure" 2s)
(($? == 6)) || fault "the secure port serves a client without TLS:" "$said"
said=$(lock_at "$stranger" 2s)
(($? == 6)) || fault "a certificate of another authority is accepted:" "$said"

# A server that the authority has not signed for this name: the tunnel sends it nothing.
port=$(free_port)
sed -e "s|127.0.0.1:$tunnel|127.0.0.1:$port|" -e 's/^checkHost = zk1/checkHost = zk9/' tunnel.conf >renamed.conf
stunnel renamed.conf >renamed.log 2>&1 &
children+=($!)
await_port "$port"
said=$(lock_at "$port" 2s)
(($? == 6)) || fault "a server of another name is accepted:" "$said"
echo "ok: a lock by TLS; no client without a certificate, and no server of another name"
