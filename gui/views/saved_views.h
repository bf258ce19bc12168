#pragma once

#include "gui/data/snapshots.h"

#include <QObject>

#include <map>
#include <set>

class QSettings;

namespace drover::gui {

// The views of the table of jobs that the user has saved, by cluster and name. All tabs of a window share them. Lives
// on the GUI thread.
class SavedViews final : public QObject
{
    Q_OBJECT

public:
    static constexpr qsizetype Most = 50; // of one cluster
    static constexpr qsizetype MaxName = 40; // characters

    using QObject::QObject;

    QStringList namesOf(const Target &target) const; // sorted
    // As storedView() has made it; empty: there is none.
    QByteArray find(const Target &target, const QString &name) const;
    // A sentence that says why a new view there cannot have this name; empty if it can.
    QString whyNot(const Target &target, const QString &name) const;

    void put(const Target &target, const QString &name, const QByteArray &stored);
    void rename(const Target &target, const QString &from, const QString &to); // nothing, if `from` has gone
    void remove(const Target &target, const QString &name);

    // Writes what this program has changed. What another program of the user has written meanwhile stays, and is taken
    // over.
    void saveTo(QSettings &settings);
    void restoreFrom(QSettings &settings);

Q_SIGNALS:
    void changed();

private:
    using Key = std::tuple<QString, QByteArray, QString>; // servers, cluster, name
    using All = std::map<Key, QByteArray>;

    static Key keyOf(const Target &target, const QString &name) { return {target.connect, target.cluster, name}; }
    static All allIn(QSettings &settings);
    void changeTo(All all);

    All m_all;
    std::set<Key> m_unsaved; // that this program has changed, or removed
};

} // namespace drover::gui
