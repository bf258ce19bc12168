#pragma once

#include "support/session_fixture.h"

#include <QObject>

namespace drover::test {

// Base of the tests that want one server for all their functions, and for each a session and a znode of its own.
class SessionTestCase : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void init();
    void cleanup();

protected:
    SessionFixture m_fixture;
    std::unique_ptr<zk::Session> m_session;
    zk::Path m_root; // named after the test function
};

} // namespace drover::test
