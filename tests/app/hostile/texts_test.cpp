#include "app/commands/commands.h"
#include "app/commands/registry.h"
#include "app/support/drover_on_server.h"
#include "app/support/hostile_text.h"
#include "app/support/on_terminal.h"
#include "files/ledger.h"
#include "jobs/audit/audit_entry.h"
#include "jobs/cluster/cordon.h"
#include "jobs/cluster/queue_settings.h"
#include "jobs/model/claim.h"
#include "jobs/model/cluster_stats.h"
#include "jobs/model/final_record.h"
#include "jobs/model/job_spec.h"
#include "jobs/model/worker_info.h"
#include "jobs/schedules/schedule_entry.h"
#include "support/send_signal.h"

#include <QJsonDocument>
#include <QTest>

#include <csignal>

using namespace drover;
using namespace drover::test;

namespace {

const QString SharedFile = QStringLiteral("/hostile");
const QByteArray ForgedMaster = "_c_00000000-0000-0000-0000-000000000000-latch-0000000000";

jobs::JobSpec job()
{
    const QString text = QStringLiteral("text");
    jobs::JobSpec job;
    job.command = QStringList{QStringLiteral("true"), text};
    job.environment = {{QStringLiteral("VARIABLE"), text}};
    job.directory = QStringLiteral("/tmp");
    job.input = QStringLiteral("/dev/null");
    job.standardOutput = job.standardError = QStringLiteral("/tmp/output");
    job.appendTo = QStringLiteral("/tmp/file");
    job.name = job.comment = job.submitter = job.dedupe = job.key = text;
    job.needs.labels = job.locks = job.limits = job.tags = QStringList(text);
    job.sharedLocks = QStringList(QStringLiteral("other"));
    job.ulimits = QStringList(QStringLiteral("nofile=10"));
    return job;
}

jobs::FinalRecord record()
{
    jobs::FinalRecord record = jobs::FinalRecord::of({"default", 1}, job());
    record.code = 3;
    record.worker = QStringLiteral("w1");
    record.reason = QStringLiteral("text");
    record.attempts.claimVersion = 1;
    record.outputBytes = 5;
    record.tail = Hostile.toUtf8(); // logs print it as it is into a pipe, and a terminal does not get it so
    return record;
}

files::Ledger ledger()
{
    files::Ledger ledger = files::Ledger::begin(SharedFile, "text", 1, 0, QByteArray(64, '0'));
    for (const char *const key : {"text-1", "text-2"}) {
        if (!ledger.pending.empty())
            ledger.commit();
        ledger.reserve(key, files::Payload::of("bytes"));
    }
    return ledger;
}

jobs::WorkerInfo worker()
{
    const QString text = QStringLiteral("text");
    jobs::WorkerInfo info;
    info.id = info.host = info.trouble = info.spool = info.spoolPlace = info.history = info.version = text;
    info.labels = info.queues = QStringList(text);
    info.endpoint = QStringLiteral("127.0.0.1:1");
    info.slotCount = 1;
    return info;
}

// The lines that read something, for every command. One without lines changes the cluster, belongs to this machine, or
// goes on until it is interrupted.
const QMap<QString, QStringList> &linesOfCommands()
{
    static const QMap<QString, QStringList> lines{
        {u"ls"_qs, {u"ls"_qs, u"ls --all"_qs, u"ls --queue default"_qs}},
        {u"show"_qs,
         {u"show default-1000"_qs, u"show default-2000"_qs, u"show default-2100"_qs, u"show default-3000"_qs}},
        {u"why"_qs, {u"why default-1000"_qs, u"why default-2000"_qs, u"why default-2100"_qs, u"why default-3000"_qs}},
        {u"logs"_qs, {u"logs default-2000"_qs, u"logs default-3000"_qs}},
        {u"wait"_qs, {u"wait default-3000"_qs}},
        {u"resubmit"_qs, {u"resubmit --dry-run default-1000"_qs, u"resubmit --dry-run default-3000"_qs}},
        {u"cancel"_qs, {u"cancel --dry-run default-1000"_qs, u"cancel --dry-run default-2000"_qs}},
        {u"hold"_qs, {u"hold --dry-run --name text"_qs}},
        {u"release"_qs, {u"release --dry-run default-1000"_qs}},
        {u"requeue"_qs, {u"requeue --dry-run default-2000"_qs}},
        {u"signal"_qs, {u"signal --dry-run TERM default-2000"_qs}},
        {u"priority"_qs, {u"priority --dry-run 3 default-1000"_qs}},
        {u"move"_qs, {u"move --dry-run default-1000 other"_qs}},
        {u"events"_qs, {u"events --past 200"_qs, u"events --audit"_qs}},
        {u"history"_qs, {u"history"_qs, u"history --text text"_qs, u"history --summary name"_qs}},
        {u"history export"_qs, {u"history export -o jsonl"_qs}},
        {u"history keep"_qs, {u"history keep"_qs}},
        {u"cron ls"_qs, {u"cron ls"_qs}},
        {u"cron show"_qs, {u"cron show s-0"_qs}},
        {u"worker ls"_qs, {u"worker ls"_qs}},
        {u"worker show"_qs, {u"worker show forged-0"_qs}},
        {u"queue ls"_qs, {u"queue ls"_qs}},
        {u"limit ls"_qs, {u"limit ls"_qs}},
        {u"cluster limits"_qs, {u"cluster limits"_qs}},
        {u"cluster status"_qs, {u"cluster status"_qs}},
        {u"cluster check"_qs, {u"cluster check"_qs}},
        {u"master show"_qs, {u"master show"_qs}},
        {u"top"_qs, {u"top"_qs}},
        {u"doctor"_qs, {u"doctor"_qs}},
        {u"tree"_qs, {u"tree"_qs, u"tree /"_qs}},
        {u"elect"_qs, {}}, // nodes_test watches one
        {u"group"_qs, {u"group hostile ls"_qs}},
        {u"config get"_qs, {u"config get hostile"_qs}},
        {u"counter"_qs, {u"counter hostile get"_qs}},
        {u"queue"_qs, {u"queue hostile ls"_qs, u"queue hostile peek"_qs, u"queue hostile take"_qs}},
        {u"files ls"_qs, {u"files ls"_qs}},
        {u"files show"_qs, {u"files show "_qs + SharedFile}},
        {u"files verify"_qs, {u"files verify "_qs + SharedFile}},
        {u"complete"_qs,
         {u"complete -- ls --name "_qs, u"complete -- ls --tag "_qs, u"complete -- submit --label "_qs,
          u"complete -- files show "_qs, u"complete -- group "_qs, u"complete -- worker show "_qs,
          u"complete -- tree /drover/default/groups/hostile/"_qs}},
    };
    return lines;
}

} // namespace

