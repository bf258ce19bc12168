#include "app/support/access_of.h"
#include "app/support/key_machines.h"
#include "async/qt_loop.h"
#include "jobs/client/submitter.h"
#include "support/fake/fake_acl.h"
#include "support/session_fixture.h"

using namespace drover;
using namespace drover::test;
using jobs::JobId;
using zk::Code;

// Who submits a job chooses the ACL of its node. So bob makes znodes below it that no other client may delete.
// ZooKeeper deletes no znode that has children, so nothing can end that job. Or he lets workers not write the node, so
// none can claim the job. It is named, begins no more, and stops nothing else.
class BlockedJobsTest : public KeyMachines
{
    Q_OBJECT

    async::QtLoop m_loop;
    const jobs::Layout m_layout{QByteArrayLiteral("default")};
    std::unique_ptr<zk::Session> m_hostile;

    std::unique_ptr<zk::Session> sessionOf(const zk::Access &access)
    {
        zk::SessionOptions options;
        options.servers = m_server.connectString();
        options.access = access;
        auto session = std::make_unique<zk::Session>(m_loop, options);
        session->open();
        await(session->connected());
        return session;
    }
    JobId submit(const QString &line) { return submit(line, *m_hostile); }
    JobId submit(const QString &line, zk::Session &session) const
    {
        jobs::JobSpec spec;
        spec.command = {QStringLiteral("/bin/sh"), QStringLiteral("-c"), line};
        spec.environment = {{QStringLiteral("PATH"), QStringLiteral("/usr/bin:/bin")}};
        spec.directory = m_bob.directory();
        jobs::Submitter submitter(signedCluster(session, read(m_bob)), {});
        return await(submitter.submit(spec));
    }
    zk::Path childOf(const JobId &id) const
    {
        return m_layout.job(id.queue, {jobs::QueueEntry::Class::Ready, 5, id.number}) / "mine";
    }
    QByteArray begunBy(const char *name) const
    {
        QFile file(m_bob.directory() + u'/' + QLatin1StringView(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    static QString named(const char *command, const JobId &id)
    {
        return QLatin1StringView(command) + u' ' + id.toString();
    }
    QByteArray refusalOf(const QString &line) const
    {
        const Finished refused = run(m_alice, line);
        return refused.exitCode == 4 && refused.complainsOnce() ? refused.err
                                                                : "accepted: " + refused.out + refused.err;
    }

private Q_SLOTS:
    void initTestCase();
    void aNodeBelowAJobThatHasNotBegun();
    void aNodeBelowAJobThatRuns();
    void aJobThatWorkersMayNotWrite();
};

void BlockedJobsTest::initTestCase()
{
    found();
    const trust::Credentials bob = read(m_bob);
    const QByteArray secret = "bob:his alone";
    // His nodes have the rights that Drover gives the roles, but for those of administrators; he has all.
    zk::Access access = accessOf(bob);
    access.auth.push_back({QByteArrayLiteral("digest"), secret});
    access.acl = [layout = m_layout, identities = bob.identities, own = digestId(secret)](const zk::Path &path) {
        zk::AclList list = jobs::aclOf(layout, path, identities);
        std::erase_if(list, [](const zk::Acl &entry) { return entry.permissions == zk::AllPermissions; });
        list.push_back({zk::AllPermissions, QByteArrayLiteral("digest"), own});
        return list;
    };
    m_hostile = sessionOf(access);
}

void BlockedJobsTest::aNodeBelowAJobThatHasNotBegun()
{
    const JobId id = submit(u"echo begun >> early"_qs);
    const zk::Path child = childOf(id);
    QCOMPARE(await(outcome(m_hostile->create(child, QByteArray()))), Code::Ok);
    QCOMPARE(await(outcome(sessionOf(accessOf(read(m_admin)))->remove(child))), Code::NoAuth);
    std::unique_ptr<QProcess> worker = startWorker("one");
    for (int i = 0; i < 3; ++i)
        QCOMPARE(endOf(m_alice, output(m_alice, u"submit -- true"_qs)), QByteArray("good"));
    QCOMPARE(begunBy("early"), QByteArray());
    const QByteArray why = output(m_alice, named("why", id));
    QVERIFY2(why.contains("another program has made 1 znode below " + child.parent().bytes()), why);
    const QByteArray listed = output(m_alice, u"ls -o json"_qs);
    QVERIFY2(listed.contains("blocked: another program has made 1 znode below its own"), listed);
    const QByteArray doctor = run(m_admin, u"doctor"_qs).out;
    QVERIFY2(doctor.contains("1 job cannot be ended, beginning with " + id.bytes()), doctor);
    for (const char *const command : {"cancel", "hold", "priority 1"}) {
        const QByteArray refusal = refusalOf(named(command, id));
        QVERIFY2(refusal.contains("another program has made a znode below its own"), refusal);
    }

    QCOMPARE(await(outcome(m_hostile->remove(child))), Code::Ok);
    worker->terminate();
    DroverProgram::finish(*worker);
    worker = startWorker("two"); // which has not set it aside
    QCOMPARE(endOf(m_bob, id.bytes()), QByteArray("good"));
    QCOMPARE(begunBy("early"), QByteArray("begun\n"));
    QVERIFY(!run(m_admin, u"doctor"_qs).out.contains("cannot be ended"));
    worker->terminate();
    DroverProgram::finish(*worker);
}

// Its end cannot be reported any more. Without the refusal it would begin as often as its attempts allow.
void BlockedJobsTest::aNodeBelowAJobThatRuns()
{
    const std::unique_ptr<QProcess> worker = startWorker("three");
    const JobId id = submit(u"echo begun >> late; until test -e go; do sleep 0.1; done"_qs);
    QTRY_COMPARE_WITH_TIMEOUT(begunBy("late"), QByteArray("begun\n"), 60'000);
    const zk::Path child = childOf(id);
    QCOMPARE(await(outcome(m_hostile->create(child, QByteArray()))), Code::Ok);
    QFile go(m_bob.directory() + u"/go"_qs);
    QVERIFY(go.open(QIODevice::WriteOnly));
    QTRY_COMPARE_WITH_TIMEOUT(await(outcome(m_hostile->exists(m_layout.claim(id)))), Code::NoNode, 60'000);
    for (int i = 0; i < 3; ++i)
        QCOMPARE(endOf(m_alice, output(m_alice, u"submit -- true"_qs)), QByteArray("good"));
    QCOMPARE(begunBy("late"), QByteArray("begun\n"));
    QCOMPARE(await(outcome(m_hostile->exists(m_layout.done(id)))), Code::NoNode);
    const QByteArray doctor = run(m_admin, u"doctor"_qs).out;
    QVERIFY2(doctor.contains("1 job cannot be ended, beginning with " + id.bytes()), doctor);
    worker->terminate();
    const Finished ended = DroverProgram::finish(*worker);
    QVERIFY2(ended.err.contains("the end of attempt 1 of " + id.bytes() + " cannot be reported"), ended.err);
}

void BlockedJobsTest::aJobThatWorkersMayNotWrite()
{
    const trust::Credentials bob = read(m_bob);
    zk::Access access = accessOf(bob);
    access.acl = [layout = m_layout, identities = bob.identities](const zk::Path &path) {
        zk::AclList list = jobs::aclOf(layout, path, identities);
        for (zk::Acl &entry : list) {
            if (entry.id == identities.at(trust::Role::Worker))
                entry.permissions = 1;
        }
        return list;
    };
    const std::unique_ptr<zk::Session> session = sessionOf(access);
    const JobId id = submit(u"echo begun >> forbidden"_qs, *session);
    const JobId second = submit(u"true"_qs, *session);
    std::unique_ptr<QProcess> worker = startWorker("four");
    for (int i = 0; i < 3; ++i)
        QCOMPARE(endOf(m_alice, output(m_alice, u"submit -- true"_qs)), QByteArray("good"));
    QCOMPARE(begunBy("forbidden"), QByteArray());
    for (const DroverProgram *const machine : {&m_bob, &m_admin}) { // the server shows hashes to administrators alone
        const QByteArray why = output(*machine, named("why", id));
        QVERIFY2(why.contains("does not let workers read and write it"), why);
    }
    QByteArray doctor = run(m_admin, u"doctor"_qs).out;
    QVERIFY2(doctor.contains("2 jobs can never begin, beginning with " + id.bytes()), doctor);
    QCOMPARE(run(m_alice, named("cancel", second)).exitCode, 0);
    QCOMPARE(run(m_admin, u"cluster secure"_qs).exitCode, 0);

    worker->terminate();
    DroverProgram::finish(*worker);
    worker = startWorker("five"); // which has not set it aside
    QCOMPARE(endOf(m_bob, id.bytes()), QByteArray("good"));
    QCOMPARE(begunBy("forbidden"), QByteArray("begun\n"));
    doctor = run(m_admin, u"doctor"_qs).out;
    QVERIFY2(!doctor.contains("can never begin"), doctor);
    worker->terminate();
    DroverProgram::finish(*worker);
}

QTEST_GUILESS_MAIN(BlockedJobsTest)
#include "blocked_jobs_test.moc"
