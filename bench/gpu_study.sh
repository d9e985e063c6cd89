#!/bin/bash
# Studies on a GPU, end to end: evaluations of the equations of motion per second (RK4, four a step;
# what projection of closed mechanisms adds is not counted), and a million double pendulums. One JSON
# object per line; the times of a study begin when its kernel is compiled, those of the pendulums
# with the command.
#
#   bench/gpu_study.sh CARTAN EXAMPLES [BACKEND]
set -u
cartan=$1 examples=$2 backend=${3:-gpu} scale=${SCALE:-1}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

now() { date +%s.%N; }

# NAME MODEL INPUT QUANTITY RUNS STEPS STEP
measure() {
  local begin end
  begin=$(now)
  "$cartan" study "$examples/$2.toml" --vary "$3" --keep "a=final($4)" --runs $(($5 / scale)) --indices off \
    --integrator rk4 --step "$7" --duration "$(awk "BEGIN { printf \"%.17g\", $6 * $7 }")" --backend "$backend" --json \
    > "$folder/$1.json" || return
  end=$(now)
  python3 - "$folder/$1.json" "$1" "$6" "$(awk "BEGIN { print $end - $begin }")" <<'PY'
import json, sys
study = json.load(open(sys.argv[1]))
evaluations = 4.0 * study["runs"] * float(sys.argv[3])
print(json.dumps({"table": "gpu", "work": sys.argv[2], "backend": study["backend"], "runs": study["runs"],
                  "steps": int(sys.argv[3]), "failed": study["failed"], "seconds": study["wall_seconds"],
                  "with_compilation": float(sys.argv[4]),
                  "evaluations_per_second": float("%.4g" % (evaluations / study["wall_seconds"])),
                  "mean": study["quantities"]["a"]["mean"]}))
PY
}

if [ "${ONLY:-all}" = all ]; then works="rev6 bicycle humanoid stewart sph16 pendulums"; else works=$ONLY; fi
for work in $works; do
  case $work in
    rev6) measure rev6 revolute_chain_6 "joint6.v=uniform(0.5,1.5)" joint6.q 262144 20000 0.0005 ;;
    bicycle) measure bicycle bicycle "mf=uniform(7,9)" steering.q 131072 2000 0.0005 ;;
    humanoid) measure humanoid humanoid "waist_yaw_joint.v=uniform(0.5,1.5)" pelvis.z 65536 1000 0.0005 ;;
    stewart) measure stewart stewart "stiffness=uniform(4500,5500)" platform.z 65536 500 0.0005 ;;
    sph16) measure sph16 sixteen_link "tilt=uniform(0.05,0.5)" link16.z 65536 1000 0.0005 ;;
    pendulums)
      begin=$(now)
      "$cartan" study "$examples/planar_double_pendulum.toml" --vary "shoulder.q=uniform(0.1,1)" \
        --vary "elbow.q=uniform(0.1,1)" --keep "a=final(shoulder.q)" --keep "b=final(elbow.q)" --runs $((1000000 / scale)) \
        --indices off --integrator dop853 --tolerance "${TOLERANCE:-1e-13}" --duration 10 --backend "$backend" \
        --out "$folder/pendulums" --json > "$folder/pendulums.json"
      end=$(now)
      python3 - "$folder/pendulums.json" "$(awk "BEGIN { print $end - $begin }")" <<'PY'
import json, sys
study = json.load(open(sys.argv[1]))
print(json.dumps({"table": "gpu", "work": "double pendulums", "runs": study["runs"], "failed": study["failed"],
                  "seconds": study["wall_seconds"], "whole_command": float(sys.argv[2]),
                  "mean": study["quantities"]["a"]["mean"], "notes": study.get("notes")}))
PY
      ;;
  esac
done
