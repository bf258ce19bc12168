#!/usr/bin/env bash
# containers_test.sh CONTAINERS DROVER: the compose file and the Kubernetes manifests of the folder CONTAINERS, read by
# docker-compose and kubectl, which reach no server here. `packaging/run test-containers` builds and starts the images.
set -u
folder=$1
drover=$(realpath -- "$2")
scratch=$(mktemp -d)
trap 'rm -rf -- "$scratch"' EXIT
unset "${!DROVER_@}"

fault() {
    printf '%s\n' "$@"
    exit 1
}

seconds() {
    case $1 in
    *m) echo $((${1%m} * 60)) ;;
    *) echo "${1%s}" ;;
    esac
}

# option NAME ARGUMENT...: its value, as "--NAME VALUE" or "--NAME=VALUE".
option() {
    local name=--$1
    shift
    while (($# > 0)); do
        [[ $1 != "$name" ]] || echo "$2"
        [[ $1 != "$name"=* ]] || echo "${1#*=}"
        shift
    done
}

# shellcheck source=tests/support/documents.sh
source "$(dirname -- "$0")/../support/documents.sh"

# judge_worker TEXT STOP ARGUMENT...: drover takes the arguments, and ends by itself within STOP seconds.
judge_worker() {
    local where=$1 stop=$2 said code grace most
    shift 2
    grace=$(seconds "$(option grace "$@")") most=$(seconds "$(option max-grace "$@")")
    ((grace + most < stop)) || fault "$where: $stop s are too short for a grace of $grace s and one of $most s"
    set -- "${@//\/var\/lib\/drover/$scratch}"
    said=$("$drover" "${@//listen=\*:7000/listen=none}" --allow-root --policy none --connect 127.0.0.1:1 --connect-timeout 200ms 2>&1)
    code=$?
    ((code == 6)) || fault "$where: drover ends with exit code $code, and 6 says that ZooKeeper does not answer:" "$said"
}

# What the commands of packaging/README.md leave in the folder is secret: git ignores it.
if git -C "$folder" rev-parse 2>/dev/null; then
    for secret in keys/root.key worker-1.drover kubernetes/workers.drover; do
        git -C "$folder" check-ignore --quiet "$secret" || fault "git does not ignore packaging/containers/$secret"
    done
fi
# And docker, whose patterns are the lines of a file, sends it with no build.
for pattern in .git 'build/*' '**/*.drover' packaging/containers/keys; do
    grep -qxF "$pattern" "$folder/../../.dockerignore" || fault ".dockerignore has no line $pattern"
done

cp -r -- "$folder" "$scratch/containers"
cd -- "$scratch/containers" || exit
touch worker-1.drover worker-2.drover kubernetes/workers.drover

judge_compose() {
    local said worker arguments
    docker-compose --file compose.yaml config >/dev/null || fault "docker-compose does not take compose.yaml"
    sed 's/^volumes:/volumess:/' compose.yaml >wrong.yaml
    ! docker-compose --file wrong.yaml config >/dev/null 2>&1 || fault "docker-compose takes anything"
    said=$(docker-compose --file compose.yaml config --services | sort | tr '\n' ' ')
    [[ $said == 'worker-1 worker-2 zk1 zk2 zk3 ' ]] || fault "the services are $said"
    for worker in worker-1 worker-2; do
        mapfile -t arguments < <(python3 - "$worker" <<'END'
import sys, yaml
for argument in yaml.safe_load(open("compose.yaml"))["services"][sys.argv[1]]["command"]:
    print(argument)
END
        )
        judge_worker "$worker of compose.yaml" "$(sed -n 's/.*stop_grace_period: \([0-9]*\)s.*/\1/p' compose.yaml)" \
            "${arguments[@]}"
    done
}

# paths: of each value in a JSON document, without those that kubectl adds.
paths() { jq -c 'paths(scalars) | map(tostring)' | grep -vE 'creationTimestamp|"status"' | sort; }

# typed_service FILE: the Service as kubectl understands it, which sets the selector that it has.
typed_service() { kubectl set selector --local --filename "$1" --output json app=drover-worker; }

# typed FILE: the StatefulSet as kubectl understands it, with a label that shows that it does.
typed() { kubectl set env --local --filename "$1" --output json CHECKED=yes; }

judge_kubernetes() {
    local all said lost arguments applied
    applied=$(said 'kubectl apply --kustomize *') || exit # of packaging/README.md; no server is here
    all=$(kubectl kustomize "${applied##*packaging/containers/}") || fault "kubectl does not take kustomization.yaml"
    for said in 'kind: Secret' 'kind: Service' 'kind: StatefulSet' 'secretName: drover-workers-'; do
        [[ $all == *"$said"* ]] || fault "the manifests have no $said:" "$all"
    done
    # What kubectl does not know, it leaves out.
    lost_of() {
        comm -13 <("${2:-typed}" "$1" | paths) <(python3 -c 'import json, sys, yaml; json.dump(yaml.safe_load(open(sys.argv[1])), sys.stdout)' "$1" | paths)
    }
    typed kubernetes/workers.yaml >set.json || fault "kubectl does not take workers.yaml"
    lost=$(lost_of kubernetes/workers.yaml)
    [[ -z $lost ]] || fault "kubectl does not know:" "$lost"
    sed 's/readinessProbe/readynessProbe/' kubernetes/workers.yaml >wrong.yaml
    [[ $(lost_of wrong.yaml) == *readynessProbe* ]] || fault "kubectl knows anything"
    typed_service kubernetes/service.yaml >service.json || fault "kubectl does not take service.yaml"
    lost=$(lost_of kubernetes/service.yaml typed_service)
    [[ -z $lost ]] || fault "kubectl does not know of the Service:" "$lost"
    sed 's/clusterIP/clusterIp/' kubernetes/service.yaml >wrong.yaml
    [[ $(lost_of wrong.yaml typed_service) == *clusterIp* ]] || fault "kubectl knows any service"
    sed 's/port: 7000/port: many/' kubernetes/service.yaml >wrong.yaml
    ! typed_service wrong.yaml >/dev/null 2>&1 || fault "kubectl takes any service"
    [[ $(jq -c .spec.selector service.json) == "$(jq -c .spec.selector.matchLabels set.json)" ]] ||
        fault "the Service selects other pods than the StatefulSet has"
    sed 's/replicas: 2/replicas: two/' kubernetes/workers.yaml >wrong.yaml
    ! typed wrong.yaml >/dev/null 2>&1 || fault "kubectl takes anything"

    mapfile -t arguments < <(jq -r '.spec.template.spec.containers[0].args[]' set.json)
    judge_worker workers.yaml "$(jq .spec.template.spec.terminationGracePeriodSeconds set.json)" \
        "${arguments[@]//\$(POD_NAME)/drover-worker-0}"
    [[ $(jq -r .spec.serviceName set.json) == "$(sed -n 's/^  name: //p' kubernetes/service.yaml)" ]] ||
        fault "the StatefulSet names another service"
}

if command -v docker-compose >/dev/null; then judge_compose; else echo "SKIP   : docker-compose is not installed"; fi
if command -v kubectl >/dev/null; then judge_kubernetes; else echo "SKIP   : kubectl is not installed"; fi
