#include "app/commands/commands.h"
#include "app/program/command_line.h"
#include "app/support/access_of.h"
#include "app/support/command_samples.h"
#include "app/support/drover_program.h"
#include "app/support/tree_changes.h"
#include "async/qt_loop.h"
#include "support/zk_server.h"
#include "trust/credentials.h"
#include "zk/client/session.h"

#include <QDir>
#include <QRegularExpression>
#include <QTest>

#include <csignal>
#include <map>

using namespace drover;
using namespace drover::app;
using namespace drover::test;
using trust::Role;

// For every command and every role: the command works, or it is refused with one line and has changed nothing. Both the
// program refuses and ZooKeeper, to which a program that lies about its role has come.
class CommandRolesTest : public QObject
{
    Q_OBJECT

    static constexpr int Limit = 60'000; // ms

    TestServer m_server;
    DroverProgram m_administrator; // has all roles
    DroverProgram m_machine; // the workers'
    std::map<Role, DroverProgram> m_people; // honest
    std::map<Role, DroverProgram> m_liars; // their certificates claim all roles; they know one role's password
    std::vector<std::unique_ptr<QProcess>> m_workers;
    async::QtLoop m_loop;
    std::unique_ptr<zk::Session> m_session;
    std::map<QByteArray, QString> m_shared; // ids that nothing uses up
    int m_number = 10;
    const jobs::Layout m_layout{QByteArrayLiteral("default")};

    QString administer(const QString &line) const
    {
        const Finished finished = m_administrator.run(words(line));
        if (finished.exitCode != 0)
            qWarning("%s: %s", qPrintable(line), finished.err.constData());
        return QString::fromUtf8(finished.out.trimmed());
    }
    QString administer(const char *line) const { return administer(QString::fromUtf8(line)); }

    void start();
    void makePeople();
    void startWorker(const char *id, const char *options);
    void makeShared();
    QString runningJob() const;

    QString make(const QByteArray &placeholder);
    QStringList filled(const Sample &sample, bool isUsedUp);
    TreeContents tree() const;

    static Need needOf(const Sample &sample);
    static CommandLine parsed(const Sample &sample);
    std::map<Role, Finished> refused(const Sample &sample, std::map<Role, DroverProgram> &by, const Need &need);
    Finished carryOut(const DroverProgram &program, const Sample &sample, const QStringList &line) const;

private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase();

    void whoMayOnlySubmitIsToldThatTheJobGoesOn();
    void everyNeedOfEveryCommandHasASample();
    void theProgramRefuses_data() { addSamples(); }
    void theProgramRefuses();
    void zooKeeperRefuses_data() { addSamples(); }
    void zooKeeperRefuses();
    void whatIsAllowedWorks_data() { addSamples(); }
    void whatIsAllowedWorks();

private:
    static void addSamples()
    {
        QTest::addColumn<int>("index");
        for (int i = 0; i < samples().size(); ++i)
            QTest::newRow(samples()[i].line) << i;
    }
    static const Sample &sampleOfRow()
    {
        QFETCH(int, index);
        return samples()[index];
    }
};

void CommandRolesTest::startWorker(const char *id, const char *options)
{
    m_workers.push_back(
        m_machine.start(words(QStringLiteral("worker --host-pids --grace 1s --id %1 --spool %2/%1 %3")
                                  .arg(QLatin1String(id), m_machine.directory(), QLatin1String(options)))));
    QByteArray seen;
    QVERIFY2(waitForMessage(*m_workers.back(), ": queues ", seen), seen);
}

