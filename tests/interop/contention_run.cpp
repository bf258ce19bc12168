#include "interop/contention_run.h"

#include <QTest>

#include <algorithm>

namespace drover::test {

OurTasks::OurTasks()
    : m_tasks([this](const std::exception_ptr &error) {
          if (!m_error)
              m_error = error;
      })
{
}

void OurTasks::finish()
{
    await(m_tasks.drained());
    if (m_error)
        std::rethrow_exception(m_error);
}

void ContentionRun::join(ForeignPeer &peer, const QByteArray &client, const QByteArray &recipe,
                         const QByteArray &permits)
{
    m_expected[peer.name() + '-' + client] = Rounds;
    m_foreign.emplace_back(&peer, client);
    peer.tell(client,
              recipe + " contend " + m_path.bytes() + ' ' + QByteArray::number(Rounds) + ' ' + m_log.path() + ' '
                  + permits);
}

QProcess &ContentionRun::join(const QProcessEnvironment &environment, const QString &command, const QByteArray &who,
                              const QByteArray &mode, int rounds, const QByteArray &meanwhile)
{
    const auto log = [&](const QByteArray &event) {
        return "echo " + event + ' ' + who + ' ' + mode + " $DROVER_FENCE >> " + m_log.path() + "; ";
    };
    const QString script = QStringLiteral("for i in $(seq %1); do \"$DROVER_BIN_DIR\"/drover %2 -- sh -c '%3'; done")
                               .arg(rounds)
                               .arg(command, QString::fromUtf8(log("begin") + meanwhile + log("end")));
    m_expected[who] = rounds;
    m_programs.push_back(std::make_unique<QProcess>());
    QProcess &shell = *m_programs.back();
    shell.setProcessEnvironment(environment);
    shell.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    shell.start(QStringLiteral("sh"), {QStringLiteral("-c"), script});
    return shell;
}

void ContentionRun::finish()
{
    try {
        m_ours.finish();
        for (const auto &[peer, client] : m_foreign)
            await(peer->answer(client));
        const auto haveEnded = [this] {
            return std::all_of(m_programs.begin(), m_programs.end(),
                               [](const auto &program) { return program->state() == QProcess::NotRunning; });
        };
        if (!QTest::qWaitFor(haveEnded, 60'000))
            throw TookTooLong();
    } catch (const TookTooLong &) {
        // The verdict says who has not come to its end.
    }
}

QString ContentionRun::verdict(int permits) const
{
    const std::vector<FencedLog::Entry> log = m_log.entries();
    QStringList verdict = faults(log, permits);
    std::map<QByteArray, int> had = rounds(log);
    for (const auto &[who, wanted] : m_expected) {
        if (had[who] != wanted)
            verdict << QStringLiteral("%1 had %2 of %3 rounds").arg(QString::fromUtf8(who)).arg(had[who]).arg(wanted);
    }
    if (handOvers(log) < Rounds)
        verdict << QStringLiteral("no contention: it changed hands %1 times").arg(handOvers(log));
    return verdict.join(u'\n');
}

} // namespace drover::test
