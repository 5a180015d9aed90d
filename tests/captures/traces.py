"""Traces for other programs against the CSV trace of the same run.

`trace.perfetto` is read by the messages that Perfetto publishes and, where its trace processor can
be had, by that as well; `trace.vcd` is read by vcdvcd, as it is and after a way through GTKWave's form
(vcd2fst, fst2vcd). Each slice and each flit has to stand where the CSV trace has it, and nothing
else; each signal has a value from the start. Changed copies must not pass.
"""

import csv
import os
import shutil
import subprocess
import sys
from bisect import bisect_right
from collections import Counter, defaultdict
from pathlib import Path

from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent
from vcdvcd import VCDVCD

OUT = Path("runs/traces")
FRAMES = ("tests/captures/pause.toml", [])
CELLS = ("scenarios/kung1993/fig14-congestion.toml",
         ["run.duration=1500 cells", "run.warm_up=0 s", "series=[]"])
FLITS = ("scenarios/flit/torus-8x8.toml", ["run.warm_up=0 cycles", "run.measure=150 cycles"])


def run(binary, name, scenario, sets, trace):
    out = OUT / name
    command = [binary, "run", scenario, "--trace", trace, "--map", "off", "--out", str(out)]
    for setting in sets:
        key, value = setting.split("=")
        value = value if value.startswith("[") else f'"{value}"'
        command += ["--set", f"{key}={value}"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    return out


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def decoded(path):
    """Slices by track: (begin, end, name, category, arrow from a slice of this track)."""
    trace = Trace()
    trace.ParseFromString(path.read_bytes())
    tracks, names, categories, events = {}, {}, {}, []
    for packet in trace.packet:
        if packet.HasField("track_descriptor"):
            own = packet.track_descriptor
            above = tracks.get(own.parent_uuid)
            name = own.name or own.process.process_name
            tracks[own.uuid] = f"{above}/{name}" if above else name
        for one in packet.interned_data.event_names:
            names[one.iid] = one.name
        for one in packet.interned_data.event_categories:
            categories[one.iid] = one.name
        if packet.HasField("track_event"):
            events.append((packet.timestamp, packet.track_event))
    slices, open_slices, arrows = defaultdict(list), {}, {}
    for at, event in sorted(events, key=lambda one: one[0]):
        track = tracks[event.track_uuid]
        if event.type == TrackEvent.TYPE_SLICE_BEGIN:
            if track in open_slices:
                raise ValueError(f"{track}: slices overlap at {at}")
            by = [arrows.pop(arrow) for arrow in event.terminating_flow_ids]
            arrows.update((arrow, track) for arrow in event.flow_ids)
            category = categories[event.category_iids[0]]
            open_slices[track] = (at, names[event.name_iid], category, by[0] if by else None)
        elif event.type == TrackEvent.TYPE_SLICE_END:
            begin, name, category, by = open_slices.pop(track)
            slices[track].append((begin, at, name, category, by))
    if open_slices:
        raise ValueError(f"slices without an end: {sorted(open_slices)}")
    return slices


def differences(slices, out, ports):
    """What the CSV trace of frames or cells has otherwise than the slices, in words."""
    sent, stops = Counter(), Counter()
    for row in rows(out / "trace.csv"):
        port, at = ports[int(row["port"])], int(row["time_ps"]) // 1000
        if row.get("event") == "out" or row.get("direction") == "out":
            data = row["kind"] in ("data", "tcp", "udp", "rtp")
            sent[(port, at, row["flow"] if data else None)] += 1
        elif row.get("event") == "stop":
            stops[(port, at)] += 1
    flows = {key[2] for key in sent}
    found, halted = Counter(), Counter()
    for track, own in slices.items():
        for begin, _, name, category, by in own:
            if category == "sending":
                found[(track, begin, name if name in flows else None)] += 1
            elif category == "stopped" and track.count("/") == 2:
                halted[(track.rsplit("/", 1)[0], begin)] += 1
                if by is None:
                    return [f"{track}: nothing points to the stop at {begin}"]
    if found != sent:
        return [f"sent otherwise: {list((found - sent) + (sent - found))[:3]}"]
    if halted != stops:
        return [f"stopped otherwise: {list((halted - stops) + (stops - halted))[:3]}"]
    return []


def ports_of(out):
    """`S1/S1 -> A` by the number of the channel."""
    ports = {}
    for place, row in enumerate(rows(out / "tables/ports.csv")):
        node = row["port"].split(" -> ")[0]
        ports[int(row.get("number", place))] = f"{node}/{row['port']}"
    return ports


def corrupted(path):
    """Copies that say something else: an instant, a name, an end left out."""
    trace = Trace()
    trace.ParseFromString(path.read_bytes())
    sending = next(one.iid for packet in trace.packet
                   for one in packet.interned_data.event_categories if one.name == "sending")
    begins = [place for place, packet in enumerate(trace.packet)
              if sending in packet.track_event.category_iids]
    copy = path.with_name("corrupted.perfetto")
    for what in ("instant", "name", "end"):
        changed = Trace()
        changed.CopyFrom(trace)
        place = begins[len(begins) // 2]
        if what == "instant":
            changed.packet[place].timestamp += 1
        elif what == "name":
            del changed.packet[place]
        else:
            del changed.packet[place + 1]
        copy.write_bytes(changed.SerializeToString())
        yield what, copy


def with_processor(path, slices, missing=[]):
    """The same counted by Perfetto's own trace processor, if there is one: asked for once."""
    if missing:
        return None
    try:
        from perfetto.trace_processor import TraceProcessor
        processor = TraceProcessor(trace=str(path))
    except Exception as error:  # It is fetched from the net, by a command that may be missing.
        print(f"captures: no trace processor ({type(error).__name__})")
        missing.append(error)
        return None
    try:
        def number(query):
            return next(iter(processor.query(query))).n
        complaints = []
        bad = number("select count(*) as n from stats where severity = 'error' and value > 0")
        if bad:
            complaints.append(f"the trace processor has {bad} kinds of errors")
        ours = sum(len(own) for own in slices.values())
        theirs = number("select count(*) as n from slice where dur >= 0 and category != 'dropped'")
        if ours > theirs:
            complaints.append(f"the trace processor has {theirs} of {ours} slices")
        arrows = sum(by is not None for own in slices.values() for *_, by in own)
        if number("select count(*) as n from flow") != arrows:
            complaints.append("the trace processor has other arrows")
        return complaints
    finally:
        processor.close()


def perfetto(binary, name, scenario, sets):
    out = run(binary, name, scenario, sets, "csv,perfetto")
    path, ports = out / "trace.perfetto", ports_of(out)
    slices = decoded(path)
    complaints = differences(slices, out, ports)
    for what, copy in corrupted(path):
        try:
            seen = differences(decoded(copy), out, ports)
        except (ValueError, KeyError) as error:
            seen = [str(error)]
        if not seen:
            complaints.append(f"a wrong {what} passes")
    processed = with_processor(path, slices)
    complaints += processed or []
    kinds = Counter(category for own in slices.values() for *_, category, _ in own)
    print(f"captures: {name}: " + ", ".join(f"{n} {kind}" for kind, n in sorted(kinds.items())))
    return complaints, processed is not None


def flit_differences(path, flits):
    """Flits of the CSV trace against the waveforms."""
    dump = VCDVCD(str(path))
    signals = defaultdict(dict)
    for reference in dump.references_to_ids:
        scope, signal = reference.rsplit(".", 1)
        channel = int(scope.split("channel_")[1].split("_")[0])
        signals[channel][signal.split("[")[0]] = dump[reference]
    found = Counter()
    for channel, own in signals.items():
        # Of several values of an instant the last one counts.
        changes = sorted(dict(own["valid"].tv).items()) + [(dump.endtime, "0")]
        last = {name: sorted(dict(signal.tv).items()) for name, signal in own.items()}
        times = {name: [at for at, _ in values] for name, values in last.items()}
        for (begin, value), (end, _) in zip(changes, changes[1:]):
            for cycle in range(begin, end) if value == "1" else ():
                values = [int(last[name][bisect_right(times[name], cycle) - 1][1], 2)
                          for name in ("vc", "source", "destination", "flit", "head", "tail")]
                found[(cycle, channel, *values)] += 1
    told = Counter()
    for row in flits:
        flit, length = int(row["flit"]), int(row["flits"])
        told[(int(row["cycle"]), int(row["channel"]), int(row["vc"]), int(row["source"]),
              int(row["destination"]), flit, int(flit == 0), int(flit + 1 == length))] += 1
    return [] if found == told else [f"flits: {list((found - told) + (told - found))[:3]}"]


def by_gtkwave(path):
    """The waveforms as GTKWave keeps them, as a dump again."""
    kept, back = path.with_suffix(".fst"), path.with_name(f"again-{path.name}")
    subprocess.run(["vcd2fst", path, kept], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["fst2vcd", kept, "-o", back], check=True, stdout=subprocess.DEVNULL)
    return back


def waveforms(path):
    """By signal: instants at which it has another value than before, and the value."""
    dump, found = VCDVCD(str(path)), {}
    for reference in dump.references_to_ids:
        # Of several values of an instant the last one counts.
        changes, before = [], None
        for at, value in sorted(dict(dump[reference].tv).items()):
            value = int(value, 2) if set(value) <= {"0", "1"} else value
            if value != before:
                changes.append((at, value))
            before = value
        found[reference.split("[")[0]] = changes
    return found


def round_trip(path):
    """What GTKWave has otherwise than the dump, and signals without a value at the start."""
    wanted, found = waveforms(path), waveforms(by_gtkwave(path))
    complaints = []
    for whose, signals in (("the dump", wanted), ("GTKWave", found)):
        late = [name for name, changes in signals.items()
                if not changes or changes[0][0] > 0 or not isinstance(changes[0][1], int)]
        if late:
            complaints.append(f"{whose} has {len(late)} of {len(signals)} signals without a first value")
    other = [name for name in wanted.keys() | found.keys() if wanted.get(name) != found.get(name)]
    if other:
        complaints.append(f"{len(other)} signals differ in GTKWave, such as {min(other)}")
    return complaints


def values_in_front(path):
    """A copy with the first values in front of the first instant, 0."""
    head, rest = path.read_text().split("#0\n$dumpvars\n", 1)
    values, rest = rest.split("$end\n", 1)
    copy = path.with_name("in-front.vcd")
    copy.write_text(f"{head}$dumpvars\n{values}$end\n#0\n{rest}")
    return copy


def vcd(binary, name, scenario, sets):
    out = run(binary, name, scenario, sets, "csv,vcd")
    flits = rows(out / "trace.csv")
    complaints = flit_differences(out / "trace.vcd", flits)
    if not flit_differences(out / "trace.vcd", flits[1:]):
        complaints.append("a flit too many passes")
    if shutil.which("vcd2fst") and shutil.which("fst2vcd"):
        complaints += round_trip(out / "trace.vcd")
        complaints += flit_differences(out / "again-trace.vcd", flits)
        if not round_trip(values_in_front(out / "trace.vcd")):
            complaints.append("first values that GTKWave loses pass")
        print(f"captures: {name}: the same waveforms after a way through GTKWave's form")
    print(f"captures: {name}: {len(flits)} flits as vcdvcd reads them")
    return complaints


def main():
    binary = sys.argv[1]
    complaints, processed = [], True
    for name, (scenario, sets) in (("frames", FRAMES), ("cells", CELLS)):
        found, was_processed = perfetto(binary, name, scenario, sets)
        complaints += [f"{name}: {what}" for what in found]
        processed &= was_processed
    complaints += [f"flits: {what}" for what in vcd(binary, "flits", *FLITS)]
    for complaint in complaints:
        print(f"captures: FAILED: {complaint}")
    if complaints:
        sys.exit(1)
    if not processed:
        line = ("SKIPPED: traces in Perfetto's trace processor, which its Python package fetches;"
                " they were read by the messages that Perfetto publishes")
        print(line)
        with open(os.environ.get("SKIPPED", os.devnull), "a", encoding="utf-8") as file:
            print(line, file=file)
    print("captures: traces for Perfetto and waveforms as others read them; wrong ones are seen")


main()
