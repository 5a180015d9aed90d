#!/bin/bash
# vcd2fst loses values that a dump gives in front of its first instant, if that is 0.
#
# gtkwave 3.3.118 of Debian 12; vcd2fst and fst2vcd.
# Expected: a signal that `$dumpvars` sets before `#0`, and that does not change then, has that
# value from 0 on, as it has where the first instant is `#3`.
# Seen: with `#0` the value is gone, and the signal has none until it changes; with `#3` it is
# kept.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
version=3.3.118-0.1~deb12u1
if ! command -v vcd2fst > /dev/null; then
    apt-get update -q > /dev/null
    DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends \
        "gtkwave=$version" > /dev/null
fi
echo "gtkwave $(dpkg-query -W -f '${Version}' gtkwave), tried with $version"

first_values() {
    cat > given.vcd << END
\$timescale 1 ns \$end
\$scope module top \$end
\$var wire 1 ! early \$end
\$var wire 1 " late \$end
\$upscope \$end
\$enddefinitions \$end
\$dumpvars
1!
1"
\$end
#$1
0"
#9
0!
END
    vcd2fst given.vcd kept.fst > /dev/null
    fst2vcd kept.fst | grep -c '^1!' || true
}
seen="first instant 0: kept $(first_values 0); first instant 3: kept $(first_values 3)"
known="first instant 0: kept 0; first instant 3: kept 1"

if [ "$seen" = "$known" ]; then
    echo "as described: $seen"
else
    echo "changed: $seen; it was: $known" >&2
    exit 1
fi
