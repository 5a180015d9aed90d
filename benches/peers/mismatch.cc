// Link-speed mismatch for ns-3: station S, 100 Mbps, router, 10 Mbps, station D.
//
//     g++ -O2 -o mismatch mismatch.cc -lns3-core -lns3-network -lns3-internet
//         -lns3-point-to-point -lns3-traffic-control -ldl
//     ./mismatch --connections=2 --segments=200 ..
//
// Files over connections from S to D, a think time before each, window and threshold new for each
// file. Prints `goodput_mbps`, `drops`, `time_outs` and `packet_hops`; `--help` lists the names.
// benches/ethernet_peers.py gives them from a scenario.
//
// Written for ns-3.37. The links are point to point (ns-3's Ethernet is a shared medium) and the
// switch a router; rates are scaled so that packets, which have 2 bytes of PPP instead of 18 of
// Ethernet and 20 of preamble and gap, take as long as frames do.

#include <cstdint>
#include <dlfcn.h>
#include <iostream>
#include <vector>

#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

namespace ns3
{

// Stands before the library's function of this name. ns-3.37 finds an empty segment to send, and
// crashes, when exactly the receiver's window is out (its issue 991, corrected in 3.41); and it
// sends less than a segment when less than a segment of that window is left. BSD waits.
bool
TcpTxBuffer::NextSeg(SequenceNumber32* from, SequenceNumber32* to, bool isRecovery) const
{
    using Function = bool (*)(const TcpTxBuffer*, SequenceNumber32*, SequenceNumber32*, bool);
    static const auto name = "_ZNK3ns311TcpTxBuffer7NextSegEPNS_14SequenceNumberIjiEES3_b";
    static const auto library = reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
    NS_ABORT_MSG_IF(library == nullptr, "this ns-3 has no TcpTxBuffer::NextSeg");
    bool isFound = library(this, from, to, isRecovery);
    return isFound && static_cast<uint32_t>(*to - *from) >= m_segmentSize;
}

} // namespace ns3

using namespace ns3;

namespace
{

struct Want
{
    uint32_t connections = 1;
    uint32_t segments = 200;
    uint32_t mss = 1024;
    uint32_t window = 65535;
    uint32_t initial = 1;
    double think = 0.02;
    double fast = 100e6;
    double slow = 10e6;
    double delay = 0.5e-6;
    uint32_t queue = 64;
    double tick = 1e-3;
    double minRto = 1.0;
    double firstRto = 3.0;
    bool eighth = false;
    bool sack = false;
    double ackDelay = 0;
    double duration = 60;
    double warmUp = 10;
    uint32_t seed = 1;
};

Want want;
uint64_t timeOuts = 0;
uint64_t delivered = 0;
uint64_t deliveredBefore = 0;
uint64_t hops = 0;
uint64_t drops = 0;
Ptr<UniformRandomVariable> pause_;

// NewReno whose window and threshold can be set anew; with MSS / 8 more for each acknowledgement
// in congestion avoidance if wanted.
class Fresh : public TcpNewReno
{
  public:
    void Restart()
    {
        if (m_state)
        {
            m_state->m_cWnd = want.initial * m_state->m_segmentSize;
            m_state->m_cWndInfl = m_state->m_cWnd;
            m_state->m_ssThresh = UINT32_MAX;
        }
    }

    void Init(Ptr<TcpSocketState> state) override
    {
        m_state = state;
    }

    void IncreaseWindow(Ptr<TcpSocketState> state, uint32_t acked) override
    {
        m_state = state;
        TcpNewReno::IncreaseWindow(state, acked);
        // More than the receiver's window is of no use.
        if (state->m_cWnd > want.window)
        {
            state->m_cWnd = want.window;
        }
    }

    void CongestionStateSet(Ptr<TcpSocketState> state,
                            const TcpSocketState::TcpCongState_t next) override
    {
        m_state = state;
        timeOuts += next == TcpSocketState::CA_LOSS;
    }

