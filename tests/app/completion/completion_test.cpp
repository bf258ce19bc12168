#include "app/support/drover_on_server.h"
#include "jobs/model/claim.h"

#include <QElapsedTimer>
#include <QStandardPaths>
#include <QTest>

using namespace drover;
using namespace drover::test;

// What the shell offers: the real program beside a real server, and a real bash with the script loaded.
class CompletionTest : public QObject
{
    Q_OBJECT

    DroverOnServer m_cluster;
    QString m_held;
    QString m_ready;
    QString m_running;

    QString submit(const char *arguments)
    {
        const Finished finished =
            m_cluster.drover.run(QStringList{QStringLiteral("submit")} + QString::fromUtf8(arguments).split(u' '));
        return QString::fromUtf8(finished.out.trimmed());
    }

    // The lines of `drover complete`, descriptions left out.
    QStringList offered(const QStringList &words) const
    {
        const Finished finished =
            m_cluster.drover.run(QStringList{QStringLiteral("complete"), QStringLiteral("--")} + words);
        if (finished.exitCode != 0 || !finished.err.isEmpty())
            return {QString::fromUtf8("failed: " + finished.err)};
        QStringList lines;
        for (const QByteArray &line : finished.out.split('\n')) {
            if (!line.isEmpty())
                lines.append(QString::fromUtf8(line.split('\t').first()));
        }
        lines.sort();
        return lines;
    }
    QStringList offered(const char *words) const { return offered(QString::fromUtf8(words).split(u' ')); }

