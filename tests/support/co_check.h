#pragma once

#include <QTest>

// QVERIFY and QCOMPARE for test coroutines: a failure ends the coroutine.
#define CO_VERIFY(condition) \
    do { \
        if (!QTest::qVerify(static_cast<bool>(condition), #condition, "", __FILE__, __LINE__)) \
            co_return; \
    } while (false)

#define CO_COMPARE(actual, expected) \
    do { \
        if (!QTest::qCompare(actual, expected, #actual, #expected, __FILE__, __LINE__)) \
            co_return; \
    } while (false)
