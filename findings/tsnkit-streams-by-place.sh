#!/bin/bash
# tsnkit finds a stream by its place in the file, not by its number.
#
# tsnkit 0.3.0.
# Expected: with streams 1 and 2 in a file, get_stream(1) is stream 1, of 100 bytes; a file whose
# numbers do not count from 0 is refused, or works. Only doubles and what is no number are refused.
# Seen: get_stream(1) is stream 2, and get_stream(2) raises IndexError.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check 'numpy==1.26.4' 'pandas==2.2.3' \
    'networkx==2.8.8' 'psutil==7.0.0' 'tqdm==4.67.1'
env/bin/pip install --quiet --disable-pip-version-check --no-deps 'tsnkit==0.3.0'
cat > streams.csv <<'CSV'
stream,src,dst,size,period,deadline,jitter
1,0,[2],100,1000000,1000000,1000000
2,1,[2],1500,2000000,2000000,2000000
CSV
seen=$(env/bin/python -c '
from tsnkit.core import load_stream
streams = load_stream("streams.csv")
print(int(streams.get_stream(1)), end=" ")
try:
    print(int(streams.get_stream(2)))
except IndexError as error:
    print(type(error).__name__)')
known="2 IndexError"

if [ "$seen" = "$known" ]; then
    echo "as described: $seen"
else
    echo "changed: $seen; it was: $known" >&2
    exit 1
fi
