#!/usr/bin/env bash
# docs/study.slurm on a Slurm of one node, set up in a private folder (own munged, slurmctld, slurmd, ports): the tables
# are those of a single process, a job that is cancelled goes on where it was when it is submitted again, and a job array
# with --part makes the same tables. Where Slurm is not installed, or there is no root, it is skipped (exit status 77).
# usage: long_slurm_test.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
root=$1 build=$2
export PATH=$PATH:/usr/sbin:/sbin
for program in munged slurmctld slurmd sbatch mpirun; do
  command -v $program >/dev/null || { echo "there is no $program (Debian: munge, slurmctld, slurmd, slurm-client, openmpi-bin): skipped"; exit 77; }
done
((EUID == 0)) || { echo "slurmd takes root: skipped"; exit 77; }
folder=$(mktemp -d)
chmod 755 "$folder"
daemons=()
trap '((${#daemons[@]} == 0)) || kill "${daemons[@]}" 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$folder"' EXIT
fail() { echo "FAILED: $1"; tail -5 "$folder"/*.log 2>/dev/null || true; exit 1; }

mkdir -m 711 "$folder/munge" "$folder/state" "$folder/spool"
head -c 1024 /dev/urandom >"$folder/munge/key"
chmod 400 "$folder/munge/key"
munged --foreground --force --key-file="$folder/munge/key" --socket="$folder/munge/socket" \
  --log-file="$folder/munge.log" --pid-file="$folder/munge/pid" --seed-file="$folder/munge/seed" 2>"$folder/munge.err.log" &
daemons+=($!)
host=$(hostname -s)
port=$((20000 + $$ % 20000))
cat >"$folder/slurm.conf" <<CONF
ClusterName=private
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
CryptoType=crypto/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/linear
JobAcctGatherType=jobacct_gather/none
ReturnToService=2
KillWait=5
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=main Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF=$folder/slurm.conf
for _ in $(seq 50); do [[ -S $folder/munge/socket ]] && break; sleep 0.1; done
[[ -S $folder/munge/socket ]] || fail "munged does not start"
slurmctld -D -f "$SLURM_CONF" >"$folder/ctld.out.log" 2>&1 &
daemons+=($!)
slurmd -D -f "$SLURM_CONF" -N "$host" >"$folder/slurmd.out.log" 2>&1 &
daemons+=($!)
for _ in $(seq 300); do [[ $(sinfo -h -o %T 2>/dev/null) == idle ]] && break; sleep 0.2; done
[[ $(sinfo -h -o %T 2>/dev/null) == idle ]] || fail "Slurm has no idle node"

mkdir "$folder/bin"
ln -s "$build/cartan" "$folder/bin/cartan"
export PATH=$folder/bin:$PATH OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
cp "$root/examples/pendulum.toml" "$folder/"
cat >"$folder/study.toml" <<STUDY
model = "pendulum.toml"
runs = 20000
[vary]
L = { uniform = [1.5, 2.5] }
tilt = { uniform = [0.1, 1] }
[simulate]
integrator = "rk4"
duration = 2
step = 0.01
[keep]
angle = { final = "angle" }
STUDY
cd "$folder"
cartan study study.toml --out alone --json >/dev/null 2>&1
submit() { sbatch --wait --nodes=1 --output="$folder/job-%j.log" "$@" >/dev/null; }

submit --ntasks-per-node=2 "$root/docs/study.slurm" study.toml by_ranks || fail "the job failed"
grep -q '"ranks": 2' by_ranks/summary.json || fail "it was not two processes"
cmp alone/runs.csv by_ranks/runs.csv 2>/dev/null || cmp alone/runs_thinned.csv by_ranks/runs_thinned.csv || fail "tables differ"

job=$(sbatch --parsable --nodes=1 --ntasks-per-node=2 --output="$folder/job-%j.log" "$root/docs/study.slurm" study.toml again)
for _ in $(seq 300); do compgen -G "again/blocks/*" >/dev/null && (($(find again/blocks -type f | wc -l) > 3)) && break; sleep 0.05; done
scancel "$job"
while [[ -n $(squeue -h -j "$job" 2>/dev/null) ]]; do sleep 0.2; done
[[ ! -e again/summary.json ]] || echo "(the job was over before it was cancelled)"
submit --ntasks-per-node=2 "$root/docs/study.slurm" study.toml again || fail "the second job failed"
cmp alone/runs.csv again/runs.csv 2>/dev/null || cmp alone/runs_thinned.csv again/runs_thinned.csv || fail "tables differ after a cancelled job"

submit --array=1-3 --wrap 'cartan study study.toml --out parts --part $SLURM_ARRAY_TASK_ID/3' || fail "the array failed"
cmp alone/runs.csv parts/runs.csv 2>/dev/null || cmp alone/runs_thinned.csv parts/runs_thinned.csv || fail "tables of the array differ"
echo "Slurm $(sinfo --version): one node, two processes, a cancelled job, an array of three"
