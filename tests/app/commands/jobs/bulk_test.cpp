#include "app/support/served_test_case.h"

#include <QTest>

using namespace drover;
using namespace drover::test;

// What the commands do that act on many jobs at once, and what they say of it: the real program with a real worker.
class BulkTest : public ServedTestCase
{
    Q_OBJECT

private Q_SLOTS:
    void aDryRunListsAndChangesNothing()
    {
        const QStringList ids{submit("--hold --tag rehearsed", "true"), submit("--hold --tag rehearsed", "true")};
        const auto rehearse = [&](const char *command) {
            const QStringList typed = words(command);
            return m_drover.run(typed.mid(0, 1) + words("--dry-run --tag rehearsed") + typed.mid(1));
        };
        for (const char *const command : {"cancel", "release", "priority 1", "move other"}) {
            const Finished listed = rehearse(command);
            QVERIFY2(listed.exitCode == 0 && listed.err.contains("2 of 2 matching jobs listed"), listed.err);
            for (const QString &id : ids) {
                QVERIFY2(listed.out.contains(id.toLatin1()), listed.out);
                QCOMPARE(stateOf(id), QStringLiteral("held"));
            }
        }
        // As without --dry-run: these change no job that is held.
        for (const char *const command : {"hold", "requeue", "signal TERM", "move default"}) {
            const Finished listed = rehearse(command);
            QCOMPARE(listed.exitCode, 4);
            QVERIFY2(listed.err.contains("0 of 2 matching jobs listed") && !listed.out.contains(ids[0].toLatin1()),
                     listed.err + listed.out);
        }
        const Finished named = run("hold --dry-run", {ids.front()});
        QVERIFY2(named.exitCode == 4 && named.err.contains("is held already"), named.err);
        QCOMPARE(run("cancel --dry-run --tag unused").exitCode, 3);
        QCOMPARE(run("cancel", ids).exitCode, 0);
        const Finished ended = run("cancel --dry-run", ids);
        QVERIFY2(ended.exitCode == 4 && ended.err.contains("already ended"), ended.err);

        // A job that has ended can be submitted again, and one that has not cannot.
        const QString third = submit("--hold", "true");
        const QString range = ids.front() + QStringLiteral("..") + third.section(QLatin1Char('-'), 1);
        for (const QStringList &again : {QStringList{range}, ids}) {
            const Finished listed = run("resubmit --dry-run", again);
            QVERIFY2(listed.exitCode == 0 && listed.out.count("cancelled") == 2, listed.out + listed.err);
            QCOMPARE(listed.err.contains("2 of 2 matching jobs listed; --dry-run submits none"), again.size() == 1);
        }
        const Finished some = run("resubmit --dry-run", ids + QStringList{third});
        QVERIFY2(some.exitCode == 4 && some.out.contains(ids[1].toLatin1()), some.out + some.err);
        QVERIFY2(!some.out.contains(third.toLatin1()) && some.err.contains("has not ended (held)"), some.err);
        QCOMPARE(run("resubmit --dry-run --failed", {range}).exitCode, 4);
        QCOMPARE(run("ls --all --tag rehearsed").out.count("default-"), 2); // none was submitted

        // A task that is still to be made can be cancelled. It hides no failure of another job.
        const QString task = submit("--hold --array 1-5", "true") + QStringLiteral(".3");
        QCOMPARE(run("cancel --dry-run", {task}).exitCode, 0);
        QCOMPARE(run("cancel --dry-run", {task, ids.front()}).exitCode, 4);
        for (const char *const hold : {"hold --dry-run", "hold"}) {
            for (const QString &unmade : {task, task + QStringLiteral("..5")}) {
                const Finished refused = run(hold, {unmade});
                QVERIFY2(refused.exitCode == 4 && refused.err.contains("cannot be held alone"), refused.err);
            }
        }
        QCOMPARE(run("cancel", {task}).exitCode, 0);
    }

    void aTerminalAsksBeforeManyAreChanged()
    {
        const Finished submitted =
            m_drover.shell("for i in $(seq 21); do echo '{\"command\": [\"true\"], \"hold\": true, "
                           "\"tag\": \"many\"}'; done | drover submit --stdin");
        QCOMPARE(submitted.out.count('\n'), 21);
        const Finished refused = m_drover.shell("echo n | script -qec 'drover priority 1 --tag many' /dev/null");
        QVERIFY2(refused.exitCode == 1 && refused.out.contains("21 jobs match"), refused.out);
        QVERIFY2(refused.out.contains("no job was changed"), refused.out);
        QVERIFY(m_drover.shell("script -qec 'drover priority 1 --yes --tag many' /dev/null").exitCode == 0);
        const Finished agreed = m_drover.shell("echo y | script -qec 'drover cancel --tag many' /dev/null");
        QVERIFY2(agreed.exitCode == 0 && agreed.out.contains("21 of 21 matching jobs cancelled"), agreed.out);
    }

    // One id may mean several jobs: then the count alone explains nothing.
    void aSkippedJobIsExplained()
    {
        const QString id = submit("--array 1", "sleep 60");
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(id + QStringLiteral(".1")), QStringLiteral("running"), 60'000);
        const Finished held = run("hold", {id});
        QVERIFY2(held.err.contains("1 of 2 matching jobs held; job " + id.toUtf8() + ".1 runs"), held.err);
        QCOMPARE(run("cancel", {id}).exitCode, 0);
        QCOMPARE(run("wait --timeout 60s", {id}).exitCode, 125);
    }
};

QTEST_GUILESS_MAIN(BulkTest)
#include "bulk_test.moc"