void CommandRolesTest::makePeople()
{
    const auto login = [](DroverProgram &program, const trust::Credentials &credentials) {
        const QString file = program.directory() + QStringLiteral("/me.drover");
        credentials.write(file);
        const Finished in = program.run({QStringLiteral("login"), file});
        QVERIFY2(in.exitCode == 0, in.err);
    };
    const QString folder = m_administrator.directory() + u'/';
    const trust::Credentials all = trust::Credentials::read(folder + QStringLiteral("admin.drover"));
    for (const Role role : trust::AllRoles) {
        const QString name = QString::fromLatin1(trust::roleName(role));
        administer(QStringLiteral("user add a-%1 --role %1").arg(name));
        login(m_people[role], trust::Credentials::read(folder + QStringLiteral("a-%1.drover").arg(name)));
        if (role == Role::Worker)
            continue; // the tree lets workers do much to jobs
        trust::Credentials liar = trust::Credentials::read(folder + QStringLiteral("admin.drover"));
        std::erase_if(liar.passwords, [role](const auto &known) { return known.first != role; });
        login(m_liars[role], liar);
    }
    administer("worker add machine");
    login(m_machine, trust::Credentials::read(folder + QStringLiteral("machine.drover")));

    zk::SessionOptions options;
    options.servers = m_server.connectString();
    options.access = accessOf(all);
    m_session = std::make_unique<zk::Session>(m_loop, options);
    m_session->open();
    await(m_session->connected());
}

QString CommandRolesTest::runningJob() const
{
    const QString id = administer("submit --queue busy -- sleep 600");
    const auto runs = [&] { return administer(QStringLiteral("show -o json ") + id).contains(u"\"running\""); };
    if (!QTest::qWaitFor(runs, Limit))
        qWarning("job %s does not begin", qPrintable(id));
    return id;
}

void CommandRolesTest::makeShared()
{
    m_shared["{job}"] = administer("submit --hold -- true");
    m_shared["{released}"] = administer("submit --delay 1d -- true");
    m_shared["{running}"] = runningJob();
    m_shared["{ended}"] = administer("submit -- true");
    administer(QStringLiteral("wait ") + m_shared["{ended}"]);
    m_shared["{worker}"] = QStringLiteral("w1");
    m_shared["{idle}"] = QStringLiteral("w2");
    m_shared["{user}"] = QStringLiteral("a-viewer");
    m_shared["{request}"] = QString::fromUtf8(m_people[Role::Viewer].run(words("key rotate")).out.trimmed());
    m_shared["{key}"] = m_administrator.directory() + QStringLiteral("/root.key");
    administer("cron add shared @yearly -- true");
    m_shared["{schedule}"] = QStringLiteral("shared");
    m_shared["{paused}"] = make("{paused}");
    administer("worker cordon w2");
    administer("queue pause other");
    m_shared["{file}"] = m_administrator.directory() + QStringLiteral("/ledger");
    QCOMPARE(m_administrator.shell("echo x | drover append ledger").exitCode, 0);
    administer("config set known v");
    administer("counter known add 1");
    administer("queue items put 1 2 3 4 5 6 7 8 9");
    administer("barrier b open");
}

void CommandRolesTest::initTestCase()
{
    setCommandGroups(droverCommands());
    m_server.start();
    const Finished founded = m_administrator.run(words("cluster init --connect") << m_server.connectString());
    QVERIFY2(founded.exitCode == 0, founded.err);
    makePeople();
    startWorker("w1", "--queue default --queue busy --slots 40");
    startWorker("w2", "--queue other");
    makeShared();
}

void CommandRolesTest::cleanupTestCase()
{
    for (const std::unique_ptr<QProcess> &worker : m_workers) {
        worker->terminate();
        DroverProgram::finish(*worker);
    }
}

CommandLine CommandRolesTest::parsed(const Sample &sample)
{
    static const QRegularExpression placeholder(QStringLiteral("\\{\\w+\\}"));
    QString line = QStringLiteral("drover ") + QLatin1String(sample.line);
    return CommandLine::parse(words(line.replace(placeholder, QStringLiteral("default-1"))));
}

Need CommandRolesTest::needOf(const Sample &sample)
{
    const CommandLine line = parsed(sample);
    if (!line.arguments)
        return {}; // its help
    return app::needOf(line.command->needs, *line.arguments).value_or(Need());
}

