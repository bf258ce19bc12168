#include "jobs/client/submitter.h"
#include "support/closed_cluster.h"
#include "trust/kept_revocations.h"
#include "workers/worker_cluster.h"

#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;

// What a worker does with jobs of a person who was revoked, if the revocation list disappears.
class RevokedSignersTest : public QObject
{
    Q_OBJECT

    Cluster clusterOf(WorkerCluster &fake, std::shared_ptr<const trust::Credentials> credentials, int who = 0)
    {
        return {fake[who], fake.layout, std::move(credentials)};
    }

    QByteArray list(qint64 number, std::set<QByteArray> serials) const
    {
        return trust::Revocations{number, std::move(serials)}.signedBy(m_closed.root, m_closed.clusterId);
    }

    JobId submit(WorkerCluster &fake, std::shared_ptr<const trust::Credentials> credentials)
    {
        fake.write(fake.layout.revocations(), list(1, {})); // as each closed cluster has one
        Submitter submitter(clusterOf(fake, std::move(credentials)), {});
        return fake.run(submitter.submit(JobCluster::spec()));
    }

    ClosedCluster m_closed;
    std::shared_ptr<trust::Credentials> m_alice = m_closed.person(QStringLiteral("alice"));
    std::shared_ptr<trust::Credentials> m_worker =
        m_closed.person(QStringLiteral("w1"), [](trust::Certificate &paper) { paper.roles = {trust::Role::Worker}; });

private Q_SLOTS:
    // Whatever becomes of the list in ZooKeeper, and whichever life of the worker reads it.
    void aRevokedPersonDoesNotComeBack_data()
    {
        QTest::addColumn<QByteArray>("published"); // instead of the list that revokes alice; empty: deleted
        QTest::newRow("deleted") << QByteArray();
        QTest::newRow("rolled back") << list(1, {});
        QTest::newRow("made anew") << list(3, {});
        QTest::newRow("made anew with a greater number") << list(9, {});
        QTest::newRow("no list") << QByteArray("scribble");
    }
    void aRevokedPersonDoesNotComeBack()
    {
        QFETCH(QByteArray, published);
        WorkerCluster fake(2);
        const QTemporaryDir spool;
        const auto refusalOf = [&](const JobId &id) {
            workers::Claimer life(clusterOf(fake, m_worker, 1), QStringLiteral("w1"), nullptr, spool.path());
            const bool isClaimed = !fake.run(WorkerCluster::claimAll(life, fake.ready())).jobs.empty();
            fake.settle(); // its list is kept
            return isClaimed ? QStringLiteral("claimed") : fake.recordOf(id).reason;
        };
        const QString revoked = QStringLiteral("the certificate of alice is revoked");
        const JobId first = submit(fake, m_alice);
        const QByteArray stored = fake.node(fake.pathOf(first)).data;
        fake.write(fake.layout.revocations(), list(3, {m_alice->ownCertificate().serial}));
        QCOMPARE(refusalOf(first), revoked);
        QVERIFY(QFile::exists(spool.filePath(QStringLiteral("revocations"))));
        const JobId second{"default", first.number + 1};
        fake.write(fake.pathOf(second), stored);
        if (published.isEmpty())
            fake.commit(zk::Transaction().remove(fake.layout.revocations()));
        else
            fake.write(fake.layout.revocations(), published);
        QCOMPARE(refusalOf(second), revoked);
    }

    // A failing disk brings no person back either. Nothing is refused for ever, and the file is read again.
    void keptListsThatCannotBeReadDecideNothing()
    {
        WorkerCluster fake(2);
        const QTemporaryDir spool;
        const QString path = spool.filePath(QStringLiteral("revocations"));
        const JobId id = submit(fake, m_alice);
        QVERIFY(QDir().mkpath(path)); // cannot be read as a file
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("cannot read the kept revocation lists")));
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("may believe an older revocation list")));
        workers::Claimer claimer(clusterOf(fake, m_worker, 1), QStringLiteral("w1"), nullptr, spool.path());
        const workers::Candidates found = fake.run(claimer.read("default", fake.ready()));
        QVERIFY(found.jobs.empty());
        QVERIFY(found.undecided.contains(path));
        fake.settle();
        QVERIFY(claimer.journalTrouble().contains(path)); // the published list is not kept yet
        QVERIFY(QDir().rmdir(path));
        trust::KeptRevocations(path, m_closed.clusterId).keep(list(3, {m_alice->ownCertificate().serial}));
        QVERIFY(fake.run(WorkerCluster::claimAll(claimer, fake.ready())).jobs.empty());
        QCOMPARE(fake.recordOf(id).reason, QStringLiteral("the certificate of alice is revoked"));
    }

    // The next life of a worker would not know who was revoked while the disk was full.
    void aListThatCannotBeKeptIsKeptLater()
    {
        WorkerCluster fake(2);
        const QTemporaryDir spool;
        const QString path = spool.filePath(QStringLiteral("revocations"));
        submit(fake, m_alice);
        workers::Claimer claimer(clusterOf(fake, m_worker, 1), QStringLiteral("w1"), nullptr, spool.path());
        QCOMPARE(fake.run(claimer.read("default", fake.ready())).jobs.size(), 1u);
        fake.settle();
        QVERIFY(QFile::remove(path) && QDir().mkpath(path));
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("may believe an older revocation list")));
        const QByteArray next = list(3, {m_alice->ownCertificate().serial});
        fake.write(fake.layout.revocations(), next);
        fake.settle();
        QVERIFY(claimer.journalTrouble().contains(path));
        QVERIFY(fake.run(claimer.tryJournal()).contains(path));
        QVERIFY(QDir().rmdir(path));
        QVERIFY(fake.run(claimer.tryJournal()).isEmpty());
        QVERIFY(claimer.journalTrouble().isEmpty());
        QCOMPARE(trust::KeptRevocations(path, m_closed.clusterId).read(), QByteArrayList{next});
    }

    // The worker does not know who is revoked. Jobs wait, and nothing is refused for ever.
    void withoutAListNoJobBegins()
    {
        WorkerCluster fake(2);
        const JobId id = submit(fake, m_alice);
        fake.commit(zk::Transaction().remove(fake.layout.revocations()));
        workers::Claimer claimer(clusterOf(fake, m_worker, 1), QStringLiteral("w1"));
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("revocation list is missing")));
        const workers::Candidates found = fake.run(claimer.read("default", fake.ready()));
        QVERIFY(found.jobs.empty());
        QVERIFY(found.undecided.contains(QStringLiteral("drover user rm")));
        QVERIFY(fake.exists(fake.pathOf(id)));
        QCOMPARE(claimer.refused(), 0);
        fake.write(fake.layout.revocations(), list(2, {}));
        fake.settle();
        QCOMPARE(fake.run(claimer.read("default", fake.ready())).jobs.size(), 1u);
    }
};

QTEST_GUILESS_MAIN(RevokedSignersTest)
#include "revoked_signers_test.moc"
