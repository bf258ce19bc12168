#include "app/cli/toml_fault.h"

#include <QTest>

#include <toml++/toml.h>

using namespace drover;

// What the author of a TOML file reads of a mistake in it.
class TomlFaultTest : public QObject
{
    Q_OBJECT

    static QString faultOf(const char *text)
    {
        try {
            return toml::parse(std::string_view(text)).empty() ? QStringLiteral("(empty)") : QString();
        } catch (const toml::parse_error &error) {
            return app::tomlFault(error.description());
        }
    }

private Q_SLOTS:
    void otherFormatsAreAnswered_data()
    {
        QTest::addColumn<QString>("advice");
        QTest::newRow("connect = zk1") << QStringLiteral("; a text stands in quotes: key = \"text\"");
        QTest::newRow("connect = zk1:2181") << QStringLiteral("; a text stands in quotes: key = \"text\"");
        QTest::newRow("command: [echo]") << QStringLiteral("; a line of TOML is key = value, and a heading is [name]");
        QTest::newRow("connect zk1") << QStringLiteral("; a line of TOML is key = value, and a heading is [name]");
        QTest::newRow("#SBATCH\nhello\n") << QStringLiteral("; a line of TOML is key = value, and a heading is [name]");
    }
    void otherFormatsAreAnswered()
    {
        QFETCH(QString, advice);
        const QString fault = faultOf(QTest::currentDataTag());
        QVERIFY2(fault.endsWith(advice) && fault.size() > advice.size(), qPrintable(fault));
    }

    void anotherMistakeIsLeftAsItIs()
    {
        const QString fault = faultOf("a = \"b");
        QVERIFY2(!fault.isEmpty() && !fault.contains(u"; a "), qPrintable(fault));
        QCOMPARE(faultOf("a = 'b'"), QString());
    }
};

QTEST_GUILESS_MAIN(TomlFaultTest)
#include "toml_fault_test.moc"
