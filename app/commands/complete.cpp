#include "app/command_line.h"
#include "app/commands/commands.h"
#include "app/completion/cluster_words.h"
#include "app/completion/expected_word.h"
#include "app/completion/local_words.h"
#include "app/context.h"
#include "async/or_timeout.h"

#include <QSet>

namespace drover::app {

using namespace std::chrono_literals;

namespace {

constexpr auto Patience = 900ms; // the user has pressed a key
constexpr auto SessionTimeout = 4s; // should we be killed, the servers forget it soon

// The words' own options say which cluster it is about, as far as they can be read.
Arguments argumentsIn(const QStringList &words)
{
    auto parser = std::make_shared<QCommandLineParser>();
    parser->addOptions(globalOptions());
    QStringList complete = words.mid(0, words.size() - 1);
    if (!complete.isEmpty() && complete.last().startsWith(u'-'))
        complete.removeLast(); // an option, and its value may be what is being typed
    parser->parse(QStringList{QStringLiteral("drover")} + complete);
    return Arguments(parser);
}

async::Task<QList<Candidate>> askCluster(Context &cluster, ExpectedWord expected)
{
    zk::Coordinator *const zk = co_await cluster.connect(SessionTimeout);
    QList<Candidate> all;
    for (const ValueKind kind : expected.kinds) {
        if (!isInCluster(kind))
            continue;
        const QList<Candidate> words = co_await clusterWords(*zk, cluster.layout(), kind, expected.begun);
        all += words;
    }
    co_return all;
}

// Nothing where there is no cluster, or none that answers in time.
async::Task<QList<Candidate>> wordsOfCluster(Context &context, QStringList words, ExpectedWord expected)
{
    if (std::none_of(expected.kinds.begin(), expected.kinds.end(), isInCluster))
        co_return QList<Candidate>();
    try {
        const Arguments arguments = argumentsIn(words);
        Context cluster(context.loop(), context.unixSignals(), arguments, Settings::collect(arguments));
        const QList<Candidate> found =
            co_await async::orTimeout(context.loop(), askCluster(cluster, std::move(expected)), Patience);
        co_return found;
    } catch (const std::exception &) {
        // It is no time for complaints.
    }
    co_return QList<Candidate>();
}

void print(const Output &out, const ExpectedWord &expected, const QList<Candidate> &candidates)
{
    QSet<QString> seen;
    for (const Candidate &candidate : candidates) {
        const bool fits = candidate.word.startsWith(expected.begun) && !candidate.word.contains(u'\n');
        if (!fits || seen.contains(candidate.word))
            continue;
        seen.insert(candidate.word);
        out.line(expected.fixed + candidate.word + (candidate.about.isEmpty() ? QString() : u'\t' + candidate.about));
    }
    if (expected.kinds.contains(ValueKind::Znode))
        out.line(QStringLiteral(":nospace")); // it may go on
    if (expected.kinds.contains(ValueKind::File) || expected.kinds.contains(ValueKind::SharedFile))
        out.line(QStringLiteral(":files"));
    if (expected.kinds.contains(ValueKind::Directory))
        out.line(QStringLiteral(":directories"));
    if (expected.program >= 0)
        out.line(QStringLiteral(":program %1").arg(expected.program));
}

async::Task<int> execute(Context &context)
{
    const QStringList words = context.arguments().positional();
    const ExpectedWord expected = expectedWord(words);
    QList<Candidate> candidates = expected.words;
    for (const ValueKind kind : expected.kinds)
        candidates += localWords(kind);
    const QList<Candidate> inCluster = co_await wordsOfCluster(context, words, expected);
    print(context.out(), expected, candidates + inCluster);
    co_return ExitOk;
}

} // namespace

Command complete()
{
    return {.name = "complete",
            .synopsis = "-- WORD...",
            .summary = "Say what may stand in the place of the last word: for the scripts of drover completion",
            .details =
                "WORD... is a command line without its first word; the last may be begun or empty. A line for each\n"
                "candidate, behind a tab what it is. Lines with a colon tell the shell what it knows better:\n"
                ":files, :directories, :program N (word N, from 0, begins another command), :nospace (it goes on).",
            .maxArguments = Command::Unlimited,
            .run = execute};
}

} // namespace drover::app