  protected:
    void CongestionAvoidance(Ptr<TcpSocketState> state, uint32_t acked) override
    {
        TcpNewReno::CongestionAvoidance(state, acked);
        if (want.eighth && acked > 0)
        {
            state->m_cWnd += state->m_segmentSize / 8;
        }
    }

  private:
    Ptr<TcpSocketState> m_state;
};

// Sends files over a socket, one after another.
class Sender : public Object
{
  public:
    void Start(Ptr<Socket> socket)
    {
        m_socket = DynamicCast<TcpSocketBase>(socket);
        m_window = CreateObject<Fresh>();
        m_socket->SetCongestionControlAlgorithm(m_window);
        m_socket->SetConnectCallback(MakeCallback(&Sender::Think, this),
                                     MakeNullCallback<void, Ptr<Socket>>());
        m_socket->TraceConnectWithoutContext("HighestRxAck", MakeCallback(&Sender::Acked, this));
    }

  private:
    void Think(Ptr<Socket>)
    {
        Simulator::Schedule(Seconds(pause_->GetValue()), &Sender::Next, this);
    }

    void Next()
    {
        m_window->Restart();
        uint32_t bytes = want.segments * want.mss;
        m_end += bytes;
        if (m_socket->Send(Create<Packet>(bytes), 0) != static_cast<int>(bytes))
        {
            NS_FATAL_ERROR("the send buffer is too small");
        }
    }

    // The SYN takes the first sequence number.
    void Acked(SequenceNumber32, SequenceNumber32 next)
    {
        m_acked += static_cast<uint32_t>(next.GetValue() - m_last);
        m_last = next.GetValue();
        if (m_end > 0 && m_acked == m_end + 1)
        {
            Think(m_socket);
        }
    }

    Ptr<TcpSocketBase> m_socket;
    Ptr<Fresh> m_window;
    uint64_t m_end = 0;
    uint64_t m_acked = 0;
    uint32_t m_last = 0;
};

void
Read(Ptr<Socket> socket)
{
    while (Ptr<Packet> packet = socket->Recv())
    {
        delivered += packet->GetSize();
    }
}

void
Accept(Ptr<Socket> socket, const Address&)
{
    socket->SetRecvCallback(MakeCallback(&Read));
}

void
Hop(Ptr<const Packet>)
{
    ++hops;
}

// A full queue of a device stops the layer above, and that drops.
void
Drop(Ptr<const Packet>)
{
    ++drops;
}

void
Warm()
{
    deliveredBefore = delivered;
}

void
Parse(int argc, char** argv)
{
    CommandLine given;
    given.AddValue("connections", "from S to D", want.connections);
    given.AddValue("segments", "of a file", want.segments);
    given.AddValue("mss", "bytes", want.mss);
    given.AddValue("window", "of the receiver, bytes", want.window);
    given.AddValue("initial", "first congestion window, segments", want.initial);
    given.AddValue("think", "largest, s", want.think);
    given.AddValue("fast", "link of S, bps", want.fast);
    given.AddValue("slow", "link of D, bps", want.slow);
    given.AddValue("delay", "of a link, s", want.delay);
    given.AddValue("queue", "packets, the one being sent included", want.queue);
    given.AddValue("tick", "clock granularity, s", want.tick);
    given.AddValue("min_rto", "s", want.minRto);
    given.AddValue("first_rto", "s", want.firstRto);
    given.AddValue("eighth", "MSS/8 more", want.eighth);
    given.AddValue("sack", "selective acknowledgements", want.sack);
    given.AddValue("ack_delay", "every second segment is acknowledged, else after s", want.ackDelay);
    given.AddValue("duration", "s", want.duration);
    given.AddValue("warm_up", "s", want.warmUp);
    given.AddValue("seed", "any", want.seed);
    given.Parse(argc, argv);
}

void
Configure()
{
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(want.mss));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(want.initial));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(want.ackDelay > 0 ? 2 : 1));
    if (want.ackDelay > 0)
    {
        Config::SetDefault("ns3::TcpSocket::DelAckTimeout", TimeValue(Seconds(want.ackDelay)));
    }
    Config::SetDefault("ns3::TcpSocket::TcpNoDelay", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(1 << 30));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(want.window));
    Config::SetDefault("ns3::TcpSocket::ConnTimeout", TimeValue(Seconds(want.firstRto)));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(Seconds(want.minRto)));
    Config::SetDefault("ns3::TcpSocketBase::ClockGranularity", TimeValue(Seconds(want.tick)));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(want.sack));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::WindowScaling", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::LimitedTransmit", BooleanValue(false));
    Config::SetDefault("ns3::TcpL4Protocol::RecoveryType",
                       TypeIdValue(TcpClassicRecovery::GetTypeId()));
    RngSeedManager::SetRun(want.seed);
    pause_ = CreateObject<UniformRandomVariable>();
    pause_->SetAttribute("Max", DoubleValue(want.think));
}

