#include "app/cli/arguments.h"
#include "app/commands/commands.h"
#include "app/completion/expected_word.h"
#include "app/completion/words.h"
#include "app/environment/context.h"
#include "async/or_timeout.h"
#include "text/printable.h"

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

async::Task<QList<Candidate>> askCluster(Context &context, ExpectedWord expected)
{
    zk::Client *const zk = co_await context.connect(SessionTimeout);
    const jobs::Cluster cluster(*zk, context.layout());
    QList<Candidate> all;
    for (const CompletionKind kind : expected.kinds) {
        if (!isInCluster(kind))
            continue;
        const QList<Candidate> words = co_await clusterWords(cluster, kind, expected.begun);
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
        Context asking(context.loop(), context.unixSignals(), arguments, Settings::collect(arguments), std::nullopt);
        const QList<Candidate> found =
            co_await async::orTimeout(context.loop(), askCluster(asking, std::move(expected)), Patience);
        co_return found;
    } catch (const std::exception &) {
        // It is no time for complaints.
    }
    co_return QList<Candidate>();
}

// The scripts cut the output into lines, and a line that begins with a colon is a directive. Every submitter chooses
// names and tags, so they may look like one, or hold escape sequences.
bool isSafeForShell(const QString &word)
{
    return !word.startsWith(u':') && text::printable(word) == word;
}

void print(const Output &out, const ExpectedWord &expected, const QList<Candidate> &candidates)
{
    QSet<QString> seen;
    for (const Candidate &candidate : candidates) {
        const QString whole = expected.fixed + candidate.word;
        if (!candidate.word.startsWith(expected.begun) || !isSafeForShell(whole) || seen.contains(candidate.word))
            continue;
        seen.insert(candidate.word);
        out.line(candidate.about.isEmpty() ? whole : whole + u'\t' + text::printable(candidate.about));
    }
    if (expected.kinds.contains(CompletionKind::Znode))
        out.line(QStringLiteral(":nospace")); // it may go on
    if (expected.kinds.contains(CompletionKind::File) || expected.kinds.contains(CompletionKind::SharedFile))
        out.line(QStringLiteral(":files"));
    if (expected.kinds.contains(CompletionKind::Directory))
        out.line(QStringLiteral(":directories"));
    if (expected.program >= 0)
        out.line(QStringLiteral(":program %1").arg(expected.program));
}

async::Task<int> printWords(Context &context)
{
    const QStringList words = context.arguments().positional();
    const ExpectedWord expected = expectedWord(words);
    QList<Candidate> candidates = expected.words;
    for (const CompletionKind kind : expected.kinds)
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
                ":files, :directories, :program N (word N, from 0, begins another command), :nospace (it goes on).\n"
                "Candidates that begin with a colon, or hold an unprintable character, are left out.",
            .argumentCount = {0, Command::Unlimited},
            .run = printWords};
}

} // namespace drover::app