QString CommandRolesTest::make(const QByteArray &placeholder)
{
    if (placeholder == "{n}")
        return QString::number(++m_number);
    if (placeholder == "{directory}") {
        const QString path = m_administrator.directory() + QStringLiteral("/d%1").arg(++m_number);
        QDir().mkpath(path);
        return path;
    }
    if (placeholder == "{job}")
        return administer("submit --hold -- true");
    if (placeholder == "{released}")
        return administer("submit --delay 1d -- true");
    if (placeholder == "{running}")
        return runningJob();
    if (placeholder == "{schedule}") {
        const QString name = QStringLiteral("s%1").arg(++m_number);
        administer(QStringLiteral("cron add %1 @yearly -- true").arg(name));
        return name;
    }
    if (placeholder == "{paused}") {
        const QString name = make("{schedule}");
        administer(QStringLiteral("cron pause %1").arg(name));
        return name;
    }
    if (placeholder == "{file}") {
        const QByteArray name = "f" + QByteArray::number(++m_number);
        m_administrator.shell("echo x | drover append " + name);
        return m_administrator.directory() + u'/' + QString::fromLatin1(name);
    }
    if (placeholder == "{user}") {
        const QString name = QStringLiteral("u%1").arg(++m_number);
        administer(QStringLiteral("user add %1 --role viewer").arg(name));
        return name;
    }
    return m_shared[placeholder];
}

// What a line may change is made for it, if it `isUsedUp`.
QStringList CommandRolesTest::filled(const Sample &sample, bool isUsedUp)
{
    QString line = QString::fromUtf8(sample.line);
    for (const char *const placeholder :
         {"{n}", "{directory}", "{job}", "{released}", "{running}", "{ended}", "{schedule}", "{paused}", "{worker}",
          "{idle}", "{file}", "{user}", "{key}", "{request}"}) {
        const QString text = QString::fromLatin1(placeholder);
        if (!line.contains(text))
            continue;
        const bool isShared = !isUsedUp && m_shared.count(placeholder) > 0;
        line.replace(text, isShared ? m_shared[placeholder] : make(placeholder));
    }
    return words(line);
}

TreeContents CommandRolesTest::tree() const
{
    TreeContents nodes = treeContents(*m_session, m_layout.root());
    nodes.erase(m_layout.stats().bytes()); // the master's
    return nodes;
}

void CommandRolesTest::everyNeedOfEveryCommandHasASample()
{
    for (const Command &command : commands()) {
        QStringList sampled;
        bool hasSample = false;
        for (const Sample &sample : samples()) {
            if (parsed(sample).command->name != QByteArray(command.name))
                continue;
            hasSample = true;
            sampled << needOf(sample).when;
        }
        QVERIFY2(hasSample, qPrintable(QStringLiteral("there is no sample of drover ") + QLatin1String(command.name)));
        for (const Need &need : command.needs)
            QVERIFY2(
                sampled.contains(need.when),
                qPrintable(
                    QStringLiteral("there is no sample of drover %1 %2").arg(QLatin1String(command.name), need.when)));
    }
}

// All at once: they are refused, so that they cannot disturb each other. What they say, by role.
std::map<Role, Finished> CommandRolesTest::refused(const Sample &sample, std::map<Role, DroverProgram> &by,
                                                   const Need &need)
{
    const QStringList line = filled(sample, false);
    std::map<Role, std::unique_ptr<QProcess>> started;
    for (auto &[role, program] : by) {
        if (need.isMetBy({role}))
            continue;
        started[role] = program.start(line);
        started[role]->closeWriteChannel();
    }
    std::map<Role, Finished> all;
    for (auto &[role, process] : started)
        all[role] = DroverProgram::finish(*process, Limit);
    return all;
}

void CommandRolesTest::theProgramRefuses()
{
    const Sample &sample = sampleOfRow();
    const Need need = needOf(sample);
    const TreeContents before = tree();
    for (const auto &[role, finished] : refused(sample, m_people, need)) {
        const QByteArray name = trust::roleName(role);
        const QByteArray line = "drover: this needs the role " + need.text().toUtf8() + ", and a-" + name + " is "
            + name + "; an administrator grants it: drover user add a-" + name + " --role ";
        QVERIFY2(finished.exitCode == 5 && finished.complainsOnce() && finished.err.startsWith(line), finished.err);
        QCOMPARE(finished.out, QByteArray());
    }
    const QByteArray changed = treeChanges(before, tree()).join(' ');
    QVERIFY2(changed.isEmpty(), changed);
}

