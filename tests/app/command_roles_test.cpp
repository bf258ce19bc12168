#include "app/commands/commands.h"
#include "app/program/command_line.h"
#include "app/support/access_of.h"
#include "app/support/sample_cluster.h"
#include "app/support/tree_changes.h"
#include "async/qt_loop.h"
#include "trust/credentials.h"
#include "zk/client/session.h"

#include <QFile>
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

    SampleCluster m_cluster;
    std::map<Role, DroverProgram> m_people; // honest
    std::map<Role, DroverProgram> m_liars; // their certificates claim all roles; they know one role's password
    async::QtLoop m_loop;
    std::unique_ptr<zk::Session> m_session;
    const jobs::Layout m_layout{QByteArrayLiteral("default")};

    void makePeople();
    TreeContents tree() const;

    static Need needOf(const Sample &sample);
    static CommandLine parsed(const Sample &sample);
    std::map<Role, Finished> refused(const Sample &sample, std::map<Role, DroverProgram> &by, const Need &need);
    Finished carryOut(const DroverProgram &program, const Sample &sample, const QStringList &line) const;

private Q_SLOTS:
    void initTestCase();

    void anInterruptedRunSaysThatTheJobGoesOn();
    void everyNeedOfEveryCommandHasASample();
    void theProgramRefuses_data() { addSamples(); }
    void theProgramRefuses();
    void zooKeeperRefuses_data() { addSamples(); }
    void zooKeeperRefuses();
    void eachRoleCanDoWhatItMay_data() { addSamples(); }
    void eachRoleCanDoWhatItMay();

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

void CommandRolesTest::makePeople()
{
    const QString folder = m_cluster.administrator().directory() + u'/';
    const trust::Credentials all = trust::Credentials::read(folder + QStringLiteral("admin.drover"));
    for (const Role role : trust::AllRoles) {
        const QString name = QString::fromLatin1(trust::roleName(role));
        m_cluster.administer(QStringLiteral("user add a-%1 --role %1").arg(name));
        SampleCluster::logIn(m_people[role],
                             trust::Credentials::read(folder + QStringLiteral("a-%1.drover").arg(name)));
        if (role == Role::Worker)
            continue; // the tree lets workers do much to jobs
        trust::Credentials liar = trust::Credentials::read(folder + QStringLiteral("admin.drover"));
        std::erase_if(liar.passwords, [role](const auto &known) { return known.first != role; });
        SampleCluster::logIn(m_liars[role], liar);
    }

    zk::SessionOptions options;
    options.servers = m_cluster.connectString();
    options.access = accessOf(all);
    m_session = std::make_unique<zk::Session>(m_loop, options);
    m_session->open();
    await(m_session->connected());
}

void CommandRolesTest::initTestCase()
{
    setCommandGroups(droverCommands());
    m_cluster.start();
    makePeople();
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
    const QStringList line = m_cluster.filled(sample, false);
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

void CommandRolesTest::eachRoleCanDoWhatItMay()
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
            requireWorks(trust::roleName(role), carryOut(program, sample, m_cluster.filled(sample, true)));
            continue;
        }
        reading[role] = program.start(m_cluster.filled(sample, false));
        reading[role]->closeWriteChannel();
    }
    for (auto &[role, process] : reading)
        requireWorks(trust::roleName(role), DroverProgram::finish(*process, Limit));
    if (need.signs && need.role != Role::Submit) // no single role has all that it needs
        requireWorks("admin", carryOut(m_cluster.administrator(), sample, m_cluster.filled(sample, true)));
}

// Ctrl-C cannot cancel it.
void CommandRolesTest::anInterruptedRunSaysThatTheJobGoesOn()
{
    const QString go = m_cluster.administrator().directory() + u"/go"_qs;
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
