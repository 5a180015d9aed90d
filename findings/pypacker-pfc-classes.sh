#!/bin/bash
# pypacker's list of paused classes has another length for each highest class.
#
# pypacker 5.4, layer12.flow_control.
# Expected: `ls_list` of a PFC frame has eight flags, the last for class 0, whatever they are.
# Seen: 8, 4 and 1 for frames that stop class 7, class 3 and class 0 alone: zeros in front are left
# out, so that a place in the list does not name a class.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check 'pypacker==5.4'
cat > look.py << 'END'
from pypacker.layer12.flow_control import FlowControl

frames = (FlowControl.PFC(bytes([0, 1 << number]) + bytes(16)) for number in (7, 3, 0))
print(*(len(frame.ls_list) for frame in frames))
END
seen=$(env/bin/python look.py)
known="8 4 1"

if [ "$seen" = "$known" ]; then
    echo "as described: $seen"
else
    echo "changed: $seen; it was: $known" >&2
    exit 1
fi
