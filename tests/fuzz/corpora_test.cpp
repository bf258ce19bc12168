#include "fuzz/harness/target.h"

#include <QDir>
#include <QTest>

#include <chrono>

using namespace drover::fuzz;
using namespace std::chrono_literals;

// Replays the corpora of all targets, and then changes their inputs at random for a moment. The changes are the same in
// every run; DROVER_SEED=N makes others.
class CorporaTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theReadMeNamesEveryTarget()
    {
        QFile readMe(QStringLiteral(DROVER_SOURCE_DIR "/tests/fuzz/README.md"));
        QVERIFY(readMe.open(QIODevice::ReadOnly));
        const QByteArray text = readMe.readAll();
        for (const Target &target : targets())
            QVERIFY2(text.contains('`' + QByteArray(target.name) + '`'), target.name);
    }

    void everyInputIsReadOrRefused_data() { addTargets(); }
    void everyInputIsReadOrRefused()
    {
        const Target &target = current();
        for (const auto &[file, input] : corpusOf(target))
            run(target, input, file);
    }

    void everyChangedInputIsReadOrRefused_data() { addTargets(); }
    void everyChangedInputIsReadOrRefused()
    {
        constexpr auto Budget = 700ms;
        constexpr int MostRuns = 2000;
        constexpr qsizetype LongestInput = 8 * 1024;
        const Target &target = current();
        const std::vector<Input> corpus = corpusOf(target);
        Random random(static_cast<unsigned>(qEnvironmentVariableIntValue("DROVER_SEED")) + 1);
        const auto end = std::chrono::steady_clock::now() + Budget;
        for (int i = 0; i < MostRuns && std::chrono::steady_clock::now() < end; ++i) {
            QByteArray input = corpus[random() % corpus.size()].bytes;
            for (std::size_t change = 0, changes = 1 + random() % 5; change < changes; ++change)
                input = mutated(input, target.form, random).left(LongestInput);
            run(target, input, QStringLiteral("changed input %1").arg(i));
        }
    }

private:
    struct Input {
        QString file;
        QByteArray bytes;
    };

    static void addTargets()
    {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < targets().size(); ++i)
            QTest::newRow(targets()[i].name) << int(i);
    }

    static const Target &current()
    {
        QFETCH(int, index);
        return targets()[static_cast<std::size_t>(index)];
    }

    static std::vector<Input> corpusOf(const Target &target)
    {
        const QDir folder(QStringLiteral(DROVER_SOURCE_DIR "/tests/fuzz/corpus/") + QLatin1String(target.name));
        std::vector<Input> inputs{{QStringLiteral("no bytes"), {}}};
        for (const QFileInfo &entry : folder.entryInfoList(QDir::Files, QDir::Name)) {
            QFile file(entry.filePath());
            if (!file.open(QIODevice::ReadOnly))
                qFatal("cannot read %s", qPrintable(entry.filePath()));
            inputs.push_back({entry.fileName(), file.readAll()});
        }
        if (inputs.size() == 1)
            qFatal("there is no corpus in %s", qPrintable(folder.path()));
        return inputs;
    }

    static void run(const Target &target, const QByteArray &input, const QString &name)
    {
        try {
            target.run(input);
        } catch (const std::exception &error) {
            QFAIL(qPrintable(QStringLiteral("%1: %2: %3\ninput in base64: %4")
                                 .arg(QLatin1String(target.name), name, QString::fromUtf8(error.what()),
                                      QString::fromLatin1(input.toBase64()))));
        }
    }
};

QTEST_GUILESS_MAIN(CorporaTest)
#include "corpora_test.moc"
