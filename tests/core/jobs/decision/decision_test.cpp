#include "jobs/decision/decision.h"
#include "jobs/model/array_progress.h"
#include "jobs/schedules/schedule_entry.h"
#include "jobs/signing/signer.h"
#include "support/closed_cluster.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace std::chrono_literals;
using test::ClosedCluster;

namespace {

constexpr std::chrono::milliseconds Now = std::chrono::hours(500'000);
constexpr auto WrongSignature = "not signed";

} // namespace

// Each row forges one thing, and the worker's decision names it.
class DecisionTest : public QObject
{
    Q_OBJECT

    struct Forged {
        JobRecord record;
        JobId id{"default", 7};
    };
    using Change = std::function<void(Forged &)>;

    static JobSpec job()
    {
        JobSpec job;
        job.command = QStringList{QStringLiteral("true")};
        job.key = QStringLiteral("nonce");
        return job;
    }

    JobRecord signedBy(std::shared_ptr<const trust::Credentials> who, JobSpec job,
                       std::chrono::milliseconds at = Now - 1min)
    {
        const Signer signer(std::move(who));
        signer.setTerms(job, at);
        JobRecord record = job.record();
        signer.sign(record);
        return record;
    }

    QString refusalOf(const Forged &forged, std::chrono::milliseconds now = Now)
    {
        try {
            // As it comes from a node, in the steps of a worker.
            const JobRecord record = JobRecord::parse(forged.record.bytes());
            const trust::Certificate &signer = requireSigner(record, m_store, now);
            trust::SignatureVerifier verifier;
            if (!isSigned(record, signer.key, m_store.anchors().clusterId, verifier))
                return QString::fromLatin1(WrongSignature);
            const JobSpec job = JobSpec::decode(record, forged.id.queue, QueueEntry::DefaultPriority);
            requireTerms(record, job, forged.id, signer, now);
        } catch (const trust::Untrusted &error) {
            return QString::fromUtf8(error.what());
        }
        return {};
    }

    std::shared_ptr<trust::Credentials> add(std::shared_ptr<trust::Credentials> who)
    {
        m_store.add(who->certificate);
        return who;
    }

    ClosedCluster m_cluster;
    trust::TrustStore m_store{{m_cluster.clusterId, {m_cluster.root.publicKey()}}};
    std::shared_ptr<trust::Credentials> m_alice = add(m_cluster.person(QStringLiteral("alice")));

private Q_SLOTS:
    void aSignedJobMayRun()
    {
        QCOMPARE(refusalOf({signedBy(m_alice, job())}), QString());
        // Whatever the cluster notes of it.
        JobSpec noted = job();
        noted.notes.returned = 3;
        noted.notes.failed = 2;
        noted.notes.ready = true;
        QCOMPARE(refusalOf({signedBy(m_alice, noted)}), QString());
    }

    void eachForgeryIsRefusedByName_data();
    void eachForgeryIsRefusedByName()
    {
        QFETCH(Change, forge);
        QFETCH(QString, refusal);
        Forged forged{signedBy(m_alice, job())};
        forge(forged);
        QCOMPARE(refusalOf(forged), refusal);
    }

    void aTaskIsOneOfItsArray()
    {
        JobSpec array = job();
        array.array = ArrayIndices{1, 9, 2, 0};
        const JobRecord record = signedBy(m_alice, array);
        const auto task = [&](qint32 noted, qint32 named) {
            return Forged{JobRecord::parse(taskOf(record, noted)), {"default", 7, named}};
        };
        QCOMPARE(refusalOf(task(3, 3)), QString());
        QCOMPARE(refusalOf(task(9, 9)), QString());
        QCOMPARE(refusalOf(task(4, 4)), QStringLiteral("the signed array has no task 4"));
        QCOMPARE(refusalOf(task(11, 11)), QStringLiteral("the signed array has no task 11"));
        const QString elsewhere = QStringLiteral("its node is not the one of its task");
        QCOMPARE(refusalOf(task(3, 5)), elsewhere);
        QCOMPARE(refusalOf({JobRecord::parse(taskOf(record, 3)), {"default", 7}}), elsewhere);
        QCOMPARE(refusalOf({record, {"default", 7, 3}}), elsewhere);
        QCOMPARE(refusalOf({record}), QStringLiteral("it is signed as an array, not as a job"));
        QCOMPARE(refusalOf({JobRecord::parse(taskOf(signedBy(m_alice, job()), 3)), {"default", 7, 3}}),
                 QStringLiteral("the signed array has no task 3"));

        array.array = ArrayIndices{0, 3};
        array.gang = 4;
        const JobRecord gang = signedBy(m_alice, array);
        QCOMPARE(refusalOf({JobRecord::parse(taskOf(gang, 9)), {"default", 7, 9}}), QString()); // of its third round
        QCOMPARE(refusalOf({gang}), QStringLiteral("it is signed as an array, not as a job"));
    }

