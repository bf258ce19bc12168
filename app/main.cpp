#include "app/program.h"

#include <QCoreApplication>

int main(int argc, char **argv)
{
    QCoreApplication application(argc, argv);
    QCoreApplication::setApplicationName(QStringLiteral("drover"));
    QCoreApplication::setApplicationVersion(QStringLiteral(DROVER_VERSION));
    return drover::app::runProgram(QCoreApplication::arguments());
}
