#include "app/submission/submit_texts.h"
#include "app/support/drover_program.h"
#include "gui/models/submit_form.h"
#include "gui/pictures.h"
#include "gui/text/shell_words.h"
#include "gui/widgets/job_option_fields.h"
#include "gui/widgets/submit_dialog.h"
#include "gui/widgets/theme.h"
#include "gui/window_fixture.h"

#include <QCheckBox>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

using namespace drover;
using namespace drover::gui;

namespace {

struct Fixture {
    app::SubmitTexts known;
    SubmitDialog dialog{{u"default"_qs, u"nightly"_qs}, nullptr, &known};

    Fixture() { dialog.findChild<QPlainTextEdit *>()->setPlainText(u"sh -c 'echo \"$1\"' x"_qs); }
    void set(const QString &option, const QString &text)
    {
        auto *const field = dialog.findChild<QLineEdit *>(option);
        QVERIFY2(field, qPrintable(option));
        field->setText(text);
    }
    bool says(const QString &text) const
    {
        const QList<QLabel *> labels = dialog.findChildren<QLabel *>();
        return std::any_of(labels.begin(), labels.end(),
                           [&](const QLabel *label) { return !label->isHidden() && label->text().contains(text); });
    }
    QString commandLine() const { return dialog.findChild<QLabel *>(u"command-line"_qs)->text(); }
    void setMany()
    {
        set(u"array"_qs, u"1-100:3%4"_qs);
        set(u"slots"_qs, u"2"_qs);
        set(u"memory"_qs, u"2G"_qs);
        set(u"label"_qs, u"gpu ssd"_qs);
        set(u"lock"_qs, u"db"_qs);
        set(u"limit"_qs, u"licence"_qs);
        set(u"retries"_qs, u"3"_qs);
        set(u"retry-on"_qs, u"75,124"_qs);
        set(u"backoff"_qs, u"5s"_qs);
        set(u"after-ok"_qs, u"default-3 default-7"_qs);
        set(u"stdout"_qs, u"/srv/out/%j.log"_qs);
        set(u"tag"_qs, u"nightly"_qs);
        set(u"grace"_qs, u"20s"_qs);
        dialog.findChild<QCheckBox *>(u"hold"_qs)->setChecked(true);
    }
};

// What the dry run of the command prints, less what a terminal gives by itself.
QJsonObject withoutSurroundings(const QByteArray &json)
{
    QJsonObject job = QJsonDocument::fromJson(json).object();
    for (const char *const own : {"env", "dir", "schema"})
        job.remove(QLatin1String(own));
    return job;
}

} // namespace

