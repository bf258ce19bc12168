#include "app/program.h"
#include "app/typed_text.h"

#include <QCoreApplication>
#include <QLoggingCategory>

int main(int argc, char **argv)
{
    QCoreApplication application(argc, argv);
    QCoreApplication::setApplicationName(QStringLiteral("drover"));
    QCoreApplication::setApplicationVersion(QStringLiteral(DROVER_VERSION));
    // Categories tell what the libraries see; a user wants to know what concerns the command. QT_LOGGING_RULES has the
    // last word.
    QLoggingCategory::setFilterRules(QStringLiteral("drover.*.debug=false\ndrover.*.info=false"));
    // Not QCoreApplication::arguments(), which are other words where they are not UTF-8.
    QStringList typed;
    for (int i = 0; i < argc; ++i)
        typed.append(drover::app::typedText(argv[i]));
    return drover::app::runProgram(typed);
}