    // Of @every no tick was one, so each job of such a schedule was refused.
    void aTickOfAnIntervalIsOneOfItsSchedule()
    {
        ScheduleEntry entry{.when = CronSchedule::parse(QStringLiteral("@every 90s")), .job = job()};
        entry.job.submittedAt = Now - 1h;
        const Signer signer(m_alice);
        signer.setTerms(entry.job, Now - 1h);
        entry.signedText.text = entry.makeText("ticks");
        signer.sign(entry.signedText, trust::Purpose::Schedule);
        ScheduleEntry stored = ScheduleEntry::decode(entry.encode());
        stored.lastTick = Now - 47s; // as a schedule that was paused resumes
        QCOMPARE(stored.nextTick(), Now);
        for (const std::chrono::milliseconds tick : stored.when.latest(Now - 400s, Now, 100)) {
            const JobSpec due = stored.jobAt("ticks", tick);
            QCOMPARE(refusalOf({JobRecord::parse(stored.encodeJob(due))}), QString());
        }
        const JobSpec between = stored.jobAt("ticks", Now - 1s);
        QCOMPARE(refusalOf({JobRecord::parse(stored.encodeJob(between))}),
                 QStringLiteral("the schedule of alice has no such tick"));
    }

    void aTickIsOneOfItsSchedule_data()
    {
        QTest::addColumn<qint64>("hours"); // from now
        QTest::addColumn<QString>("catchUp");
        QTest::addColumn<QString>("refusal");
        const QString none = QStringLiteral("none");
        const QString one = QStringLiteral("one");
        const QString all = QStringLiteral("all");
        const QString late = QStringLiteral("its tick of the schedule of alice is too long ago");
        // The schedule is daily, and the time is a midnight.
        QTest::newRow("the present one") << qint64(0) << none << QString();
        QTest::newRow("yesterday's") << qint64(-24) << one << QString();
        QTest::newRow("tomorrow's") << qint64(24) << one
                                    << QStringLiteral("its tick of the schedule of alice is in the future");
        QTest::newRow("none of it") << qint64(-1) << one << QStringLiteral("the schedule of alice has no such tick");
        QTest::newRow("of last week") << qint64(-24 * 6) << none << QString();
        QTest::newRow("of a month ago, none") << qint64(-24 * 30) << none << late;
        QTest::newRow("of a month ago, one") << qint64(-24 * 30) << one << late;
        QTest::newRow("of a month ago, all") << qint64(-24 * 30) << all << QString();
        QTest::newRow("of a year ago, all") << qint64(-24 * 365) << all << late;
        QTest::newRow("before it was signed")
            << qint64(-24 * 500) << all << QStringLiteral("its tick is from before alice signed the schedule");
    }
    void aTickIsOneOfItsSchedule()
    {
        QFETCH(qint64, hours);
        QFETCH(QString, catchUp);
        ScheduleEntry entry{.when = CronSchedule::parse(QStringLiteral("@daily")), .job = job()};
        entry.catchUp = parseCatchUp(catchUp);
        const auto midnight = std::chrono::floor<std::chrono::days>(Now);
        const Signer signer(m_alice);
        signer.setTerms(entry.job, midnight - 24h * 400);
        entry.signedText.text = entry.makeText("nightly");
        signer.sign(entry.signedText, trust::Purpose::Schedule);
        entry = ScheduleEntry::decode(entry.encode());
        const JobSpec made = entry.jobAt("nightly", midnight + hours * 1h);
        const Forged forged{JobRecord::parse(entry.encodeJob(made))};
        QTEST(refusalOf(forged, midnight), "refusal");
        const JobSpec read = JobSpec::decode(forged.record, "default", 5);
        QCOMPARE(read.key, made.key);
        QCOMPARE(read.command, made.command);
        // It is not a job by itself.
        Forged asJob = forged;
        asJob.record.setNotes(versioned({}));
        QVERIFY(!refusalOf(asJob, midnight).isEmpty());
    }

