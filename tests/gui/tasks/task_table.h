#pragma once

#include "gui/tasks/user.h"

#include <QFile>
#include <QTest>

namespace drover::test {

// What gui/README.md says that a task takes: the second cell of its row. Empty: there is no such row.
inline QString documentedEffort(const QString &task)
{
    QFile readme(QStringLiteral(DROVER_SOURCE_DIR "/gui/README.md"));
    if (!readme.open(QIODevice::ReadOnly))
        return {};
    const QStringList lines = QString::fromUtf8(readme.readAll()).split(u'\n');
    for (const QString &line : lines) {
        const QStringList cells = line.split(u'|');
        if (cells.size() > 2 && cells[1].trimmed() == task)
            return cells[2].trimmed();
    }
    return {};
}

// Carries out the steps, prints what they took, and compares it with the table.
inline void carryOut(const QString &task, User &user, const std::function<void()> &steps)
{
    try {
        steps();
    } catch (const std::exception &error) {
        QFAIL(error.what());
    }
    qInfo("%s: %s", qPrintable(task), qPrintable(user.effort().text()));
    QCOMPARE(user.effort().text(), documentedEffort(task));
}

} // namespace drover::test