// A link; data goes from a to b, acknowledgements back. A frame of so many bytes takes 20 more on
// the wire.
NetDeviceContainer
Join(Ptr<Node> a, Ptr<Node> b, double bps, uint32_t queue)
{
    uint32_t data = want.mss + 42;
    uint32_t acknowledgement = 42;
    PointToPointHelper helper;
    helper.SetChannelAttribute("Delay", TimeValue(Seconds(want.delay)));
    NetDeviceContainer devices = helper.Install(a, b);
    auto set = [&](uint32_t index, double rate, uint32_t packets) {
        auto device = DynamicCast<PointToPointNetDevice>(devices.Get(index));
        device->SetDataRate(DataRate(static_cast<uint64_t>(rate)));
        auto size = QueueSize(QueueSizeUnit::PACKETS, packets);
        device->GetQueue()->SetAttribute("MaxSize", QueueSizeValue(size));
        device->TraceConnectWithoutContext("PhyTxEnd", MakeCallback(&Hop));
    };
    set(0, bps * data / (data + 36), queue);
    set(1, bps * acknowledgement / 84, 1000000);
    return devices;
}

} // namespace

int
main(int argc, char** argv)
{
    Parse(argc, argv);
    Configure();
    NodeContainer nodes;
    nodes.Create(3);
    // The packet being sent is not in the queue of a device.
    auto near = Join(nodes.Get(0), nodes.Get(1), want.fast, 1000000);
    auto far = Join(nodes.Get(1), nodes.Get(2), want.slow, want.queue - 1);
    InternetStackHelper().Install(nodes);
    Ipv4AddressHelper("10.1.1.0", "255.255.255.0").Assign(near);
    auto there = Ipv4AddressHelper("10.1.2.0", "255.255.255.0").Assign(far);
    // No second queue above the device's.
    TrafficControlHelper().Uninstall(near);
    TrafficControlHelper().Uninstall(far);
    nodes.Get(1)->GetObject<TrafficControlLayer>()->TraceConnectWithoutContext(
        "TcDrop",
        MakeCallback(&Drop));
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();

    auto listener = Socket::CreateSocket(nodes.Get(2), TcpSocketFactory::GetTypeId());
    listener->Bind(InetSocketAddress(Ipv4Address::GetAny(), 9));
    listener->Listen();
    listener->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                MakeCallback(&Accept));
    std::vector<Ptr<Sender>> senders;
    for (uint32_t i = 0; i < want.connections; ++i)
    {
        auto socket = Socket::CreateSocket(nodes.Get(0), TcpSocketFactory::GetTypeId());
        auto sender = CreateObject<Sender>();
        sender->Start(socket);
        socket->Connect(InetSocketAddress(there.GetAddress(1), 9));
        senders.push_back(sender);
    }
    Simulator::Schedule(Seconds(want.warmUp), &Warm);
    Simulator::Stop(Seconds(want.duration));
    Simulator::Run();

    double span = want.duration - want.warmUp;
    auto device = DynamicCast<PointToPointNetDevice>(far.Get(0));
    std::cout << "goodput_mbps " << (delivered - deliveredBefore) * 8e-6 / span << "\n"
              << "drops " << drops + device->GetQueue()->GetTotalDroppedPackets() << "\n"
              << "time_outs " << timeOuts << "\n"
              << "packet_hops " << hops << "\n";
    Simulator::Destroy();
    return 0;
}