    // What bash makes of the line with the cursor at its end, and the options that it knows. `words`: the
    // line as bash cuts it, with blanks between.
    QByteArray completedByBash(const char *line, const char *words, const QByteArray &before = {}) const
    {
        const QByteArray script = before + R"sh(
            compopt() { printf 'option %s\n' "$*"; }
            eval "$("$DROVER" completion bash)" || exit 1
            IFS=' ' read -r -a COMP_WORDS <<< "$2"
            [[ $2 == *' ' ]] && COMP_WORDS+=("")
            COMP_LINE=$1 COMP_POINT=${#1} COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            replaced=${COMP_WORDS[-1]#[\"\'=]}
            _drover "$DROVER" "$replaced" "${COMP_WORDS[-2]}"
            ((${#COMPREPLY[@]})) && printf '%s\n' "${COMPREPLY[@]}"
            exit 0)sh";
        QProcess bash;
        QProcessEnvironment environment = m_cluster.drover.environment();
        environment.insert(QStringLiteral("DROVER"),
                           qEnvironmentVariable("DROVER_BIN_DIR") + QStringLiteral("/drover"));
        bash.setProcessEnvironment(environment);
        bash.start(QStringLiteral("bash"),
                   {QStringLiteral("--norc"), QStringLiteral("--noprofile"), QStringLiteral("-c"),
                    QString::fromUtf8(script), QStringLiteral("bash"), QString::fromUtf8(line),
                    QString::fromUtf8(words)});
        const Finished finished = DroverProgram::finish(bash);
        return finished.exitCode == 0 && finished.err.isEmpty() ? finished.out : "failed: " + finished.err;
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_cluster.start({"default", "gpu"});
        m_held = submit("--hold -- true");
        m_ready = submit("--tag nightly -- true");
        m_running = submit("-- true");
        submit("--queue gpu -- true");
        jobs::Claim claim;
        claim.worker = QStringLiteral("w1");
        m_cluster.write(m_cluster.layout.claim(*jobs::JobId::parse(m_running)), claim.encode());
        QCOMPARE(
            m_cluster.drover
                .run({QStringLiteral("limit"), QStringLiteral("set"), QStringLiteral("licences"), QStringLiteral("3")})
                .exitCode,
            0);
        QCOMPARE(
            m_cluster.drover
                .run({QStringLiteral("queue"), QStringLiteral("limit"), QStringLiteral("gpu"), QStringLiteral("3")})
                .exitCode,
            0);
        QCOMPARE(m_cluster.drover
                     .run({QStringLiteral("cron"), QStringLiteral("add"), QStringLiteral("nightly"),
                           QStringLiteral("@yearly"), QStringLiteral("--"), QStringLiteral("true")})
                     .exitCode,
                 0);
    }

    void idsFitTheVerb()
    {
        QCOMPARE(m_held, QStringLiteral("default-0"));
        QCOMPARE(offered("signal TERM "), QStringList{m_running});
        QCOMPARE(offered("release "), QStringList{m_held});
        QCOMPARE(offered("hold default-"), QStringList{m_ready});
        QCOMPARE(offered("cancel default"), (QStringList{m_held, m_ready, m_running}));
        QCOMPARE(offered("cancel gpu-"), QStringList{QStringLiteral("gpu-0")});
        QCOMPARE(offered("cancel "), (QStringList{m_held, m_ready, m_running, QStringLiteral("gpu-0")}));
        QCOMPARE(offered("move default-0 g"), (QStringList{QStringLiteral("gpu"), QStringLiteral("gpu-0")}));
        QCOMPARE(m_cluster.drover.run({QStringLiteral("cancel"), m_held}).exitCode, 0);
        QCOMPARE(offered("logs "), (QStringList{m_held, m_running}));
        QVERIFY(offered("release ").isEmpty());
        QCOMPARE(offered("submit --after default-1,de"),
                 (QStringList{QStringLiteral("default-1,default-0"), QStringLiteral("default-1,default-1"),
                              QStringLiteral("default-1,default-2")}));
    }

    void namesAreThoseOfTheCluster()
    {
        QCOMPARE(offered("submit --queue "), (QStringList{QStringLiteral("default"), QStringLiteral("gpu")}));
        QCOMPARE(offered("ls --queue=g"), QStringList{QStringLiteral("--queue=gpu")});
        QCOMPARE(offered("submit --limit "), QStringList{QStringLiteral("licences")}); // not the one of the queue gpu
        QCOMPARE(offered("cancel --tag "), QStringList{QStringLiteral("nightly")});
        QCOMPARE(offered("cancel --name "), QStringList{QStringLiteral("true")});
        QCOMPARE(offered("cron rm n"), QStringList{QStringLiteral("nightly")});
        QCOMPARE(offered("--cluster d"), QStringList{QStringLiteral("default")});
        QCOMPARE(offered("ls --cluster d"), QStringList{QStringLiteral("default")});
        QVERIFY(offered("--cluster other submit --queue ").isEmpty());
        QCOMPARE(offered("tree /drover/default/cl"),
                 (QStringList{QStringLiteral("/drover/default/claims"), QStringLiteral(":nospace")}));
        QVERIFY(offered("history --outcome ti").contains(QStringLiteral("timed-out")));
        QCOMPARE(offered("submit --file x"), QStringList{QStringLiteral(":files")});
        QCOMPARE(offered("submit --name n -- l"), QStringList{QStringLiteral(":program 4")});
    }

    void nothingIsSaidWithoutACluster()
    {
        QVERIFY(offered("--connect 127.0.0.1:1 cancel ").isEmpty());
        QVERIFY(offered("--config /no/such/file cancel ").isEmpty());
        QVERIFY(offered("frobnicate ").isEmpty());
        m_cluster.server.pause();
        QElapsedTimer waited;
        waited.start();
        const QStringList words = offered("cancel ");
        const qint64 milliseconds = waited.elapsed();
        m_cluster.server.resume();
        QVERIFY2(words.isEmpty(), qPrintable(words.join(u' ')));
        QVERIFY2(milliseconds < 10'000, qPrintable(QString::number(milliseconds))); // 900 and the program's start
        QTRY_COMPARE_WITH_TIMEOUT(offered("cron rm n"), QStringList{QStringLiteral("nightly")}, 30'000);
    }

    void bashCompletes()
    {
        if (QStandardPaths::findExecutable(QStringLiteral("bash")).isEmpty())
            QSKIP("bash is not installed");
        QCOMPARE(completedByBash("drover wor", "drover wor"), "worker\n");
        QCOMPARE(completedByBash("drover  cron  pau", "drover cron pau"), "pause\n");
        QCOMPARE(completedByBash("drover signal TERM ", "drover signal TERM "), m_running.toUtf8() + '\n');
        QCOMPARE(completedByBash("drover submit --queue g", "drover submit --queue g"), "gpu\n");
        QCOMPARE(completedByBash("drover submit --queue=g", "drover submit --queue = g"), "gpu\n");
        QCOMPARE(completedByBash("drover submit --queue=", "drover submit --queue ="), "default\ngpu\n");
        QCOMPARE(completedByBash("drover --connect=127.0.0.1:1 submit --queue ",
                                 "drover --connect = 127.0.0.1 : 1 submit --queue "),
                 "");
        QCOMPARE(completedByBash("drover submit --fil", "drover submit --fil"), "--file\n");
        QCOMPARE(completedByBash("drover submit --file ", "drover submit --file "), "option -o default -o filenames\n");
        QCOMPARE(completedByBash("drover tree /drover/d", "drover tree /drover/d"),
                 "option -o nospace\n/drover/default\n");
    }

    // A name from the cluster goes into the command line as a literal: the shell does not interpret it.
    void bashQuotesWhatIsNoPlainWord()
    {
        if (QStandardPaths::findExecutable(QStringLiteral("bash")).isEmpty())
            QSKIP("bash is not installed");
        m_cluster.write(zk::Path(QByteArrayLiteral("/odd $(name)")), {});
        QCOMPARE(completedByBash("drover tree /od", "drover tree /od"), "option -o nospace\n/odd\\ \\$\\(name\\)\n");
        QCOMPARE(completedByBash("drover tree \"/od", "drover tree \"/od"), "option -o nospace\n");
    }

    void bashAsksWithoutTheQuotes()
    {
        if (QStandardPaths::findExecutable(QStringLiteral("bash")).isEmpty())
            QSKIP("bash is not installed");
        QCOMPARE(completedByBash("drover 'submit' --queue g", "drover 'submit' --queue g"), "gpu\n");
        QCOMPARE(completedByBash("drover submit --queue=\"g", "drover submit --queue = \"g"), "gpu\n");
        QCOMPARE(completedByBash("drover sub\\mit --\"queue\" 'g", "drover sub\\mit --\"queue\" 'g"), "gpu\n");
        QCOMPARE(completedByBash("drover tree '/drover/d", "drover tree '/drover/d"),
                 "option -o nospace\n/drover/default\n");
    }

    void bashCompletesWhatIsRunAsIfItStoodAlone()
    {
        if (QStandardPaths::findExecutable(QStringLiteral("bash")).isEmpty())
            QSKIP("bash is not installed");
        const QByteArray commands =
            completedByBash("drover submit --queue=gpu -- bas", "drover submit --queue = gpu -- bas");
        QVERIFY2(commands.split('\n').contains("bash"), commands);
        QCOMPARE(completedByBash("drover submit -- bash ", "drover submit -- bash "), "option -o default\n");
        // bash-completion, where it is loaded, counts the words as bash has cut them.
        QCOMPARE(completedByBash("drover submit --queue=gpu -- make al", "drover submit --queue = gpu -- make al",
                                 "_command_offset() { COMPREPLY=(\"offset $1\"); }"),
                 "offset 6\n");
    }

    void everyShellHasAScript()
    {
        for (const QString &shell : {QStringLiteral("bash"), QStringLiteral("fish"), QStringLiteral("zsh")}) {
            const Finished finished = m_cluster.drover.run({QStringLiteral("completion"), shell});
            QCOMPARE(finished.exitCode, 0);
            if (QStandardPaths::findExecutable(shell).isEmpty())
                continue;
            QProcess check; // its syntax
            check.start(shell, {QStringLiteral("-n")});
            check.write(finished.out);
            check.closeWriteChannel();
            QVERIFY(check.waitForFinished());
            QVERIFY2(check.exitCode() == 0, check.readAllStandardError());
        }
        const Finished unknown = m_cluster.drover.run({QStringLiteral("completion"), QStringLiteral("tcsh")});
        QCOMPARE(unknown.exitCode, 2);
        QVERIFY2(unknown.complainsOnce() && unknown.err.contains("bash, fish, zsh"), unknown.err);
    }
};

QTEST_GUILESS_MAIN(CompletionTest)
#include "completion_test.moc"
