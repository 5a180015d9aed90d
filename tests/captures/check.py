"""Captures against what the same runs report.

Each case runs a scenario with `--trace csv,pcapng`. The capture is read
by tshark and by scapy, and each packet has to be the frame that the CSV trace has at that place:
instant, channel, length, addresses, tag, ECN, TCP numbers, SACK blocks' presence, quanta, classes.
Counts of frames by channel have to be those of the run's tables, names those of the hosts. Copies of the capture with one
bit turned over must not pass.

A run with thousands of flows shows that no reader takes their packets for those of another protocol;
a file of one port, that none counts as sent again.
"""

import csv
import logging
import subprocess
import sys
from collections import Counter
from pathlib import Path

logging.getLogger("scapy.runtime").setLevel(logging.ERROR)
from scapy.contrib.mac_control import MACControlClassBasedFlowControl, MACControlPause
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.l2 import Dot1Q, Ether
from scapy.utils import RawPcapNgReader

OUT = Path("runs/captures")
# Scenario, settings that make the run short, kinds of frames it must show, priority in its tags.
CASES = [
    ("pause", "tests/captures/pause.toml", [], {"tcp", "rtp", "pause"}, None),
    ("destination", "tests/captures/pause.toml", ["flow_control.kind=destination"],
     {"tcp", "stop-destination"}, None),
    ("pfc", "scenarios/ethernet/incast.toml", ["run.duration=300 us"], {"tcp", "pfc"}, 3),
]
FIELDS = """frame.time_epoch frame.interface_name frame.len eth.src eth.dst vlan.priority
    ip.proto ip.dsfield.ecn ip.id ip.checksum.status tcp.seq_raw tcp.ack_raw tcp.len tcp.flags
    tcp.options.sack.count tcp.checksum.status udp.length udp.checksum.status
    macc.opcode macc.pause_time macc.cbfc.enbv""".split()
FIELDS += [f"macc.cbfc.pause_time.c{number}" for number in range(8)]
BAD_CHECKSUM, GOOD_CHECKSUM = "0", "1"
# States of TCP checksums; those of packets that are not whole can't be verified.
VERIFIED = Counter()
# What tshark tells of packets with nothing but zeros in them, and of nothing malformed.
PLAIN = {f"eth:ethertype:ip:{name}|" for name in ("tcp", "tcp:data", "udp:data")}
# Opcodes of which tshark tells nothing.
UNKNOWN = ("stop-destination", "credit", "credit-request", "credit-sync")


def run(binary, scenario, sets, out):
    sets = [word for setting in sets + ["run.warm_up=0 s"] for word in ("--set", quoted(setting))]
    command = [binary, "run", scenario, "--trace", "csv,pcapng", "--out", str(out)] + sets
    done = subprocess.run(command, capture_output=True, text=True)
    # A deadlock (1) is a result too.
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)}: {done.stderr}")


def quoted(setting):
    key, value = setting.split("=")
    return f'{key}="{value}"'


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def mac(node):
    return "02:00:00:" + ":".join(f"{byte:02x}" for byte in node.to_bytes(3, "big"))


def expected(out, priority):
    """What the CSV trace says of each frame that started; data has tags of this priority."""
    nodes = {row["node"]: number for number, row in enumerate(rows(out / "tables/nodes.csv"))}
    names = {row["number"]: row["port"] for row in rows(out / "tables/ports.csv")}
    frames = []
    for row in rows(out / "trace.csv"):
        if row["event"] != "out":
            continue
        frame = {
            "kind": row["kind"],
            "ns": int(row["time_ps"]) // 1000,
            "channel": names[row["port"]],
            "length": int(row["bytes"]) - 4,
            "from": mac(nodes[row["from"]]),
        }
        kind = row["kind"]
        if kind == "tcp":
            syn, ack = int(row["flags"]) & 2, int(row["flags"]) & 16
            frame["seq"] = (int(row["position"]) + (0 if syn else 1)) % 2**32
            frame["ack"] = (int(row["acknowledges"]) + 1) % 2**32 if ack else 0
            frame["payload"] = int(row["payload"])
            frame["flags"] = int(row["flags"])
        elif kind in ("udp", "rtp"):
            frame["payload"] = int(row["payload"]) + (20 if kind == "rtp" else 8)
        elif kind == "pause":
            frame["quanta"] = int(row["value"])
        else:
            frame["classes"] = int(row["flags"])
            frame["quanta"] = int(row["value"])
        if kind in ("tcp", "udp", "rtp"):
            frame["to"] = mac(nodes[row["to"]])
            frame["id"] = int(row["number"]) % 2**16
            frame["ecn"] = row["marked"]
            frame["priority"] = priority
        elif kind == "stop-destination":
            frame["host"] = mac(nodes[row["to"]])
        frames.append(frame)
    return frames