// The passwords decide, whatever the certificate says.
void CommandRolesTest::zooKeeperRefuses()
{
    const Sample &sample = sampleOfRow();
    Need need = needOf(sample);
    const QByteArray named = "and this needs the role " + need.text().toUtf8() + "; new credentials help";
    need.signs = false; // workers see to those
    const TreeContents before = tree();
    for (const auto &[role, finished] : refused(sample, m_liars, need)) {
        QVERIFY2(finished.exitCode == 5 && finished.err.contains(named), finished.err);
        QCOMPARE(finished.out, QByteArray());
    }
    const QByteArray changed = treeChanges(before, tree()).join(' ');
    QVERIFY2(sample.beginsBelow || changed.isEmpty(), changed);
}

Finished CommandRolesTest::carryOut(const DroverProgram &program, const Sample &sample, const QStringList &line) const
{
    const std::unique_ptr<QProcess> process = program.start(line);
    process->closeWriteChannel();
    if (!sample.says)
        return DroverProgram::finish(*process, Limit);
    QByteArray seen;
    const bool isWorker = line.first() == u"worker";
    const bool works = isWorker ? waitForMessage(*process, sample.says, seen, Limit)
                                : waitForOutput(*process, sample.says, seen, Limit);
    process->terminate();
    Finished finished = DroverProgram::finish(*process, Limit);
    finished.exitCode = works ? 0 : finished.exitCode;
    finished.err = seen + finished.err;
    return finished;
}

void CommandRolesTest::whatIsAllowedWorks()
{
    const Sample &sample = sampleOfRow();
    const Need need = needOf(sample);
    const auto requireWorks = [&sample](const QByteArray &who, const Finished &finished) {
        QVERIFY2(sample.codes.contains(finished.exitCode),
                 who + ": " + QByteArray::number(finished.exitCode) + ' ' + finished.out + finished.err);
    };
    const bool onlyReads = (!need.role || need.role == Role::Viewer) && !sample.says;
    std::map<Role, std::unique_ptr<QProcess>> reading; // all at once
    for (auto &[role, program] : m_people) {
        if (!need.isMetBy({role}))
            continue;
        if (!onlyReads) {
            requireWorks(trust::roleName(role), carryOut(program, sample, filled(sample, true)));
            continue;
        }
        reading[role] = program.start(filled(sample, false));
        reading[role]->closeWriteChannel();
    }
    for (auto &[role, process] : reading)
        requireWorks(trust::roleName(role), DroverProgram::finish(*process, Limit));
    if (need.signs && need.role != Role::Submit) // no single role has all that it needs
        requireWorks("admin", carryOut(m_administrator, sample, filled(sample, true)));
}

// Ctrl-C cannot cancel it.
void CommandRolesTest::whoMayOnlySubmitIsToldThatTheJobGoesOn()
{
    const QString go = m_administrator.directory() + u"/go"_qs;
    const std::unique_ptr<QProcess> run =
        m_people.at(Role::Submit)
            .start(words("run -- sh -c") << u"echo begun; until test -e %1; do sleep 0.05; done"_qs.arg(go));
    QByteArray out;
    QByteArray err;
    QVERIFY(QTest::qWaitFor([&] { return (out += run->readAllStandardOutput()).contains("begun"); }, Limit));
    QCOMPARE(::kill(pid_t(run->processId()), SIGINT), 0);
    QVERIFY2(QTest::qWaitFor([&] { return (err += run->readAllStandardError()).contains("the role operate"); }, Limit),
             err);
    QVERIFY(QFile(go).open(QIODevice::WriteOnly));
    QVERIFY(run->waitForFinished(Limit));
}

QTEST_GUILESS_MAIN(CommandRolesTest)
#include "command_roles_test.moc"
