#include "support/session_test_case.h"

#include <QTest>

namespace drover::test {

void SessionTestCase::initTestCase()
{
    m_fixture.server.start();
}

void SessionTestCase::init()
{
    m_session = m_fixture.connected(m_fixture.options());
    m_root = zk::Path("/" + QByteArray(QTest::currentTestFunction()));
    await(m_session->ensurePath(m_root));
}

void SessionTestCase::cleanup()
{
    await(m_session->close());
    m_session.reset();
}

} // namespace drover::test
