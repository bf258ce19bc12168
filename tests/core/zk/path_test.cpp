#include "zk/path.h"

#include <QTest>

using namespace drover::zk;

class PathTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void validPaths_data()
    {
        QTest::addColumn<QByteArray>("text");
        for (const char *text : {"/", "/a", "/a/b", "/.a", "/a.", "/..a", "/a..", "/...", "/a b", "/\xc3\xa4"})
            QTest::newRow(text) << QByteArray(text);
    }
    void validPaths()
    {
        QFETCH(QByteArray, text);
        QCOMPARE(Path(text).bytes(), text);
    }

    void invalidPaths_data()
    {
        QTest::addColumn<QByteArray>("text");
        for (const char *text : {"", "a", "a/b", "/a/", "//", "/a//b", "/.", "/..", "/a/./b", "/a/..", "/a\n", "/\x7f"})
            QTest::newRow(text) << QByteArray(text);
        QTest::newRow("NUL") << QByteArray("/a\0b", 4);
    }
    void invalidPaths()
    {
        QFETCH(QByteArray, text);
        QVERIFY_THROWS_EXCEPTION(InvalidPath, Path{text});
    }

    void parts()
    {
        const Path root;
        QVERIFY(root.isRoot());
        QCOMPARE(root.parent(), root);
        QCOMPARE(root.name(), QByteArray());
        QCOMPARE(root / "a", Path("/a"));
        QCOMPARE((root / "a").parent(), root);
        QCOMPARE(Path("/a") / "b/c", Path("/a/b/c"));
        QCOMPARE(Path("/a/b/c").parent(), Path("/a/b"));
        QCOMPARE(Path("/a/b/c").name(), QByteArray("c"));
        QVERIFY_THROWS_EXCEPTION(InvalidPath, Path("/a") / "../b");
        QVERIFY_THROWS_EXCEPTION(InvalidPath, Path("/a") / "");
    }

    // The server appends "%010d" of a counter that wraps to negative after 2^31 creates.
    void sequences_data()
    {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<std::optional<qint64>>("number");
        const auto row = [](const char *name, std::optional<qint64> number) {
            QTest::newRow(name) << QByteArray(name) << number;
        };
        row("lock-0000000000", 0);
        row("lock-0000000042", 42);
        row("lock0000000042", 42);
        row("0000000042", 42);
        row("lock-2147483647", 2147483647);
        row("lock--2147483648", -2147483648);
        row("lock--2147483647", -2147483647);
        row("lock--1000000000", -1000000000);
        row("lock--999999999", -999999999);
        row("lock--000000001", -1);
        row("__READ__-2147483648", -2147483648);
        row("__READ__-999999999", -999999999);
        row("lock", std::nullopt);
        row("lock-notanumber", std::nullopt);
        row("000000042", std::nullopt);
        row("lock-+000000042", std::nullopt);
        row("lock--0000000005", 5);
        row("lock--000000000", std::nullopt);
        row("lock-000000042 ", std::nullopt);
        row("lock--00000042 ", std::nullopt);
    }
    void sequences()
    {
        QFETCH(QByteArray, name);
        QFETCH(std::optional<qint64>, number);
        QCOMPARE(sequenceOf(name), number);
        if (number)
            QVERIFY(name.endsWith(sequenceText(static_cast<qint32>(*number))));
    }
};

QTEST_GUILESS_MAIN(PathTest)
#include "path_test.moc"
