#include "support/requests/linearizability.h"

#include <QSet>

#include <algorithm>
#include <stdexcept>

namespace drover::test {

using Operation = History::Operation;
using Outcome = History::Operation::Outcome;

QString Operation::toString() const
{
    const QString told = outcome == Outcome::Unknown ? QStringLiteral("?")
        : outcome == Outcome::Failed                 ? QStringLiteral("failed")
        : result                                     ? QString::number(*result)
                                                     : QStringLiteral("nothing");
    return QStringLiteral("client %1: %2 %3 -> %4").arg(client).arg(QString::fromUtf8(name)).arg(argument).arg(told);
}

int History::invoke(int client, const QByteArray &name, qint64 argument)
{
    m_operations.push_back({client, name, argument});
    m_operations.back().invoked = ++m_clock;
    return static_cast<int>(m_operations.size()) - 1;
}

Operation &History::end(int operation, Outcome outcome)
{
    Operation &ended = m_operations.at(static_cast<std::size_t>(operation));
    if (ended.ended != 0)
        throw std::logic_error("an operation has ended twice");
    ended.ended = ++m_clock;
    ended.outcome = outcome;
    return ended;
}

void History::ok(int operation, std::optional<qint64> result)
{
    end(operation, Outcome::Ok).result = result;
}

void History::fail(int operation)
{
    end(operation, Outcome::Failed);
}

void History::unknown(int operation)
{
    end(operation, Outcome::Unknown);
}

Model lockModel()
{
    return [](const ObjectState &holder, const Operation &operation) -> std::optional<ObjectState> {
        if (operation.name == "acquire")
            return holder.empty() ? std::optional(ObjectState{operation.argument}) : std::nullopt;
        return holder == ObjectState{operation.argument} ? std::optional(ObjectState()) : std::nullopt;
    };
}

Model counterModel()
{
    return [](const ObjectState &state, const Operation &operation) -> std::optional<ObjectState> {
        const qint64 before = state.empty() ? 0 : state.front();
        const qint64 after = operation.name == "add" ? before + operation.argument : before;
        if (operation.outcome == Outcome::Ok && operation.result != after)
            return std::nullopt;
        return after == 0 ? ObjectState() : ObjectState{after};
    };
}

Model registerModel()
{
    return [](const ObjectState &state, const Operation &operation) -> std::optional<ObjectState> {
        const qint64 before = state.empty() ? 0 : state.front();
        const bool tells = operation.name != "write" && operation.outcome == Outcome::Ok;
        if (tells && operation.result != before)
            return std::nullopt;
        return operation.name == "read" ? state : ObjectState{operation.argument};
    };
}

Model queueModel(TakeOrder order)
{
    return [order](const ObjectState &items, const Operation &operation) -> std::optional<ObjectState> {
        ObjectState after = items;
        if (operation.name == "put") {
            after.push_back(operation.argument);
            if (order == TakeOrder::AnyOrder)
                std::sort(after.begin(), after.end());
            return after;
        }
        if (operation.outcome == Outcome::Ok && !operation.result)
            return items.empty() ? std::optional(items) : std::nullopt;
        if (order == TakeOrder::AnyOrder && operation.outcome == Outcome::Unknown)
            throw std::logic_error(
                "an unknown take from a queue without order may be of any item: name it as argument");
        const auto taken = order == TakeOrder::InOrder || !operation.result
            ? after.begin()
            : std::find(after.begin(), after.end(), *operation.result);
        if (taken == after.end() || (operation.result && *taken != *operation.result))
            return std::nullopt;
        after.erase(taken);
        return after;
    };
}

namespace {

// The invocations and endings that are not explained yet, as a ring in the order of time. The ending of an unknown
// operation is not in it: it never comes.
struct Moment {
    int operation = -1; // -1: the beginning, which is also the end
    bool ending = false;
    Moment *partner = nullptr; // of an invocation: its ending, if there is one
    Moment *previous = this;
    Moment *next = this;

    void insertBefore(Moment &place)
    {
        previous = place.previous;
        next = &place;
        previous->next = place.previous = this;
    }
    void lift()
    {
        previous->next = next;
        next->previous = previous;
    }
    void putBack() { previous->next = next->previous = this; }
};

class Search
{
public:
    Search(const History &history, const Model &model)
        : m_operations(history.operations()), m_model(model), m_explained((m_operations.size() + 7) / 8, '\0')
    {
        std::vector<std::pair<int, Moment *>> order;
        m_moments.reserve(2 * m_operations.size()); // they point at each other
        for (std::size_t i = 0; i < m_operations.size(); ++i) {
            const Operation &operation = m_operations[i];
            if (operation.outcome == Outcome::Failed)
                continue;
            Moment &invoked = add(static_cast<int>(i), false);
            order.emplace_back(operation.invoked, &invoked);
            if (operation.outcome != Outcome::Ok)
                continue;
            invoked.partner = &add(static_cast<int>(i), true);
            order.emplace_back(operation.ended, invoked.partner);
            ++m_toExplain;
        }
        std::sort(order.begin(), order.end());
        for (const auto &[time, moment] : order)
            moment->insertBefore(m_ring);
    }

