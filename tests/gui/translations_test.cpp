#include "gui/pictures.h"
#include "gui/shell/page.h"
#include "gui/shell/shell.h"
#include "gui/translations/languages.h"
#include "gui/window_fixture.h"

#include <QAbstractButton>
#include <QDirIterator>
#include <QMenuBar>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <QTranslator>
#include <QXmlStreamReader>

using namespace drover;
using namespace drover::gui;
using namespace Qt::StringLiterals;

namespace {

const QString SourceDir = QStringLiteral(DROVER_SOURCE_DIR);

struct Message {
    QString context;
    QString source;
    QString comment;
    QString translation; // the forms of a plural one after the other
    QString type; // "unfinished", "vanished"; empty: it is complete
    bool isPlural = false;

    QString key() const { return context + u'\n' + source + u'\n' + comment; }
    QString words() const { return context + u": “"_s + source + u"” as “"_s + translation + u'”'; }
};

QList<Message> messagesOf(const QString &path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        qFatal("cannot read %s", qPrintable(path));
    QXmlStreamReader xml(&file);
    QList<Message> messages;
    QString context;
    while (!xml.atEnd()) {
        if (xml.readNext() != QXmlStreamReader::StartElement)
            continue;
        if (xml.name() == u"name")
            context = xml.readElementText();
        else if (xml.name() == u"message")
            messages.append({context, {}, {}, {}, {}, xml.attributes().hasAttribute(u"numerus"_s)});
        else if (xml.name() == u"source")
            messages.back().source = xml.readElementText();
        else if (xml.name() == u"comment")
            messages.back().comment = xml.readElementText();
        else if (xml.name() == u"translation") {
            messages.back().type = xml.attributes().value(u"type"_s).toString();
            const QString text = xml.readElementText(QXmlStreamReader::IncludeChildElements);
            messages.back().translation = messages.back().isPlural ? text.trimmed() : text;
        }
    }
    return messages;
}

QSet<QString> keysOf(const QList<Message> &messages)
{
    QSet<QString> keys;
    for (const Message &message : messages)
        keys.insert(message.key());
    return keys;
}

QStringList matches(const QString &text, const QString &pattern)
{
    QStringList all;
    for (auto it = QRegularExpression(pattern).globalMatch(text); it.hasNext();)
        all << it.next().captured(1).toUpper();
    all.sort();
    return all;
}

bool isChinese(const QString &text)
{
    return std::any_of(text.begin(), text.end(), [](QChar c) { return c.script() == QChar::Script_Han; });
}

// What has no other name in Chinese.
bool isName(const QString &title)
{
    return title == u"Worker" || title == u"Znode" || title == u"ZooKeeper";
}

QString textOfSources()
{
    QString text;
    QDirIterator files(SourceDir + u"/gui"_s, {u"*.cpp"_s, u"*.h"_s}, QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        QFile file(files.next());
        if (file.open(QIODevice::ReadOnly))
            text += QString::fromUtf8(file.readAll());
    }
    return text;
}

// What the window asks for and no file has.
class Misses : public QTranslator
{
public:
    explicit Misses(const QList<Message> &messages)
    {
        if (!m_file.load(u":/i18n/drover-console_zh_CN.qm"_s))
            qFatal("the program has no Chinese");
        for (const Message &message : messages)
            m_contexts.insert(message.context);
    }
    bool isEmpty() const override { return false; }
    // The translator that was installed last is asked first; the next one is asked if this one has no answer.
    QString translate(const char *context, const char *source, const char *comment, int n) const override
    {
        const QString name = QString::fromUtf8(context);
        if (!name.startsWith(u"drover") && !m_contexts.contains(name))
            return {}; // one of Qt's
        if (m_file.translate(context, source, comment, n).isNull())
            all.insert(name + u": "_s + QString::fromUtf8(source));
        return {};
    }

    mutable QSet<QString> all;

private:
    QSet<QString> m_contexts;
    QTranslator m_file;
};

} // namespace

// The Chinese of the console: its file against the sources, and the window that speaks it.
class TranslationsTest : public QObject
{
    Q_OBJECT

