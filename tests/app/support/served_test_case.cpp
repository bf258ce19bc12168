#include "served_test_case.h"

#include <QTest>

namespace drover::test {

void ServedTestCase::initTestCase()
{
    m_cluster.start({QByteArrayLiteral("default"), QByteArrayLiteral("other")});
    m_worker = m_drover.start(words("worker --slots 4"));
    QTRY_COMPARE_WITH_TIMEOUT(m_cluster.children(m_cluster.layout.members()).size(), 1, 60'000);
}

void ServedTestCase::cleanupTestCase()
{
    if (!m_worker)
        return;
    m_worker->terminate();
    QVERIFY(DroverProgram::finish(*m_worker).exitCode >= 0);
}

QString ServedTestCase::submit(const char *options, const char *script) const
{
    const QStringList typed = words("submit --id-only") + words(options) + words("-- sh -c");
    const Finished finished = m_drover.run(typed + QStringList(QString::fromUtf8(script)));
    if (finished.exitCode != 0)
        qWarning("submit: %s", finished.err.constData());
    return QString::fromUtf8(finished.out.trimmed());
}

} // namespace drover::test