    std::optional<QString> run()
    {
        Moment *moment = m_ring.next;
        while (m_toExplain > 0) {
            if (moment->operation >= 0 && !moment->ending) {
                moment = explain(*moment) ? m_ring.next : moment->next;
                continue;
            }
            noteContradiction(*moment);
            if (m_steps.empty())
                return m_contradiction;
            moment = takeBack()->next;
        }
        return std::nullopt;
    }

private:
    struct Step {
        Moment *invocation;
        ObjectState before;
    };

    Moment &add(int operation, bool ending)
    {
        Moment &moment = m_moments.emplace_back();
        moment.operation = operation;
        moment.ending = ending;
        return moment;
    }

    const Operation &operationOf(const Moment &moment) const
    {
        return m_operations[static_cast<std::size_t>(moment.operation)];
    }

    void flip(int operation)
    {
        m_explained[operation / 8] = static_cast<char>(m_explained[operation / 8] ^ (1 << (operation % 8)));
    }

    // Of unknown operations that do the same, the one invoked first may stand for each: it could have been done
    // whenever a later one could.
    bool hasElderTwin(const Moment &invocation) const
    {
        const Operation &operation = operationOf(invocation);
        if (operation.outcome != Outcome::Unknown)
            return false;
        for (const Moment *elder = m_ring.next; elder != &invocation; elder = elder->next) {
            const Operation &other = operationOf(*elder);
            if (other.outcome == Outcome::Unknown && other.name == operation.name
                && other.argument == operation.argument)
                return true;
        }
        return false;
    }

    // Supposes that this operation was next; false if it could not have been, or if that led nowhere before.
    bool explain(Moment &invocation)
    {
        if (hasElderTwin(invocation))
            return false;
        std::optional<ObjectState> after = m_model(m_state, operationOf(invocation));
        if (!after)
            return false;
        flip(invocation.operation);
        const auto *bytes = reinterpret_cast<const char *>(after->data());
        const QByteArray situation =
            m_explained + QByteArray(bytes, static_cast<qsizetype>(after->size() * sizeof(qint64)));
        if (m_tried.contains(situation)) {
            flip(invocation.operation);
            return false;
        }
        m_tried.insert(situation);
        m_steps.push_back({&invocation, std::exchange(m_state, std::move(*after))});
        invocation.lift();
        if (invocation.partner) {
            invocation.partner->lift();
            --m_toExplain;
        }
        return true;
    }

    Moment *takeBack()
    {
        Step step = std::move(m_steps.back());
        m_steps.pop_back();
        m_state = std::move(step.before);
        flip(step.invocation->operation);
        if (step.invocation->partner) {
            step.invocation->partner->putBack();
            ++m_toExplain;
        }
        step.invocation->putBack();
        return step.invocation;
    }

    // Of the explanation that goes farthest.
    void noteContradiction(const Moment &ending)
    {
        if (ending.operation < 0 || (m_steps.size() < m_longest && !m_contradiction.isEmpty()))
            return;
        m_longest = m_steps.size();
        QStringList state;
        for (const qint64 number : m_state)
            state.push_back(QString::number(number));
        m_contradiction = QStringLiteral("after %1 of %2 operations the state is [%3], which contradicts \"%4\"")
                              .arg(m_steps.size())
                              .arg(m_operations.size())
                              .arg(state.join(QLatin1String(", ")), operationOf(ending).toString());
    }

    const std::vector<Operation> &m_operations;
    const Model &m_model;
    std::vector<Moment> m_moments;
    Moment m_ring;
    ObjectState m_state;
    QByteArray m_explained; // a bit an operation
    std::vector<Step> m_steps;
    QSet<QByteArray> m_tried;
    std::size_t m_toExplain = 0; // operations with an answer that says "done"
    std::size_t m_longest = 0;
    QString m_contradiction;
};

} // namespace

std::optional<QString> violation(const History &history, const Model &model)
{
    return Search(history, model).run();
}

} // namespace drover::test
