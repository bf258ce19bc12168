#include "gui/views/saved_view.h"

#include "gui/models/job_model.h"
#include "jobs/model/job_state.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <array>

namespace drover::gui {

using namespace Qt::StringLiterals;
using jobs::JobState;

namespace {

constexpr std::array AllStates{JobState::Held,      JobState::Waiting, JobState::Ready,    JobState::Running,
                               JobState::Succeeded, JobState::Failed,  JobState::Cancelled};

// In the order of JobModel::Column. They are stored, so they last.
QString columnName(int column)
{
    static const QStringList names{u"state"_s,     u"job"_s,    u"name"_s,  u"command"_s, u"comment"_s,
                                   u"waits-for"_s, u"worker"_s, u"since"_s, u"try"_s,     u"exit"_s};
    return names.value(column);
}

std::optional<int> columnNamed(const QString &name)
{
    for (int column = JobModel::State; column <= JobModel::Exit; ++column) {
        if (columnName(column) == name)
            return column;
    }
    return {};
}

// A later version may have more of them, of which this one takes the words for words.
QStringList conditionsIn(const jobs::JobFilter &filter)
{
    QStringList names;
    const std::pair<bool, QString> all[] = {
        {!filter.queue.isEmpty(), u"queue"_s},         {filter.state.has_value(), u"state"_s},
        {filter.name.has_value(), u"name"_s},          {!filter.tag.isEmpty(), u"tag"_s},
        {!filter.submitter.isEmpty(), u"submitter"_s}, {!filter.worker.isEmpty(), u"worker"_s},
        {filter.since.has_value(), u"since"_s},        {filter.until.has_value(), u"until"_s}};
    for (const auto &[isSet, name] : all) {
        if (isSet)
            names << name;
    }
    return names;
}

QJsonObject objectIn(const QByteArray &stored)
{
    return QJsonDocument::fromJson(stored).object();
}

QJsonObject filterOf(const JobSearch &search)
{
    QJsonArray states;
    for (const JobState state : search.states)
        states.append(jobs::stateName(state));
    return {{u"text"_s, search.text},
            {u"states"_s, states},
            {u"tasks"_s, search.tasks},
            {u"conditions"_s, QJsonArray::fromStringList(conditionsIn(search.filter))}};
}

JobSearch searchIn(const QJsonObject &filter, QStringList &unknown)
{
    static const QStringList known{u"text"_s, u"states"_s, u"tasks"_s, u"conditions"_s};
    const QStringList keys = filter.keys();
    for (const QString &key : keys) {
        if (!known.contains(key))
            unknown << key;
    }
    std::set<JobState> states;
    const QJsonArray names = filter.value(u"states").toArray();
    for (const QJsonValue &name : names) {
        const auto *const state = std::find_if(AllStates.begin(), AllStates.end(),
                                               [&](JobState one) { return jobs::stateName(one) == name.toString(); });
        if (state == AllStates.end())
            unknown << name.toString();
        else
            states.insert(*state);
    }
    JobSearch search(filter.value(u"text").toString(), states, filter.value(u"tasks").toBool());
    const QStringList understood = conditionsIn(search.filter);
    const QJsonArray conditions = filter.value(u"conditions").toArray();
    for (const QJsonValue &condition : conditions) {
        if (!understood.contains(condition.toString()))
            unknown << condition.toString();
    }
    return search;
}

} // namespace

QByteArray storedView(const ShownJobs &shown, const QByteArray &before)
{
    QJsonObject view = objectIn(before);
    view.insert(u"filter"_s, filterOf(shown.search));
    if (shown.grouping != groupingNamed(view.value(u"group").toString())) // another version may know one more
        view.insert(u"group"_s, groupingName(shown.grouping));
    view.insert(u"order"_s, (shown.order == Qt::DescendingOrder ? u"-"_s : QString()) + columnName(shown.column));
    QJsonObject columns = view.value(u"columns").toObject();
    for (int column = JobModel::State; column <= JobModel::Exit; ++column) {
        const auto chosen = shown.columns.find(column);
        if (chosen == shown.columns.end())
            columns.remove(columnName(column));
        else
            columns.insert(columnName(column), *chosen);
    }
    view.insert(u"columns"_s, columns);
    return QJsonDocument(view).toJson(QJsonDocument::Compact);
}

ReadView readView(const QByteArray &stored)
{
    const QJsonObject view = objectIn(stored);
    QStringList unknown;
    if (!view.value(u"filter").isObject())
        unknown << QString::fromUtf8(stored.left(40));
    ReadView read{{searchIn(view.value(u"filter").toObject(), unknown)}};
    const QString order = view.value(u"order").toString();
    const bool descends = order.startsWith(u'-');
    if (const std::optional<int> column = columnNamed(descends ? order.mid(1) : order)) {
        read.shown.column = *column;
        read.shown.order = descends ? Qt::DescendingOrder : Qt::AscendingOrder;
    }
    read.shown.grouping = groupingNamed(view.value(u"group").toString());
    const QJsonObject columns = view.value(u"columns").toObject();
    for (auto chosen = columns.begin(); chosen != columns.end(); ++chosen) {
        if (const std::optional<int> column = columnNamed(chosen.key()))
            read.shown.columns[*column] = chosen.value().toBool();
    }
    read.unknown = unknown.join(u", "_s);
    return read;
}

} // namespace drover::gui