// Texts that harm terminals, in every field of every record that a client can write, through every command that reads.
class HostileTextsTest : public QObject
{
    Q_OBJECT

    DroverOnServer m_cluster;
    const jobs::Layout &m_layout = m_cluster.layout;
    QString m_history;

    void writeAll(const QByteArrayList &records, const std::function<zk::Path(int)> &place)
    {
        for (int i = 0; i < records.size(); ++i)
            m_cluster.write(place(i), records[i]);
    }

    // Real records of the history: a master has archived them.
    void archive(const QByteArrayList &records)
    {
        writeAll(records, [this](int i) { return m_layout.done({"default", 3000 + i}); });
        const std::unique_ptr<QProcess> worker =
            m_cluster.drover.start(words("worker --queue other --history") << m_history);
        const auto archived = [this] {
            const QStringList count{QStringLiteral("history"), QStringLiteral("-o"), QStringLiteral("json"),
                                    QStringLiteral("--history"), m_history};
            return json(m_cluster.drover.run(count)).value(QStringLiteral("total")).toInteger();
        };
        QTRY_COMPARE_WITH_TIMEOUT(archived(), records.size(), 60'000);
        sendSignal(*worker, SIGTERM);
        DroverProgram::finish(*worker);
        QTRY_COMPARE_WITH_TIMEOUT(m_cluster.children(m_layout.members()).size(), 0, 30'000);
    }

    void writeJobs()
    {
        const auto decodeJob = [](const QByteArray &bytes) { jobs::JobSpec::decode(bytes, "default", 5); };
        writeAll(hostile(job().encode(), decodeJob), [this](int i) {
            return m_layout.job("default", {jobs::QueueEntry::Class::Held, 5, 1000 + i});
        });
        jobs::Claim claim;
        claim.worker = QStringLiteral("forged-1");
        claim.waits = QStringLiteral("lock text");
        claim.entry = "q5-0000002100";
        claim.addSignal(15, QStringLiteral("text"));
        const QByteArrayList claims = hostile(claim.encode(), &jobs::Claim::decode);
        writeAll(claims, [this](int i) { return m_layout.claim({"default", 2000 + i}); });
        claim.waits.clear();
        QByteArrayList running = hostile(claim.encode(), &jobs::Claim::decode);
        claim.entry.clear();
        running.append(claim.encode());
        writeAll(running, [this](int i) { return m_layout.claim({"default", 2100 + i}); });
        for (qsizetype i = 0; i < std::max(claims.size(), running.size()); ++i) {
            for (const int number : {2000, 2100})
                m_cluster.write(m_layout.job("default", {jobs::QueueEntry::Class::Ready, 5, number + int(i)}),
                                job().encode());
        }
    }

    void writeWorkers()
    {
        writeAll(hostile(worker().encode(), &jobs::WorkerInfo::decode),
                 [this](int i) { return m_layout.members() / ("forged-" + QByteArray::number(i)); });
        jobs::Cordon cordon;
        cordon.by = cordon.why = Hostile;
        m_cluster.write(m_layout.cordon("forged-1"), cordon.encode());
        m_cluster.write(m_layout.members() / HostileName, worker().encode());
        m_cluster.write(m_layout.master() / ForgedMaster, Hostile.toUtf8());
        jobs::AuditEntry entry;
        entry.id = "forged";
        entry.action = entry.target = entry.detail = entry.by = Hostile;
        jobs::SignedEntry stored;
        stored.text = QString::fromUtf8(entry.encode());
        m_cluster.write(m_layout.audit() / "forged", stored.encode());
        m_cluster.write(m_layout.audit() / HostileName, Hostile.toUtf8());
        jobs::ClusterStats stats;
        stats.master = Hostile;
        stats.archive = jobs::ClusterStats::Archive{.history = Hostile, .error = Hostile};
        stats.troubles.push_back({.subject = Hostile, .error = Hostile});
        m_cluster.write(m_layout.stats(), stats.encode());
    }

    void writeQueues()
    {
        jobs::QueueSettings settings;
        settings.paused = true;
        settings.pausedBy = settings.why = Hostile;
        m_cluster.write(m_layout.queue("other"), settings.encode());
        m_cluster.write(m_layout.queue(HostileName), {});
        for (const zk::Path &place : {m_layout.limits(), m_layout.locks(), m_layout.groups(), m_layout.settings(),
                                      m_layout.counters(), m_layout.items(), m_layout.files()}) {
            m_cluster.write(place, {});
            m_cluster.write(place / HostileName, Hostile.toUtf8());
        }
        m_cluster.write(m_layout.group("hostile"), {});
        m_cluster.write(m_layout.group("hostile") / HostileName, Hostile.toUtf8());
        m_cluster.write(m_layout.setting("hostile"), Hostile.toUtf8());
        m_cluster.write(m_layout.counter("hostile"), Hostile.toUtf8());
        const Finished put = m_cluster.drover.run(words("queue hostile put") + QStringList(9, Hostile));
        QVERIFY2(put.exitCode == 0, put.err);
        const QJsonObject forged{{QStringLiteral("v"), 1},
                                 {QStringLiteral("path"), u'/' + Hostile},
                                 {QStringLiteral("id"), QStringLiteral("i")}};
        const zk::Path shared = m_layout.file(SharedFile);
        m_cluster.write(shared, {});
        m_cluster.write(shared / "meta", hostile(ledger().encode(), &files::Ledger::decode).front());
        m_cluster.write(m_layout.files() / "forged", {});
        m_cluster.write(m_layout.files() / "forged" / "meta", QJsonDocument(forged).toJson());
    }

    void writeSchedules()
    {
        const Finished added = m_cluster.drover.run(words("cron add --comment text --tag text sound"
                                                          " @daily -- true text"));
        QVERIFY2(added.exitCode == 0, added.err);
        const QByteArrayList schedules =
            hostile(m_cluster.data(m_layout.schedule("sound")), &jobs::ScheduleEntry::decode);
        writeAll(schedules, [this](int i) { return m_layout.schedule("s-" + QByteArray::number(i)); });
    }

    void requireHarmless(const QString &line, const Finished &finished) const
    {
        const QString harm = harmIn(finished.out + finished.err);
        QVERIFY2(
            harm.isEmpty(),
            qPrintable(QStringLiteral("%1: %2\n").arg(line, harm) + QString::fromUtf8(finished.out + finished.err)));
        QVERIFY2(!finished.err.startsWith("drover: invalid znode path"), finished.err); // a record's name was used
        QVERIFY2(finished.exitCode >= 0 && finished.exitCode < 128, qPrintable(line));
    }

private Q_SLOTS:
    void initTestCase()
    {
        app::setCommandGroups(app::droverCommands());
        m_cluster.start({"default", "other"});
        m_history = m_cluster.drover.directory() + QStringLiteral("/history.sqlite");
        const auto decodeRecord = [](const QByteArray &bytes) {
            if (jobs::FinalRecord::decode(bytes, {"default", 1}).tail != Hostile.toUtf8())
                throw std::runtime_error("logs would show another tail");
        };
        archive(hostile(record().encode(), decodeRecord));
        writeSchedules();
        writeJobs();
        writeWorkers();
        writeQueues();
        m_cluster.drover.setVariable("DROVER_HISTORY", m_history);
    }

    // A new command has to say what it shows of others.
    void everyCommandIsHere()
    {
        static const QStringList Others{
            u"submit"_qs,         u"run"_qs,          u"cron add"_qs,        u"cron rm"_qs,
            u"cron pause"_qs,     u"cron resume"_qs,  u"cron run"_qs,        u"up"_qs,
            u"down"_qs,           u"worker"_qs,       u"worker cordon"_qs,   u"worker drain"_qs,
            u"queue pause"_qs,    u"queue resume"_qs, u"queue limit"_qs,     u"limit set"_qs,
            u"completion"_qs,     u"lock"_qs,         u"semaphore"_qs,       u"barrier"_qs,
            u"config set"_qs,     u"config watch"_qs, u"double-barrier"_qs,  u"append"_qs,
            u"files forget"_qs,   u"demo"_qs,         u"demo-count"_qs,      u"worker uncordon"_qs,
            u"config check"_qs,   u"launch"_qs,       u"master stepdown"_qs, u"cluster init"_qs,
            u"cluster secure"_qs, u"user add"_qs,     u"user rm"_qs,
            u"user ls"_qs, // names in certificates of the root key
            u"worker add"_qs,     u"login"_qs,        u"whoami"_qs,          u"key rotate"_qs,
            u"key sign"_qs,       u"manual"_qs,       u"cluster prepare"_qs,
        };
        QStringList missing;
        for (const app::Command &command : app::commands()) {
            const QString name = QString::fromLatin1(command.name);
            if (!linesOfCommands().contains(name) && !Others.contains(name))
                missing.append(name);
        }
        QCOMPARE(missing.join(u' '), QString());
    }

    void noCommandPassesThemOn_data()
    {
        QTest::addColumn<QString>("line");
        for (const QStringList &lines : linesOfCommands()) {
            for (const QString &line : lines)
                QTest::newRow(qPrintable(line)) << line;
        }
    }
    void noCommandPassesThemOn()
    {
        QFETCH(QString, line);
        const bool isPrinted = line.startsWith(u"complete") || line.startsWith(u"history export");
        const bool isRaw = line.startsWith(u"logs") || line.startsWith(u"config get") || line.endsWith(u"peek")
            || line.endsWith(u"take");
        if (!isRaw)
            requireHarmless(line, m_cluster.drover.run(words(line)));
        if (isPrinted || line.startsWith(u"logs"))
            return;
        for (const char *const format : {"json", "jsonl"}) {
            const QStringList inFormat{QStringLiteral("-o"), QString::fromLatin1(format)};
            const Finished finished = m_cluster.drover.run(words(line) + inFormat);
            requireHarmless(line, finished);
            if (finished.out.startsWith("{\n"))
                QVERIFY2(!QJsonDocument::fromJson(finished.out).isNull(), finished.out);
        }
    }

    // A worker that is the master reads all of it.
    void logLinesStayWhole()
    {
        QByteArray broken = m_cluster.data(m_layout.schedule("sound"));
        broken.replace("\"@daily\"", "\"@da\\nily\\u001b]0;title%1%2%3%4%5\"");
        m_cluster.write(m_layout.schedule("broken"), broken);
        m_cluster.remove(m_layout.master() / ForgedMaster);
        const std::unique_ptr<QProcess> worker = m_cluster.drover.start(words("worker --queue third"));
        QByteArray said;
        QVERIFY2(waitForMessage(*worker, "schedule broken", said), said);
        sendSignal(*worker, SIGTERM);
        said += DroverProgram::finish(*worker).err;
        QVERIFY2(harmIn(said).isEmpty(), said);
        for (const QByteArray &line : said.trimmed().split('\n'))
            QVERIFY2(line.startsWith("drover: "), said);
    }

    // Into a pipe these print what is stored. A terminal gets it only if it is asked to.
    void terminalsGetBytesOfOthersEscaped_data()
    {
        QTest::addColumn<QString>("line");
        for (const char *const line :
             {"logs default-3000", "config get hostile", "queue hostile peek", "queue hostile take", "history export"})
            QTest::newRow(line) << QString::fromLatin1(line);
    }
    void terminalsGetBytesOfOthersEscaped()
    {
        QFETCH(QString, line);
        const auto onTerminal = [this](const QString &words) {
            QByteArrayList command{(qEnvironmentVariable("DROVER_BIN_DIR") + QStringLiteral("/drover")).toLocal8Bit()};
            for (const QString &word : words.split(u' '))
                command.append(word.toUtf8());
            OnTerminal terminal(command, m_cluster.drover.environment().toStringList());
            return terminal.ends() ? terminal.seen : "not in time: " + terminal.seen;
        };
        const QByteArray escaped = onTerminal(line);
        QVERIFY2(escaped.contains("title%1%2%3%4%5\\x07") && harmIn(escaped).isEmpty(), escaped);
        const QByteArray raw = onTerminal(line + QStringLiteral(" --raw"));
        QVERIFY2(raw.contains(Hostile.toUtf8()), raw);
        const Finished piped = m_cluster.drover.run(words(line));
        QVERIFY2(piped.out.contains(Hostile.toUtf8()), piped.err);
    }
};

QTEST_GUILESS_MAIN(HostileTextsTest)
#include "texts_test.moc"
