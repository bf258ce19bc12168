#include "gui/views/saved_views.h"

#include "text/printable.h"

#include <QSettings>

#include <utility>

namespace drover::gui {

QStringList SavedViews::namesOf(const Target &target) const
{
    QStringList names;
    for (const auto &[key, stored] : m_all) {
        if (std::get<0>(key) == target.connect && std::get<1>(key) == target.cluster)
            names << std::get<2>(key);
    }
    names.sort(Qt::CaseInsensitive);
    return names;
}

QByteArray SavedViews::find(const Target &target, const QString &name) const
{
    const auto found = m_all.find(keyOf(target, name));
    return found == m_all.end() ? QByteArray() : found->second;
}

QString SavedViews::whyNot(const Target &target, const QString &name) const
{
    if (name.trimmed().isEmpty())
        return tr("The view needs a name.");
    if (name.size() > MaxName)
        return tr("A name has at most %1 characters.").arg(MaxName);
    if (text::printable(name) != name)
        return tr("The name has a character that cannot be seen.");
    if (!find(target, name.trimmed()).isEmpty())
        return tr("There is a view of that name already.");
    return {};
}

void SavedViews::put(const Target &target, const QString &name, const QByteArray &stored)
{
    All all = m_all;
    all[keyOf(target, name)] = stored;
    m_unsaved.insert(keyOf(target, name));
    changeTo(std::move(all));
}

void SavedViews::rename(const Target &target, const QString &from, const QString &to)
{
    All all = m_all;
    if (all.contains(keyOf(target, to)))
        return;
    auto view = all.extract(keyOf(target, from));
    if (!view)
        return;
    view.key() = keyOf(target, to);
    all.insert(std::move(view));
    m_unsaved.insert({keyOf(target, from), keyOf(target, to)});
    changeTo(std::move(all));
}

void SavedViews::remove(const Target &target, const QString &name)
{
    All all = m_all;
    all.erase(keyOf(target, name));
    m_unsaved.insert(keyOf(target, name));
    changeTo(std::move(all));
}

void SavedViews::changeTo(All all)
{
    if (std::exchange(m_all, std::move(all)) != m_all)
        Q_EMIT changed();
}

SavedViews::All SavedViews::allIn(QSettings &settings)
{
    All all;
    const int count = settings.beginReadArray(QStringLiteral("views"));
    for (int i = 0; i < count; ++i) {
        settings.setArrayIndex(i);
        const Target target{settings.value(QStringLiteral("servers")).toString(),
                            settings.value(QStringLiteral("cluster")).toByteArray()};
        const QByteArray stored = settings.value(QStringLiteral("view")).toByteArray();
        if (!stored.isEmpty())
            all[keyOf(target, settings.value(QStringLiteral("name")).toString())] = stored;
    }
    settings.endArray();
    return all;
}

void SavedViews::saveTo(QSettings &settings)
{
    settings.sync();
    All all = allIn(settings);
    for (const Key &key : std::exchange(m_unsaved, {})) {
        const auto ours = m_all.find(key);
        if (ours == m_all.end())
            all.erase(key);
        else
            all[key] = ours->second;
    }
    settings.remove(QStringLiteral("views"));
    settings.beginWriteArray(QStringLiteral("views"), int(all.size()));
    int i = 0;
    for (const auto &[key, stored] : all) {
        settings.setArrayIndex(i++);
        settings.setValue(QStringLiteral("servers"), std::get<0>(key));
        settings.setValue(QStringLiteral("cluster"), std::get<1>(key));
        settings.setValue(QStringLiteral("name"), std::get<2>(key));
        settings.setValue(QStringLiteral("view"), stored);
    }
    settings.endArray();
    settings.sync(); // at once: the program may be killed
    changeTo(std::move(all));
}

void SavedViews::restoreFrom(QSettings &settings)
{
    m_unsaved.clear();
    changeTo(allIn(settings));
}

} // namespace drover::gui
