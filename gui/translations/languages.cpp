#include "gui/translations/languages.h"

#include <QCoreApplication>
#include <QLibraryInfo>
#include <QLocale>
#include <QTranslator>

namespace drover::gui {

namespace {

const QString &english()
{
    static const QString name = QStringLiteral("en");
    return name;
}

// Whether the file was there. The application owns what is loaded.
bool load(const QString &file)
{
    auto *const translator = new QTranslator(QCoreApplication::instance());
    return translator->load(file) && QCoreApplication::installTranslator(translator);
}

} // namespace

QStringList allLanguages()
{
    return {english(), QStringLiteral("zh_CN")};
}

QString languageFor(const QStringList &wanted)
{
    for (const QString &name : wanted) {
        const QLocale locale(name);
        if (locale.language() == QLocale::Chinese && locale.script() == QLocale::SimplifiedChineseScript)
            return QStringLiteral("zh_CN");
        if (locale.language() == QLocale::English)
            return english();
    }
    return english();
}

void speak(const QString &language)
{
    if (language == english())
        return;
    load(QLibraryInfo::path(QLibraryInfo::TranslationsPath) + QStringLiteral("/qtbase_") + language); // not everywhere
    [[maybe_unused]] const bool isLoaded = load(QStringLiteral(":/i18n/drover-console_") + language);
    Q_ASSERT(isLoaded);
}

} // namespace drover::gui
