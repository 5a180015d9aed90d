# Link-speed mismatch for ns-2: station S, 100 Mbps, switch, 10 Mbps, station D.
#
#     ns mismatch.tcl name value name value ..
#
# Files over connections from S to D, a think time before each, window and threshold new for each
# file. Prints `goodput_mbps`, `drops`, `time_outs` and `packet_hops`; the names are below.
# benches/ethernet_peers.py gives them from a scenario.

array set want {
    flavour Reno  connections 1  segments 200  mss 1024  window 63  initial 1  think 0.02
    fast 100e6  slow 10e6  delay 0.5e-6  queue 64  tick 0.5  min_rto 1.0  max_rto 64.0
    first_rto 3.0  growth standard  duration 60  warm_up 10  seed 1  ack_delay 0
}
array set want $argv
# Ethernet header and FCS (18), IP and TCP headers (40), preamble and gap (20).
set frame [expr {$want(mss) + 78}]
set acknowledgement 84

set ns [new Simulator]
ns-random $want(seed)
set S [$ns node]
set A [$ns node]
set D [$ns node]
$ns duplex-link $S $A $want(fast) $want(delay) DropTail
$ns duplex-link $A $D $want(slow) $want(delay) DropTail
foreach {from to} [list $S $A  $A $S  $D $A] { $ns queue-limit $from $to 1000000 }
# The packet being sent is not in ns-2's queue; the queue is full one short of its limit.
$ns queue-limit $A $D $want(queue)

Agent/TCP set packetSize_ $want(mss)
Agent/TCP set tcpip_base_hdr_size_ 78
Agent/TCP set syn_ false
Agent/TCP set windowInit_ $want(initial)
Agent/TCP set window_ $want(window)
Agent/TCP set maxcwnd_ [expr {$want(window) + 1}]
Agent/TCP set delay_growth_ false
Agent/TCP set tcpTick_ $want(tick)
Agent/TCP set minrto_ $want(min_rto)
Agent/TCP set maxrto_ $want(max_rto)
Agent/TCP set rtxcur_init_ $want(first_rto)
Agent/TCP set slow_start_restart_ false
# No limited transmit (RFC 3042).
Agent/TCP set singledup_ 0
# Tahoe and Reno of BSD retransmit on three duplicates also just after a time-out.
Agent/TCP set bugFix_ [expr {$want(flavour) ne "Reno" && $want(flavour) ne "Tahoe"}]
# The timer starts anew with each partial acknowledgement ("slow but steady").
Agent/TCP/Newreno set newreno_changes1_ 0
Agent/TCP/Newreno set exit_recovery_fix_ 1
Agent/TCPSink set packetSize_ $acknowledgement
# Every second segment, else this long after the first that waits.
Agent/TCPSink/DelAck set interval_ $want(ack_delay)
Agent/TCPSink/Sack1/DelAck set interval_ $want(ack_delay)

set pause [new RandomVariable/Uniform]
$pause set min_ 0.0
$pause set max_ $want(think)

proc next_file {agent} {
    global want
    $agent set cwnd_ $want(initial)
    $agent set ssthresh_ $want(window)
    $agent advanceby $want(segments)
}

Agent/TCP instproc done {} {
    global ns pause
    $ns at [expr {[$ns now] + [$pause value]}] "next_file $self"
}

set kind [expr {$want(flavour) eq "Tahoe" ? "Agent/TCP" : "Agent/TCP/$want(flavour)"}]
for {set i 0} {$i < $want(connections)} {incr i} {
    set agent [new $kind]
    set selective [expr {$want(flavour) eq "Sack1" ? "/Sack1" : ""}]
    set sink [new Agent/TCPSink$selective[expr {$want(ack_delay) > 0 ? "/DelAck" : ""}]]
    $ns attach-agent $S $agent
    $ns attach-agent $D $sink
    $ns connect $agent $sink
    lappend agents $agent
    $ns at [$pause value] "next_file $agent"
}

# ns-2 adds increase_num_ / cwnd for each acknowledgement; so this is 1 / cwnd + 1 / 8. The window
# moves by less than a fifth of a segment in a millisecond but for losses.
proc follow {} {
    global ns agents
    foreach agent $agents {
        $agent set increase_num_ [expr {1 + [$agent set cwnd_] / 8.0}]
    }
    $ns at [expr {[$ns now] + 0.001}] follow
}
if {$want(growth) eq "eighth"} { $ns at 0.0 follow }

proc acknowledged {} {
    global agents
    set sum 0
    foreach agent $agents { incr sum [expr {[$agent set ack_] + 1}] }
    return $sum
}

proc start_counting {} {
    global before
    set before [acknowledged]
}

proc finish {} {
    global ns want before agents monitors
    set segments [expr {[acknowledged] - $before}]
    set span [expr {$want(duration) - $want(warm_up)}]
    puts "goodput_mbps [expr {$segments * $want(mss) * 8e-6 / $span}]"
    set time_outs 0
    set again 0
    foreach agent $agents {
        incr time_outs [$agent set nrexmit_]
        incr again [$agent set nrexmitpack_]
    }
    set hops 0
    foreach monitor $monitors { incr hops [expr {int([$monitor set pdepartures_])}] }
    puts "drops [expr {int([[lindex $monitors 1] set pdrops_])}]"
    puts "time_outs $time_outs"
    puts "again $again"
    puts "packet_hops $hops"
    exit 0
}

foreach {from to} [list $S $A  $A $D  $D $A  $A $S] {
    lappend monitors [$ns monitor-queue $from $to ""]
}
$ns at $want(warm_up) start_counting
$ns at $want(duration) finish
$ns run