// The submit window with all that `drover submit` understands, by the same code.
class SubmitOptionsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void hasAFieldForEachOption()
    {
        Fixture f;
        for (const jobs::JobOption &option : f.known.all()) {
            if (!SubmitForm::ownOptions().contains(option.name))
                QVERIFY2(f.dialog.findChild<QWidget *>(option.name), qPrintable(option.name));
        }
    }

    void theCommandMakesTheSameJob()
    {
        Fixture f;
        f.dialog.findChild<QPlainTextEdit *>()->clear();
        QVERIFY2(f.commandLine().endsWith(u"-- COMMAND"_qs), qPrintable(f.commandLine())); // it ended in "--"
        f.dialog.findChild<QPlainTextEdit *>()->setPlainText(u"sh -c 'echo \"$1\"' x"_qs);
        f.setMany();
        const SubmitForm::Checked checked = f.dialog.form().check();
        QVERIFY2(checked.ok(), qPrintable(checked.objection));
        QCOMPARE(checked.spec.array->count(), 34);
        QVERIFY(!checked.spec.notes.heldBy.isEmpty());
        QStringList words = splitShellWords(f.commandLine()).words;
        QCOMPARE(words.first(2), (QStringList{u"drover"_qs, u"submit"_qs}));
        words.insert(2, u"--dry-run"_qs);
        test::DroverProgram drover;
        const test::Finished dry = drover.run(words.mid(1));
        QVERIFY2(dry.exitCode == 0, dry.err.constData());
        QCOMPARE(withoutSurroundings(dry.out), withoutSurroundings(f.known.write(checked.spec)));
    }

    void saysWhatIsWrongWithAField()
    {
        Fixture f;
        f.dialog.show();
        f.set(u"array"_qs, u"5-1"_qs);
        QVERIFY(!f.dialog.form().check().ok());
        QVERIFY(!f.dialog.form().check().optionErrors.at(u"array"_qs).isEmpty());
        QSignalSpy wanted(&f.dialog, &SubmitDialog::submitWanted);
        const QList<QPushButton *> buttons = f.dialog.findChildren<QPushButton *>();
        for (QPushButton *const button : buttons) {
            if (button->text() == u"&Submit")
                button->click();
        }
        QCOMPARE(wanted.size(), 0);
        f.set(u"array"_qs, u"1-5"_qs);
        f.set(u"gang"_qs, u"3"_qs);
        QVERIFY2(f.says(u"array and gang do not go together"_qs), qPrintable(f.dialog.form().check().objection));
        f.set(u"gang"_qs, QString());
        QVERIFY(f.dialog.form().check().ok());
    }

    void savesAndOpensJobFiles()
    {
        const QTemporaryDir directory;
        const QString path = directory.filePath(u"job.json"_qs);
        Fixture f;
        f.setMany();
        QCOMPARE(f.dialog.saveFile(path), QString());
        Fixture other;
        QCOMPARE(other.dialog.openFile(path), QString());
        QCOMPARE(other.commandLine(), f.commandLine());
        QVERIFY(other.dialog.form().check().spec.array == f.dialog.form().check().spec.array);
        QFile toml(directory.filePath(u"job.toml"_qs));
        QVERIFY(toml.open(QIODevice::WriteOnly));
        toml.write("command = [\"make\", \"all\"]\nretries = 3\nlock = [\"a b\"]\n");
        toml.close();
        QVERIFY(other.dialog.openFile(toml.fileName()).contains(u"job.toml:3"_qs)); // no lock has such a name
        QVERIFY(other.dialog.openFile(directory.filePath(u"none.json"_qs)).startsWith(u"Cannot read "_qs));
    }

    void aJobFileOfTheCommandLineOpensTheDialog()
    {
        const QTemporaryDir directory;
        QFile file(directory.filePath(u"all.job.toml"_qs));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("command = [\"make\", \"all\"]\nretries = 3\n");
        file.close();
        const app::SubmitTexts known;
        test::WindowFixture f;
        f.window.shown().setJobOptions(known);
        QVERIFY(f.window.shown().submitFile(directory.filePath(u"none.toml"_qs)).startsWith(u"Cannot read "_qs));
        QVERIFY(!f.window.findChild<SubmitDialog *>());
        QCOMPARE(f.window.shown().submitFile(file.fileName()), QString());
        const auto *const dialog = f.window.findChild<SubmitDialog *>();
        QVERIFY(dialog && dialog->isVisible());
        QCOMPARE(dialog->form().check().spec.command, (QStringList{u"make"_qs, u"all"_qs}));
    }

    // "Submit again" shows what the job had, and what is deleted is not submitted.
    void aDeletedOptionIsNotSet()
    {
        Fixture f;
        f.setMany();
        const jobs::JobSpec before = f.dialog.form().check().spec;
        Fixture again;
        again.dialog.repeat(u"default-1"_qs, before);
        QCOMPARE(again.dialog.form().check().spec.encode(), before.encode());
        again.set(u"array"_qs, QString());
        again.set(u"lock"_qs, QString());
        again.set(u"stdout"_qs, u"/srv/out.log"_qs);
        const SubmitForm::Checked changed = again.dialog.form().check();
        QVERIFY2(changed.ok(), qPrintable(changed.objection));
        QVERIFY(!changed.spec.array);
        QVERIFY(changed.spec.locks.isEmpty());
        QCOMPARE(changed.spec.limits, before.limits);
        QCOMPARE(changed.spec.retry.limit, 3);
    }

    void looksLikeThis_data()
    {
        QTest::addColumn<int>("theme");
        QTest::newRow("light") << int(ThemeChoice::Light);
        QTest::newRow("dark") << int(ThemeChoice::Dark);
    }
    void looksLikeThis()
    {
        QFETCH(int, theme);
        applyTheme(ThemeChoice(theme));
        Fixture f;
        f.set(u"array"_qs, u"1-100%4"_qs);
        f.set(u"slots"_qs, u"many"_qs);
        f.dialog.findChildren<QToolButton *>()[0]->setChecked(true);
        f.dialog.findChildren<QToolButton *>()[1]->setChecked(true);
        f.dialog.show();
        test::pictureOf(f.dialog, u"submit-%1"_qs.arg(QLatin1String(QTest::currentDataTag())));
        QVERIFY2(f.dialog.minimumSizeHint().width() <= 800 && f.dialog.minimumSizeHint().height() <= 600, "800x600");
        applyTheme(ThemeChoice::Light);
    }
};

QTEST_MAIN(SubmitOptionsTest)
#include "submit_options_test.moc"