    const QString m_path = SourceDir + u"/gui/translations/drover-console_zh_CN.ts"_s;
    const QList<Message> m_messages = messagesOf(m_path);

private Q_SLOTS:
    // As the target drover_gui_lupdate does.
    void theFileHasWhatTheSourcesSay()
    {
        const QTemporaryDir scratch;
        const QString fresh = scratch.filePath(u"fresh_zh_CN.ts"_s);
        QProcess lupdate;
        lupdate.setWorkingDirectory(SourceDir);
        lupdate.setProcessChannelMode(QProcess::MergedChannels);
        lupdate.start(QStringLiteral(DROVER_LUPDATE),
                      {u"-locations"_s, u"none"_s, u"-I"_s, u"."_s, u"-I"_s, u"core"_s, u"gui"_s, u"-ts"_s, fresh});
        QVERIFY(lupdate.waitForFinished(100'000));
        const QString said = QString::fromUtf8(lupdate.readAll());
        QVERIFY2(lupdate.exitCode() == 0, qPrintable(said));
        QVERIFY2(!said.contains(u"lacks Q_OBJECT"), qPrintable(said)); // its texts have another context when it runs
        const QSet<QString> wanted = keysOf(messagesOf(fresh));
        const QSet<QString> there = keysOf(m_messages);
        QVERIFY(wanted.size() > 1000);
        const QStringList missing = (wanted - there).values();
        QVERIFY2(missing.isEmpty(), qPrintable(u"run drover_gui_lupdate; missing: "_s + missing.join(u"; "_s)));
        const QStringList gone = (there - wanted).values();
        QVERIFY2(gone.isEmpty(), qPrintable(u"run drover_gui_lupdate; gone: "_s + gone.join(u"; "_s)));
    }

    void eachTextIsTranslated()
    {
        for (const Message &message : m_messages)
            QVERIFY2(message.type.isEmpty() && !message.translation.isEmpty(), qPrintable(message.words()));
    }

    void placeholdersAndMnemonicsAgree()
    {
        for (const Message &message : m_messages) {
            for (const QString &pattern : {u"(%L?[1-9n])"_s, u"(…)"_s, u"(\\n)"_s, u"&(\\w)"_s}) {
                QVERIFY2(matches(message.source, pattern) == matches(message.translation, pattern),
                         qPrintable(message.words()));
            }
        }
    }

    // Of a class that moc knows, it is the class with its namespace; else what a macro or a call names.
    void eachContextIsOneOfTheRunningProgram()
    {
        const QString sources = textOfSources();
        for (const Message &message : m_messages) {
            if (message.context.startsWith(u"drover::gui::"))
                continue;
            QVERIFY2(sources.contains(u"Q_DECLARE_TR_FUNCTIONS("_s + message.context + u')')
                         || sources.contains(u"translate(\""_s + message.context + u'"'),
                     qPrintable(message.words()));
        }
    }

    // text::formatCount() with words is for programs of one language.
    void countsHavePluralForms()
    {
        const QStringList english = matches(textOfSources(), u"(formatCount\\([^;]*, \"\\w+\", \"\\w+\"\\))"_s);
        QVERIFY2(english.isEmpty(), qPrintable(english.join(u"; "_s)));
    }

    void theFirstLanguageThatIsKnownIsTaken()
    {
        QCOMPARE(languageFor({u"zh-Hans-CN"_s, u"zh-CN"_s, u"zh"_s}), u"zh_CN"_s);
        QCOMPARE(languageFor({u"zh-SG"_s}), u"zh_CN"_s);
        QCOMPARE(languageFor({u"de-DE"_s, u"zh-CN"_s}), u"zh_CN"_s);
        QCOMPARE(languageFor({u"en-US"_s, u"zh-CN"_s}), u"en"_s);
        QCOMPARE(languageFor({u"zh-TW"_s}), u"en"_s);
        QCOMPARE(languageFor({u"C"_s}), u"en"_s);
        QCOMPARE(languageFor({}), u"en"_s);
    }

    // The last test: the translator stays.
    void theWindowIsChinese()
    {
        speak(u"zh_CN"_s);
        Misses misses(m_messages);
        QVERIFY(QCoreApplication::installTranslator(&misses));
        test::WindowFixture f;
        f.window.resize(1280, 800);
        QVERIFY(isChinese(f.window.windowTitle()));
        const QList<QAction *> menus = f.window.menuBar()->actions();
        for (const QAction *const menu : menus)
            QVERIFY2(isChinese(menu->text()) || isName(menu->text()), qPrintable(menu->text()));
        const QStringList pages = f.window.pageNames();
        for (const QString &name : pages) {
            QVERIFY(f.window.showPage(name));
            f.world.runFor(std::chrono::seconds(3));
            test::pictureOf(f.window, u"zh-"_s + name);
            QCOMPARE(f.window.size(), QSize(1280, 800)); // nothing needs more
            const Page *const page = f.window.findChild<Shell *>()->current();
            QVERIFY2(isChinese(page->title()) || isName(page->title()), qPrintable(page->title()));
            const QList<QAbstractButton *> buttons = f.window.findChildren<QAbstractButton *>();
            for (const QAbstractButton *const button : buttons) {
                if (button->isVisible() && !button->text().isEmpty())
                    QVERIFY2(button->width() >= button->minimumSizeHint().width(), qPrintable(button->text()));
            }
        }
        QVERIFY2(misses.all.isEmpty(), qPrintable(misses.all.values().join(u"; "_s)));
    }
};

QTEST_MAIN(TranslationsTest)
#include "translations_test.moc"
