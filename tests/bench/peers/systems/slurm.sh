# shellcheck shell=bash disable=SC2034,SC2154 # the names that `measure` shares
# Slurm: slurmctld, one slurmd with as many processors as there are slots, and munged, as the calling user. No setting
# makes it write a job down before it acknowledges it: StateSaveLocation is written every few seconds. The epilog is there
# because its end wakes the scheduler; without one the next jobs begin up to a second later.

package=slurmctld
programs=(slurmctld slurmd munged sbatch squeue sinfo)
look_every=0.25 # a listing takes locks of slurmctld
warm_up=100
patience=330    # a job whose slurmstepd has died is missed, requeued and held back for minutes

configure() {
    local ctld_port slurmd_port host user
    free_port ctld_port
    free_port slurmd_port
    host=$(hostname -s)
    user=$(id -un)
    export SLURM_CONF=$dir/slurm.conf
    mkdir -- "$dir/state" "$dir/spool"
    (umask 077 && head -c 1024 /dev/urandom >"$dir/munge.key")
    cat >"$SLURM_CONF" <<TEXT
ClusterName=peers
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$ctld_port
SlurmdPort=$slurmd_port
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$dir/munge.socket
CredType=cred/munge
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0
Epilog=/bin/true
EpilogMsgTime=0
CompleteWait=0
MinJobAge=2
MaxJobCount=200000
SlurmdTimeout=30
ReturnToService=2
SlurmdParameters=config_overrides
NodeName=peer NodeHostname=$host NodeAddr=127.0.0.1 CPUs=$slots
PartitionName=all Nodes=peer Default=YES MaxTime=INFINITE State=UP
TEXT
}

start_server() {
    [[ -n ${SLURM_CONF-} ]] || configure
    is_alive munged || spawn munged munged --foreground --socket="$dir/munge.socket" --key-file="$dir/munge.key" \
        --pid-file="$dir/munged.pid" --seed-file="$dir/munged.seed" --log-file="$dir/munged.log"
    await "munged answers" 30 munge --no-input --socket="$dir/munge.socket"
    spawn server slurmctld -D -f "$SLURM_CONF"
}

start_worker() { spawn "worker$1" slurmd -D -f "$SLURM_CONF"; }
ready() { [[ $(sinfo --noheader --format %T) == idle ]]; }

submit() {
    seq "$1" | xargs -I{} -P 4 sbatch --quiet --output=/dev/null --chdir="$dir" --wrap "exec ${command[*]} {}"
}

left() {
    local list
    list=$(timeout 3 squeue --noheader --format %i) || return
    printf '%s' "$list" | grep -c . || true
}