    // The text is decoded once, after the signature, so doubled keys cannot be read in two ways.
    void duplicateKeysGainNothing()
    {
        JobRecord record = signedBy(m_alice, job());
        record.text.replace("\"cmd\":[\"true\"]", "\"cmd\":[\"false\"],\"cmd\":[\"true\"]");
        QVERIFY(!refusalOf({record}).isEmpty());
        const QByteArray good = signedBy(m_alice, job()).bytes();
        QByteArray twice = good;
        twice.replace("\"job\":", "\"job\":\"{}\",\"job\":");
        const JobRecord read = JobRecord::parse(twice);
        if (refusalOf({read}).isEmpty())
            QCOMPARE(read.text, JobRecord::parse(good).text);
    }

    void aTooLongRecordIsNotLookedAt()
    {
        JobRecord record = signedBy(m_alice, job());
        record.unknown.insert(QStringLiteral("more"), QString(1 << 20, u'x'));
        QVERIFY_THROWS_EXCEPTION(Malformed, JobRecord::parse(record.bytes()));
        record = signedBy(m_alice, job());
        record.text += QByteArray(JobRecord::MaxText, ' ');
        QVERIFY_THROWS_EXCEPTION(Malformed, JobRecord::parse(record.bytes()));
    }

    void aCertificateEnds()
    {
        const JobRecord record = signedBy(m_alice, job());
        const auto end = std::chrono::floor<std::chrono::seconds>(Now);
        const auto short_ = add(m_cluster.person(QStringLiteral("bob"), [&](trust::Certificate &paper) {
            paper.notBefore = end - 1h;
            paper.notAfter = end + 1h;
        }));
        const Forged job_{signedBy(short_, job())};
        QCOMPARE(refusalOf(job_), QString());
        QCOMPARE(refusalOf(job_, Now + 2h), QStringLiteral("the certificate of bob has expired"));
        QCOMPARE(refusalOf(job_, Now - 2h), QStringLiteral("the certificate of bob is not valid yet"));
        trust::Revocations revoked{1, {record.certificate}};
        m_store.revoke(revoked.signedBy(m_cluster.root, m_cluster.clusterId));
        QCOMPARE(refusalOf({record}), QStringLiteral("the certificate of alice is revoked"));
        QCOMPARE(refusalOf(job_), QString());
        revoked = {2, {}};
        m_store.revoke(revoked.signedBy(m_cluster.root, m_cluster.clusterId));
    }
};

void DecisionTest::eachForgeryIsRefusedByName_data()
{
    QTest::addColumn<Change>("forge");
    QTest::addColumn<QString>("refusal");
    const auto row = [](const char *name, const char *refusal, Change forge) {
        QTest::newRow(name) << std::move(forge) << QString::fromUtf8(refusal);
    };
    row("nothing", "", [](Forged &) {});
    row("no signature", "it is not signed", [](Forged &forged) { forged.record.signature.clear(); });
    row("no certificate", "it is not signed", [](Forged &forged) { forged.record.certificate.clear(); });
    row("version 1", "it is not signed",
        [](Forged &forged) { forged.record = JobRecord::parse(R"({"v":1,"cmd":["a"]})"); });
    row("unknown certificate", "the cluster does not have the certificate of its signer",
        [](Forged &forged) { forged.record.certificate = trust::Certificate::newSerial(); });
    row("another text", WrongSignature, [](Forged &forged) { forged.record.text.replace("true", "evil"); });
    row("a space more", WrongSignature, [](Forged &forged) { forged.record.text += ' '; });
    row("signature of another text", WrongSignature, [this](Forged &forged) {
        JobSpec other = job();
        other.command = QStringList{QStringLiteral("false")};
        forged.record.signature = signedBy(m_alice, other).signature;
    });
    row("no base64", WrongSignature, [](Forged &forged) { forged.record.signature = "\"'$"; });
    row("short signature", WrongSignature, [](Forged &forged) { forged.record.signature.chop(4); });
    row("another cluster", WrongSignature, [this](Forged &forged) {
        auto elsewhere = std::make_shared<trust::Credentials>();
        elsewhere->key = *trust::SigningKey::parse(m_alice->key.toSecretText());
        ClosedCluster other;
        trust::Certificate paper = other.certificate(QStringLiteral("alice"), elsewhere->key);
        paper.serial = m_alice->ownCertificate().serial;
        elsewhere->anchors = {other.clusterId, {other.root.publicKey()}};
        elsewhere->certificate = paper.signedBy(other.root);
        forged.record = signedBy(elsewhere, job());
    });
    row("of a schedule", WrongSignature, [this](Forged &forged) {
        const auto signatures = trust::BatchSignature::sign(m_alice->key, trust::Purpose::Schedule, m_cluster.clusterId,
                                                            {forged.record.text});
        forged.record.signature = signatures.front().toText();
    });
    row("wrong role", "carol lacks the role for it", [this](Forged &forged) {
        const auto worker = add(m_cluster.person(QStringLiteral("carol"), [](trust::Certificate &paper) {
            paper.roles = {trust::Role::Viewer, trust::Role::Operate, trust::Role::Worker, trust::Role::Admin};
        }));
        forged.record = signedBy(worker, job());
    });
    row("another queue", "alice signed it for another queue", [](Forged &forged) { forged.id.queue = "gpu"; });
    row("a queue that is not hers", "dave may not submit to queue default", [this](Forged &forged) {
        const auto other =
            add(m_cluster.person(QStringLiteral("dave"), [](trust::Certificate &paper) { paper.queues = {"gpu"}; }));
        forged.record = signedBy(other, job());
    });
    row("as a user that is not hers", "alice may not run jobs as root", [this](Forged &forged) {
        JobSpec asOther = job();
        asOther.runAs = QStringLiteral("root");
        forged.record = signedBy(m_alice, asOther);
    });
    row("expired", "the time by which alice signed that it starts has passed",
        [this](Forged &forged) { forged.record = signedBy(m_alice, job(), Now - Signer::StartWithin); });
    row("from the future", "alice signed it in the future, by the clock of this machine",
        [this](Forged &forged) { forged.record = signedBy(m_alice, job(), Now + ClockError + 1s); });
    row("a clock that is a little fast", "",
        [this](Forged &forged) { forged.record = signedBy(m_alice, job(), Now + ClockError - 1s); });
    row("before its time", "alice signed it for a later start", [this](Forged &forged) {
        JobSpec later = job();
        later.notes.notBefore = Now + 1h;
        forged.record = signedBy(m_alice, later);
        forged.record.setNotes(versioned({}));
    });
    row("in another's name", "alice signed it as a job of another person", [this](Forged &forged) {
        JobSpec mine = job();
        mine.submitter = QStringLiteral("bob");
        mine.terms = {"default", Now, {}, Now + 1h};
        forged.record = mine.record();
        Signer(m_alice).sign(forged.record);
    });
    row("without terms", "alice signed it for another queue", [this](Forged &forged) {
        JobSpec bare = job();
        bare.submitter = QStringLiteral("alice");
        forged.record = bare.record();
        Signer(m_alice).sign(forged.record);
    });
}

QTEST_GUILESS_MAIN(DecisionTest)
#include "decision_test.moc"
