#include "workers/process/runner_protocol.h"

#include <QTest>

#include <random>

using namespace drover::workers::protocol;

namespace {

Command someStart()
{
    return {.runId = 0x0102030405060708,
            .arguments = {"sh", "-c", std::string(1000, 'x'), ""},
            .environment = {"A=1", "PATH=/bin"},
            .tag = "DROVER_RUN=a.1",
            .directory = "/",
            .input = "",
            .output = "/spool/a.1.out",
            .error = "/spool/a.1.err",
            .keptClaim = "a-1 q5-0000000001 1 7",
            .resultIndex = 3,
            .outputCap = 64,
            .timeLimit = std::chrono::nanoseconds(-1),
            .grace = std::chrono::nanoseconds(5)};
}

Outcome someFinished()
{
    return {.runId = 7,
            .how = How::TimedOut,
            .exitCode = -1,
            .signal = 15,
            .reason = "why",
            .outputBytes = 1,
            .errorTruncated = true,
            .tail = std::string("\0\xff\n", 3)};
}

template <typename Message>
bool same(const Message &a, const Message &b)
{
    return Message::fields(a) == Message::fields(b);
}

// Both directions: what is garbage for one must be for the other.
bool isNothing(std::string_view bytes)
{
    return !decodeRequest(bytes) && !decodeReply(bytes);
}

} // namespace

class RunnerProtocolTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void eachMessageIsDecodedAsItWasEncoded();
    void refusesWhatIsCutOrTooLong();
    void refusesLyingLengths();
    void refusesOtherVersionsAndValues();
    void survivesGarbage();
};

void RunnerProtocolTest::eachMessageIsDecodedAsItWasEncoded()
{
    const std::optional<Request> start = decodeRequest(encode(someStart()));
    QVERIFY(start && same(std::get<Command>(*start), someStart()));
    const std::optional<Request> kill = decodeRequest(encode(Kill{.runId = 9, .graceNs = 10}));
    QVERIFY(kill && same(std::get<Kill>(*kill), Kill{.runId = 9, .graceNs = 10}));
    const std::optional<Request> signal = decodeRequest(encode(Signal{.runId = 9, .number = 10}));
    QVERIFY(signal && same(std::get<Signal>(*signal), Signal{.runId = 9, .number = 10}));
    const std::optional<Reply> started =
        decodeReply(encode(Started{.runId = 1, .pid = 2, .startedAt = std::chrono::milliseconds(3)}));
    QVERIFY(
        started
        && same(std::get<Started>(*started), Started{.runId = 1, .pid = 2, .startedAt = std::chrono::milliseconds(3)}));
    const std::optional<Reply> finished = decodeReply(encode(someFinished()));
    QVERIFY(finished && same(std::get<Outcome>(*finished), someFinished()));
    QVERIFY(!decodeReply(encode(someStart())));
    QVERIFY(!decodeRequest(encode(someFinished())));
}

void RunnerProtocolTest::refusesWhatIsCutOrTooLong()
{
    for (const std::string &whole : {encode(someStart()), encode(someFinished())}) {
        for (std::size_t size = 0; size < whole.size(); ++size)
            QVERIFY(isNothing(std::string_view(whole).substr(0, size)));
        QVERIFY(isNothing(whole + '\0'));
    }
}

// A length of 4 GiB must be refused before anyone allocates it.
void RunnerProtocolTest::refusesLyingLengths()
{
    constexpr std::size_t argumentCount = 2 + 8 + 4; // behind version, kind, run id and slot queue
    constexpr std::size_t firstArgument = argumentCount + 4;
    for (const std::size_t offset : {argumentCount, firstArgument}) {
        for (const std::uint32_t lie : {0xffffffffu, 0x7fffffffu, 10'000u}) {
            std::string bytes = encode(someStart());
            std::memcpy(bytes.data() + offset, &lie, sizeof lie);
            QVERIFY(isNothing(bytes));
        }
    }
}

void RunnerProtocolTest::refusesOtherVersionsAndValues()
{
    std::string otherVersion = encode(someStart());
    otherVersion[0] = char(version + 1);
    QVERIFY(isNothing(otherVersion));
    std::string otherKind = encode(someStart());
    otherKind[1] = 99;
    QVERIFY(isNothing(otherKind));
    std::string otherHow = encode(someFinished());
    otherHow[2 + 8 + 4] = char(lastHow) + 1;
    QVERIFY(isNothing(otherHow));
}

// Every outcome is acceptable but a crash, which the sanitizers would tell; most must be refused.
void RunnerProtocolTest::survivesGarbage()
{
    std::mt19937 random(1);
    const auto byte = [&] { return char(random() & 0xff); };
    int refused = 0;
    constexpr int rounds = 50'000;
    for (int round = 0; round < rounds; ++round) {
        std::string bytes = round % 2 == 0 ? encode(someStart()) : encode(someFinished());
        for (auto changes = random() % 8; changes > 0; --changes)
            bytes[random() % bytes.size()] = byte();
        bytes.resize(random() % 4 == 0 ? random() % 300 : bytes.size(), byte());
        refused += isNothing(bytes);
    }
    QCOMPARE_GT(refused, rounds / 4);
    QCOMPARE_LT(refused, rounds);
}

QTEST_GUILESS_MAIN(RunnerProtocolTest)
#include "runner_protocol_test.moc"
