#include "gui/subtree/subtree.h"
#include "gui/words/node_words.h"
#include "jobs/cluster/cordon.h"
#include "jobs/cluster/queue_settings.h"
#include "jobs/model/claim.h"
#include "jobs/model/final_record.h"
#include "jobs/model/worker_info.h"
#include "trust/credentials.h"
#include "zk/access.h"

#include <QTest>

using namespace drover;
using namespace drover::gui;

namespace {

QString words(const char *path, const QByteArray &data)
{
    zk::Stat ephemeral;
    ephemeral.ephemeralOwner = 1;
    return recordWords(zk::Path(path), data, ephemeral).join(u'|');
}

} // namespace

// What a znode says, in words.
class WordsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aStatIsSaidInWords()
    {
        QCOMPARE(byteWords(0), u"0 bytes"_qs);
        QCOMPARE(byteWords(1), u"1 byte"_qs); // it was "1 bytes"
        QCOMPARE(byteWords(65'536), u"64 KiB (65,536 bytes)"_qs);
        QCOMPARE(zxidWords(0x300000a3f), u"epoch 3, transaction 2,623 (0x300000a3f)"_qs);
        const qint64 instant = QDateTime(QDate(2026, 1, 31), QTime(14, 3, 22)).toMSecsSinceEpoch();
        QCOMPARE(instantWords(instant, instant + 190'000), u"2026-01-31 14:03:22, 3m10s ago"_qs);
        QCOMPARE(instantWords(instant, instant - 500), u"2026-01-31 14:03:22, now"_qs); // the server's clock is ahead
        QCOMPARE(instantWords(0, instant), u"at the ensemble's first start"_qs);
        zk::Stat stat;
        stat.version = 1;
        stat.cversion = 1200;
        QCOMPARE(versionWords(stat),
                 u"data changed once, children changed 1,200 times, ACL never changed (versions 1, 1200, 0)"_qs);
    }

    void anAclIsSaidInWords()
    {
        const QByteArray role = trust::digestIdentity(trust::roleName(trust::Role::Submit), "secret");
        const QByteArray text = "world:anyone:r,digest:" + role + ":crw,ip:10.0.0.0/8:cdrwa,sasl:bob:d";
        const zk::AclList acl = zk::parseAcl(text);
        QCOMPARE(aclWords(acl, {{role, u"submit"_qs}}),
                 (QStringList{u"everyone: read"_qs, u"role submit of this cluster: read, write and create children"_qs,
                              u"address 10.0.0.0/8: everything"_qs, u"sasl:bob: delete children"_qs}));
        QCOMPARE(aclWords(acl, {})[1], u"user submit: read, write and create children"_qs);
        QCOMPARE(zk::parseAcl(aclText(acl).toUtf8()), acl);
        QCOMPARE(permissionWords(0), u"nothing"_qs);
    }

    void recordsOfDroverAreSaidInWords()
    {
        jobs::JobSpec spec;
        spec.command = QStringList{u"make"_qs, u"all clean"_qs};
        spec.submitter = u"alice@host"_qs;
        QVERIFY(words("/drover/default/queues/default/q3-0000000042", spec.encode())
                    .startsWith(u"The unfinished job default-42: ready, with priority 3.|Its command: make 'all clean'|"
                                "Submitted by alice@host at "_qs));
        QVERIFY(words("/drover/default/queues/default/h5-0000000007", spec.encode()).contains(u"default-7: held"_qs));
        jobs::Claim claim;
        claim.worker = u"up-1"_qs;
        claim.slotCount = 3;
        claim.cancelled = true;
        QCOMPARE(
            words("/drover/default/claims/default-42", claim.encode()),
            u"The worker up-1 has the job default-42, and 3 of its slots.|It is cancelled: the worker ends it."_qs);
        jobs::FinalRecord record = jobs::FinalRecord::of(*jobs::JobId::parse(u"default-42"_qs), spec);
        record.outcome = jobs::FinalRecord::Outcome::Exited;
        record.code = 2;
        QVERIFY(words("/drover/default/done/default-42", record.encode())
                    .startsWith(u"The job default-42 has ended: exited, exit code 2."_qs));
        jobs::WorkerInfo worker;
        worker.id = u"up-1"_qs;
        worker.host = u"build3"_qs;
        worker.pid = 77;
        worker.slotCount = 1;
        worker.queues = QStringList{u"default"_qs};
        QVERIFY(words("/drover/default/members/up-1", worker.encode())
                    .startsWith(u"The worker up-1 at build3, process 77, with 1 slot.|It serves default, since "_qs));
        jobs::Cordon cordon;
        cordon.by = u"root@host"_qs;
        cordon.why = u"new disk"_qs;
        QVERIFY(words("/drover/default/cordons/up-1", cordon.encode()).endsWith(u": new disk"_qs));
        jobs::QueueSettings settings;
        settings.limit = 4;
        QVERIFY(words("/drover/default/queues/gpu", settings.encode()).contains(u"At most 4 of its jobs run"_qs));
        QVERIFY(words("/drover/default/claims/default-42", "{").startsWith(u"It should be a record of Drover"_qs));
        QCOMPARE(words("/drover/default/config", "{}"), QString());
        QCOMPARE(words("/elsewhere/claims/default-42", claim.encode()), QString());
    }

    // A session's number of server 255 begins as a time to live does, and goes on with its clock.
    void anOwnerIsASessionOrNone()
    {
        const auto owned = [](quint64 owner) {
            zk::Stat stat;
            stat.ephemeralOwner = zk::SessionId(owner);
            return stat;
        };
        QCOMPARE(ownerWords({}), u"none: it is persistent"_qs);
        for (const quint64 session : {quint64(0x100), quint64(0x8000000000000001), quint64(0xff9b4c0012340007)}) {
            QVERIFY(zk::lifeOf(owned(session)) == zk::NodeLife::Ephemeral);
            QCOMPARE(quint64(zk::sessionOf(owned(session))), session);
        }
        QCOMPARE(ownerWords(owned(0x100)), u"session 0x100, with which it goes"_qs);
        for (const quint64 none : {quint64(0x8000000000000000), quint64(0xff000000000003e8)})
            QCOMPARE(zk::sessionOf(owned(none)), zk::SessionId(0));
        QCOMPARE(ownerWords(owned(0x8000000000000000)), u"none: it is a container, and goes after its last child"_qs);
        QCOMPARE(ownerWords(owned(0xff000000000003e8)),
                 u"none: it goes 1s after its last change, if it has no children"_qs);
        const SubtreeNode node{zk::Path("/a"), {}, {}, owned(0x8000000000000000)};
        QVERIFY(!node.isEphemeral()); // so that a copy has it, with all below it
    }

    void recordsOfCuratorAreSaidInWords()
    {
        QCOMPARE(words("/locks/db/_c_0d1f-lock-0000000012", "10.0.0.7"),
                 u"Number 12 in the line of /locks/db: Curator's InterProcessMutex or LeaderSelector.|Its owner says: "
                 "10.0.0.7"_qs);
        QVERIFY(words("/lead/_c_0d1f-latch-0000000001", "node-a").contains(u"Curator's LeaderLatch"_qs));
        QVERIFY(recordWords(zk::Path("/locks/db/_c_0d1f-lock-0000000012"), {}, {})
                    .contains(u"It is persistent: no end of a session takes it out of the line."_qs));
        const QByteArray service = R"({"name":"web","id":"i-1","address":"10.0.0.5","port":8080,"sslPort":null,)"
                                   R"("payload":null,"registrationTimeUTC":1767225600000,"serviceType":"DYNAMIC"})";
        const QString said = words("/services/web/i-1", service);
        QVERIFY2(said.startsWith(u"Curator's service discovery: instance i-1 of the service web.|It is reached at "
                                 "10.0.0.5:8080.|Registered "_qs),
                 qPrintable(said));
        QVERIFY(said.endsWith(u", as dynamic."_qs));
        QCOMPARE(words("/services/web/i-1", R"({"name":"web"})"), QString());
    }
};

QTEST_GUILESS_MAIN(WordsTest)
#include "words_test.moc"
