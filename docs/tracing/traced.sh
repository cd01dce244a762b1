#!/bin/bash
# traced.sh: mpirun -n 64 ./traced.sh ./program ARGUMENTS...
RANK=${OMPI_COMM_WORLD_RANK:-${PMIX_RANK:-${PMI_RANK:-${SLURM_PROCID:-0}}}}
exec strace -f --seccomp-bpf -ttt -T -e trace=%file,%desc,%process,?io_submit,?io_getevents,?msync \
    -o "${TMPDIR:-/tmp}/rank-$RANK.strace" "$@"
