#include "app/support/sample_cluster.h"

#include <QDir>
#include <QTest>

namespace drover::test {

namespace {

constexpr int Limit = 60'000; // ms

} // namespace

SampleCluster::~SampleCluster()
{
    for (const std::unique_ptr<QProcess> &worker : m_workers) {
        worker->terminate();
        DroverProgram::finish(*worker);
    }
}

void SampleCluster::start()
{
    m_server.start();
    administer(QStringLiteral("cluster init --connect ") + m_server.connectString());
    administer("user add reader --role viewer");
    administer("worker add machine");
    const QString folder = m_administrator.directory() + u'/';
    logIn(m_reader, trust::Credentials::read(folder + QStringLiteral("reader.drover")));
    logIn(m_machine, trust::Credentials::read(folder + QStringLiteral("machine.drover")));
    startWorker("w1", "--queue default --queue busy --slots 40");
    startWorker("w2", "--queue other");
    makeShared();
}

void SampleCluster::logIn(const DroverProgram &program, const trust::Credentials &credentials)
{
    const QString file = program.directory() + QStringLiteral("/me.drover");
    credentials.write(file);
    const Finished in = program.run({QStringLiteral("login"), file});
    if (in.exitCode != 0)
        qFatal("login: %s", in.err.constData());
}

QString SampleCluster::administer(const QString &line) const
{
    const Finished finished = m_administrator.run(words(line));
    if (finished.exitCode != 0)
        qWarning("%s: %s", qPrintable(line), finished.err.constData());
    return QString::fromUtf8(finished.out.trimmed());
}

void SampleCluster::startWorker(const char *id, const char *options)
{
    m_workers.push_back(
        m_machine.start(words(QStringLiteral("worker --host-pids --grace 1s --id %1 --spool %2/%1 %3")
                                  .arg(QLatin1String(id), m_machine.directory(), QLatin1String(options)))));
    QByteArray seen;
    if (!waitForMessage(*m_workers.back(), ": queues ", seen, Limit))
        qFatal("no worker: %s", seen.constData());
}

QString SampleCluster::runningJob() const
{
    const QString id = administer("submit --queue busy -- sleep 600");
    const auto runs = [&] { return administer(QStringLiteral("show -o json ") + id).contains(u"\"running\""); };
    if (!QTest::qWaitFor(runs, Limit))
        qWarning("job %s does not begin", qPrintable(id));
    return id;
}

void SampleCluster::makeShared()
{
    m_shared["{job}"] = administer("submit --hold -- true");
    m_shared["{released}"] = administer("submit --delay 1d -- true");
    m_shared["{running}"] = runningJob();
    m_shared["{ended}"] = administer("submit -- true");
    administer(QStringLiteral("wait ") + m_shared["{ended}"]);
    m_shared["{worker}"] = QStringLiteral("w1");
    m_shared["{idle}"] = QStringLiteral("w2");
    m_shared["{user}"] = QStringLiteral("reader");
    m_shared["{request}"] = QString::fromUtf8(m_reader.run(words("key rotate")).out.trimmed());
    m_shared["{key}"] = m_administrator.directory() + QStringLiteral("/root.key");
    administer("cron add shared @yearly -- true");
    m_shared["{schedule}"] = QStringLiteral("shared");
    m_shared["{paused}"] = make("{paused}");
    administer("worker cordon w2");
    administer("queue pause other");
    m_shared["{file}"] = m_administrator.directory() + QStringLiteral("/ledger");
    m_administrator.shell("echo x | drover append ledger");
    administer("config set known v");
    administer("counter known add 1");
    administer("queue items put 1 2 3 4 5 6 7 8 9");
    administer("barrier b open");
}

QString SampleCluster::make(const QByteArray &placeholder)
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
QStringList SampleCluster::filled(const Sample &sample, bool isUsedUp)
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

} // namespace drover::test