def number(text):
    return int(text, 0) if text else 0


def with_tshark(capture):
    """The same of each packet, as tshark decodes it."""
    command = ["tshark", "-r", str(capture), "-T", "fields", "-E", "separator=|",
               "-o", "ip.check_checksum:TRUE", "-o", "tcp.check_checksum:TRUE",
               "-o", "udp.check_checksum:TRUE", "-d", "udp.port==5004,rtp"]
    command += [word for field in FIELDS for word in ("-e", field)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise ValueError(f"tshark: {done.stderr}")
    for line in done.stdout.splitlines():
        found = dict(zip(FIELDS, line.split("|")))
        seconds, _, fraction = found["frame.time_epoch"].partition(".")
        frame = {
            "ns": int(seconds) * 10**9 + int(fraction.ljust(9, "0")),
            "channel": found["frame.interface_name"],
            "length": int(found["frame.len"]),
            "from": found["eth.src"],
            "checksums": BAD_CHECKSUM not in (found["ip.checksum.status"],
                                              found["tcp.checksum.status"],
                                              found["udp.checksum.status"]),
        }
        opcode = number(found["macc.opcode"])
        if found["tcp.seq_raw"]:
            frame.update(kind="tcp", seq=int(found["tcp.seq_raw"]), ack=int(found["tcp.ack_raw"]),
                         payload=int(found["tcp.len"]), flags=number(found["tcp.flags"]) & 0xff)
        elif found["udp.length"]:
            frame.update(kind="udp", payload=int(found["udp.length"]))
        elif opcode == 1:
            frame.update(kind="pause", quanta=int(found["macc.pause_time"]))
        elif opcode == 0x0101:
            classes = number(found["macc.cbfc.enbv"])
            times = [int(found[f"macc.cbfc.pause_time.c{c}"]) for c in range(8)]
            frame.update(pfc(classes, times))
        elif opcode == 0x0102:
            frame.update(kind="stop-destination")
        elif opcode == 0x0103:
            frame.update(kind="credit")
        if found["ip.proto"]:
            priority = int(found["vlan.priority"]) if found["vlan.priority"] else None
            VERIFIED[found["tcp.checksum.status"]] += 1
            frame.update(to=found["eth.dst"], id=number(found["ip.id"]), priority=priority,
                         ecn="1" if number(found["ip.dsfield.ecn"]) == 3 else "0")
        yield frame


def pfc(classes, times):
    named = {time for c, time in enumerate(times) if classes >> c & 1}
    others = {time for c, time in enumerate(times) if not classes >> c & 1}
    is_sound = len(named) == 1 and others <= {0}
    return {"kind": "pfc", "classes": classes, "quanta": named.pop() if is_sound else -1}


def with_scapy(capture):
    """The same as scapy decodes it; headers beyond what the capture keeps are not built."""
    reader = RawPcapNgReader(str(capture))
    for raw, meta in reader:
        stamp = meta.tshigh << 32 | meta.tslow
        packet = Ether(raw)
        frame = {"ns": stamp, "length": meta.wirelen, "from": packet.src}
        # Before 2.6 scapy drops the names of interfaces.
        if getattr(meta, "ifname", None):
            frame["channel"] = meta.ifname.decode()
        if meta.tsresol != 10**9:
            raise ValueError("not in nanoseconds")
        if packet.haslayer(TCP):
            tcp, ip = packet[TCP], packet[IP]
            payload = ip.len - 4 * ip.ihl - 4 * tcp.dataofs
            frame.update(kind="tcp", seq=tcp.seq, ack=tcp.ack, payload=payload,
                         flags=int(tcp.flags) & 0xff)
        elif packet.haslayer(UDP):
            frame.update(kind="udp", payload=packet[UDP].len)
        elif packet.haslayer(MACControlPause):
            frame.update(kind="pause", quanta=packet[MACControlPause].pause_time)
        elif packet.haslayer(MACControlClassBasedFlowControl):
            layer = packet[MACControlClassBasedFlowControl]
            times = [getattr(layer, f"c{c}_pause_time") for c in range(8)]
            classes = sum(getattr(layer, f"c{c}_enabled") << c for c in range(8))
            frame.update(pfc(classes, times))
        elif raw[12:16] == b"\x88\x08\x01\x02":
            classes, quanta, host = raw[17], int.from_bytes(raw[18:20], "big"), raw[20:26]
            frame.update(kind="stop-destination", classes=classes, quanta=quanta,
                         host=":".join(f"{byte:02x}" for byte in host))
        elif raw[12:16] == b"\x88\x08\x01\x03":
            frame.update(kind=("credit", "credit-request", "credit-sync")[raw[16]],
                         classes=raw[17], quanta=int.from_bytes(raw[18:26], "big"))
        if packet.haslayer(IP):
            priority = packet[Dot1Q].prio if packet.haslayer(Dot1Q) else None
            frame.update(to=packet.dst, id=packet[IP].id, priority=priority,
                         ecn="1" if packet[IP].tos & 3 == 3 else "0")
        yield frame


def differences(wanted, found):
    """The first packet that is not what the trace says, in words; nothing if all are."""
    found = list(found)
    if len(wanted) != len(found):
        return [f"{len(found)} packets, {len(wanted)} frames started"]
    for place, (want, have) in enumerate(zip(wanted, found)):
        if have.get("checksums") is False:
            return [f"packet {place + 1}: a checksum is wrong"]
        names = {"rtp": "udp"}
        if "classes" not in have:
            names.update({"credit-request": "credit", "credit-sync": "credit"})
        want = dict(want, kind=names.get(want["kind"], want["kind"]))
        for key, value in want.items():
            # tshark tells nothing of what is behind an opcode it does not know.
            unknown = key not in have and (want["kind"] in UNKNOWN or key == "channel")
            if not unknown and have.get(key) != value:
                return [f"packet {place + 1}: {key} is {have.get(key)}, should be {value}"]
    return []


def tables(out, frames):
    """Frames by channel against the tables."""
    complaints = []
    stops, resumes, data = Counter(), Counter(), Counter()
    for frame in frames:
        if frame["kind"] in ("tcp", "udp", "rtp"):
            data[frame["channel"]] += 1
        elif frame["quanta"] == 0:
            resumes[frame["channel"]] += 1
        else:
            stops[frame["channel"]] += 1
    for row in rows(out / "tables/ports.csv"):
        name = row["port"]
        for what, count in (("stops", stops[name]), ("resumes", resumes[name])):
            # The last one made may not have started yet, or not have ended.
            told = int(row[f"{what}_sent_frames"])
            if not 0 <= told - count <= 1:
                complaints.append(f"{name}: {count} {what}, the table says {told}")
    sent = Counter()
    for row in rows(out / "tables/queues.csv"):
        sent[row["port"]] += int(row["sent_frames"])
    for name in set(sent) | set(data):
        # A frame that has started has not been sent.
        if not 0 <= data[name] - sent[name] <= 1:
            complaints.append(f"{name}: {data[name]} frames, the table says {sent[name]}")
    return complaints


def names(out, capture):
    """Hosts as tshark names them, against the CSV trace."""
    wanted = Counter((row["from"], row["to"]) for row in rows(out / "trace.csv")
                     if row["event"] == "out" and row["kind"] in ("tcp", "udp", "rtp"))
    command = ["tshark", "-r", str(capture), "-N", "n", "-Y", "ip", "-T", "fields",
               "-E", "separator=|", "-e", "ip.src_host", "-e", "ip.dst_host"]
    done = subprocess.run(command, capture_output=True, text=True)
    found = Counter(tuple(line.split("|")) for line in done.stdout.splitlines())
    return [] if found == wanted else [f"hosts are {found}, should be {wanted}"]


def corrupted(capture, kinds):
    """Copies with one bit turned over, and what it is a bit of."""
    content = capture.read_bytes()
    control = content.find(bytes.fromhex("0180c2000001"))
    places = {"quanta": control + 17, "source": control + 11}
    if "pfc" in kinds:
        places.update({"quanta": control + 18 + 2 * 3, "classes": control + 17})
    if "stop-destination" in kinds:
        places.update({"quanta": control + 19, "host": control + 25})
    ip = content.find(bytes.fromhex("080045")) + 2
    while content[ip + 9] != 6:
        ip = content.find(bytes.fromhex("080045"), ip) + 2
    places.update({"sequence number": ip + 20 + 7, "identification": ip + 5,
                   "address": ip + 19, "ECN": ip + 1})
    for what, place in places.items():
        copy = bytearray(content)
        copy[place] ^= 1
        path = capture.with_name("corrupted.pcapng")
        path.write_bytes(copy)
        yield what, path


def guesses(capture, *options):
    """Packets with UDP or TCP by what tshark makes of what is in them: a dissector may guess."""
    command = ["tshark", "-r", str(capture), *options, "-T", "fields", "-E", "separator=|",
               "-e", "frame.protocols", "-e", "_ws.malformed"]
    done = subprocess.run(command, capture_output=True, text=True)
    return Counter(line for line in done.stdout.splitlines() if line not in PLAIN)


def many(binary):
    """Thousands of flows: no reader takes one for another protocol, and each has its own ports."""
    out = OUT / "many"
    run(binary, "tests/captures/many.toml", [], out)
    capture = out / "trace.pcapng"
    complaints = [f"tshark takes {count} packets for {what}"
                  for what, count in guesses(capture).items()]
    if not guesses(capture, "-d", "udp.port==61000-61010,vxlan"):
        complaints.append("what tshark takes for VXLAN passes")
    others, flows = Counter(), {"udp": set(), "tcp": set()}
    for raw, _ in RawPcapNgReader(str(capture)):
        packet = Ether(raw)
        names = [layer.__name__ for layer in packet.layers()]
        others.update(set(names) - {"Ether", "IP", "TCP", "UDP", "Raw", "Padding"})
        for name, layer in (("udp", UDP), ("tcp", TCP)):
            if packet.haslayer(layer):
                ends = [(packet[IP].src, packet[layer].sport), (packet[IP].dst, packet[layer].dport)]
                flows[name].add(tuple(sorted(ends)))
    complaints += [f"scapy takes {count} packets for {what}" for what, count in others.items()]
    started = {"udp": set(), "tcp": set()}
    for row in rows(out / "tables/flows.csv"):
        if int(row["offered_frames"]):
            started[row["protocol"].lower()].add(row["flow"])
    for name, own in flows.items():
        # A frame that waits has not been sent.
        if not 0.9 * len(started[name]) < len(own) <= len(started[name]):
            complaints.append(f"{len(own)} flows by {name}, {len(started[name])} in the table")
    print(f"captures: many: {len(flows['udp'])} flows by UDP, {len(flows['tcp'])} by TCP")
    return complaints


def one_port(binary):
    """A file of one port, as the documents say: no packet in it counts as sent again."""
    out = OUT / "pause"
    whole, copy = out / "trace.pcapng", out / "port.pcapng"
    subprocess.run(["tshark", "-r", whole, "-w", copy, "-Y", 'frame.interface_name == "S1 -> A"'],
                   check=True, capture_output=True)
    counts = []
    for path in (copy, whole):
        command = ["tshark", "-r", str(path), "-Y", "tcp.analysis.flags && tcp.len > 0"]
        done = subprocess.run(command, capture_output=True, text=True)
        counts.append(len(done.stdout.splitlines()))
    again = sum(int(row["retransmitted_bytes"]) for row in rows(out / "tables/tcp.csv"))
    print(f"captures: one port: {counts[0]} segments sent again, of all ports {counts[1]}")
    return [] if counts[0] == again == 0 < counts[1] else [f"sent again: {counts}, {again} B"]


def case(binary, name, scenario, sets, kinds, priority):
    out = OUT / name
    run(binary, scenario, sets, out)
    frames = expected(out, priority)
    missing = kinds - {frame["kind"] for frame in frames}
    if missing:
        return [f"no frames of {', '.join(sorted(missing))}: nothing is shown"]
    capture = out / "trace.pcapng"
    complaints = [f"tshark: {what}" for what in differences(frames, with_tshark(capture))]
    complaints += [f"scapy: {what}" for what in differences(frames, with_scapy(capture))]
    if not VERIFIED[GOOD_CHECKSUM]:
        complaints.append("tshark verified no checksum of TCP")
    complaints += tables(out, frames) + names(out, capture)
    for what, path in corrupted(capture, kinds):
        try:
            seen = (differences(frames, with_tshark(path))
                    or differences(frames, with_scapy(path)))
        except (ValueError, KeyError) as error:
            seen = [str(error)]
        if not seen:
            complaints.append(f"a wrong {what} passes")
    counts = Counter(frame["kind"] for frame in frames)
    print(f"captures: {name}: {len(frames)} frames, " +
          ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())))
    return complaints


def main():
    complaints = []
    for name, *rest in CASES:
        complaints += [f"{name}: {what}" for what in case(sys.argv[1], name, *rest)]
    complaints += [f"many: {what}" for what in many(sys.argv[1])]
    complaints += [f"one port: {what}" for what in one_port(sys.argv[1])]
    for complaint in complaints:
        print(f"captures: FAILED: {complaint}")
    if complaints:
        sys.exit(1)
    print(f"captures: {len(CASES)} runs as tshark and scapy read them; corrupted copies are seen")


main()
