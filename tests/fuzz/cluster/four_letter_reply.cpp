#include "fuzz/harness/target.h"
#include "zk/ensemble/server_report.h"
#include "zk/server/four_letter_word.h"

using namespace drover;

// What a server answers to srvr, stat, conf or mntr; another program may answer anything.
DROVER_FUZZ_TARGET(four_letter_reply, Form::Bytes)
{
    for (const char *const name : {"Mode", "Zookeeper version", "Latency min/avg/max", "clientPort", "zk_version"}) {
        const QByteArray value = zk::fieldOf(input, name);
        require(!value.contains('\n') && input.contains(value), "a field has other bytes than the answer");
    }
    if (!zk::isOfZooKeeper(input))
        require(zk::anotherProgram(input).size() < 100, "the answer of another program is shown whole");
    zk::ServerReport report;
    report.answers = {{"srvr", input}, {"mntr", input}, {"conf", input}};
    (void)report.version();
    (void)report.latency();
    (void)report.number("mntr", "zk_znode_count");
    const std::optional<quint64> zxid = report.zxid();
    require(!zxid || report.lagBehind(*zxid) == 0, "a server is behind itself");
}
