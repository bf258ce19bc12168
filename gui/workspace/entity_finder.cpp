#include "gui/workspace/entity_finder.h"

#include "gui/workspace/console_models.h"

#include <algorithm>
#include <map>

namespace drover::gui {

namespace {

constexpr qsizetype MostOfAKind = 6;

// Adds those whose name has the text in it.
class Finder
{
public:
    explicit Finder(const QString &text) : m_text(text) { }

    void look(EntityRef::Kind kind, const QByteArray &name) { look(kind, name, QString::fromUtf8(name)); }
    void look(EntityRef::Kind kind, const QByteArray &name, const QString &words)
    {
        const EntityRef entity{kind, name};
        if (m_count[kind] >= MostOfAKind || !words.contains(m_text, Qt::CaseInsensitive) || m_found.contains(entity))
            return;
        ++m_count[kind];
        m_found.append(entity);
    }
    bool hasNamed(const QByteArray &name) const
    {
        return std::any_of(m_found.begin(), m_found.end(), [&](const EntityRef &one) { return one.name == name; });
    }
    QList<EntityRef> found() const { return m_found; }

private:
    QString m_text;
    QList<EntityRef> m_found;
    std::map<EntityRef::Kind, qsizetype> m_count;
};

} // namespace

QList<EntityRef> findEntities(const ConsoleModels &models, const QString &text)
{
    if (text.size() < 2)
        return {};
    Finder finder(text);
    if (text.startsWith(u'/')) {
        try {
            finder.look(EntityRef::Kind::Znode, zk::Path(text.toUtf8()).bytes());
        } catch (const zk::InvalidPath &) {
        }
        return finder.found();
    }
    for (int i = 0; i < models.jobs.rowCount(); ++i) {
        const JobRow &job = models.jobs.row(i);
        finder.look(EntityRef::Kind::Job, job.id.bytes(), job.id.toString() + u' ' + job.name);
    }
    for (int i = 0; i < models.workers.rowCount(); ++i)
        finder.look(EntityRef::Kind::Worker, models.workers.row(i).id);
    for (const auto &[queue, depths] : models.queues.series())
        finder.look(EntityRef::Kind::Queue, queue);
    for (int i = 0; i < models.locks.rowCount(); ++i)
        finder.look(EntityRef::Kind::Lock, models.locks.row(i).lock);
    const std::optional<jobs::JobId> id = jobs::JobId::parse(text);
    if (id && !finder.hasNamed(id->bytes()))
        finder.look(EntityRef::Kind::Job, id->bytes());
    return finder.found();
}

} // namespace drover::gui
