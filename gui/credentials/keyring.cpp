#include "gui/credentials/keyring.h"

#include "text/printable.h"

#include <QCoreApplication>
#include <QPointer>
#include <QThread>
#include <qt6keychain/keychain.h>

#include <chrono>
#include <memory>
#include <mutex>

namespace drover::gui {

using namespace std::chrono_literals;
using Kind = Keyring::Answer::Kind;

namespace {

constexpr auto PatienceAtTheEnd = 500ms; // a service that hangs does not keep the program

QString serviceName()
{
    return QStringLiteral("drover-console");
}

// In the place of a secret that is being deleted: the program may end meanwhile.
QByteArray forgotten()
{
    return QByteArrayLiteral("forgotten");
}

// A cluster's name has no "@".
QString keyOf(const Target &target)
{
    return QString::fromUtf8(target.cluster) + u'@' + target.connect;
}

// The program ends: no answer is passed on any more. Both are left as they are at the end.
std::mutex &ending()
{
    static auto *const mutex = new std::mutex;
    return *mutex;
}
bool hasEnded = false;

// An object of the thread that talks to the keyring. It is never destroyed: the thread may hang in a call.
QObject &keyringThread()
{
    static QObject *const anchor = [] {
        auto *const thread = new QThread;
        auto *const made = new QObject;
        thread->setObjectName(QStringLiteral("keyring"));
        made->moveToThread(thread);
        thread->start();
        qAddPostRoutine([] {
            {
                const std::lock_guard lock(ending());
                hasEnded = true;
            }
            QThread *const its = keyringThread().thread();
            its->quit();
            its->wait(PatienceAtTheEnd);
        });
        return made;
    }();
    return *anchor;
}

Keyring::Answer answerOf(const QKeychain::Job &job)
{
    switch (job.error()) {
    case QKeychain::NoError:
        return {Kind::Done};
    case QKeychain::EntryNotFound:
        return {Kind::Nothing};
    case QKeychain::AccessDenied:
    case QKeychain::AccessDeniedByUser:
        return {Kind::Refused, {}, text::printable(job.errorString().simplified())};
    default:
        return {Kind::Unavailable, {}, text::printable(job.errorString().simplified())};
    }
}

// Does the job on the thread of the keyring. `make` makes it there, `read` takes what it has found.
template <typename Job>
void perform(const Target &target, QObject *asker, Keyring::Then then, std::function<void(Job &)> prepare,
             std::function<void(Job &, Keyring::Answer &)> finish)
{
    const auto reply = [living = QPointer(asker), then = std::move(then)](const Keyring::Answer &answer) {
        const std::lock_guard lock(ending());
        QCoreApplication *const window = QCoreApplication::instance();
        if (!window || hasEnded)
            return;
        const auto tell = [living, then, answer] {
            if (living)
                then(answer);
        };
        QMetaObject::invokeMethod(window, tell, Qt::QueuedConnection);
    };
    QMetaObject::invokeMethod(&keyringThread(), [reply, prepare, finish, key = keyOf(target)] {
        auto *const job = new Job(serviceName());
        job->setInsecureFallback(false); // there is no file in clear
        job->setKey(key);
        if (prepare)
            prepare(*job);
        QObject::connect(job, &QKeychain::Job::finished, job, [reply, finish, job] {
            Keyring::Answer answer = answerOf(*job);
            if (finish)
                finish(*job, answer);
            reply(answer);
        });
        job->start();
    });
}

} // namespace

void Keyring::read(const Target &target, QObject *asker, Then then)
{
    using Job = QKeychain::ReadPasswordJob;
    perform<Job>(target, asker, std::move(then), {}, [](Job &job, Answer &answer) {
        if (job.binaryData() == forgotten())
            answer = {};
        else
            answer.secret = job.binaryData();
    });
}

void Keyring::write(const Target &target, const QByteArray &secret, QObject *asker, Then then)
{
    using Job = QKeychain::WritePasswordJob;
    perform<Job>(target, asker, std::move(then), [secret](Job &job) { job.setBinaryData(secret); }, {});
}

// libsecret deletes nothing of a keyring that is locked, and says that it did. A read finds nothing there, either. So
// the secret is overwritten first: that unlocks the keyring, or fails. All three are asked for at once: what is written
// after this call stays.
void Keyring::forget(const Target &target, QObject *asker, Then then)
{
    const auto written = std::make_shared<Answer>();
    write(target, forgotten(), asker, [written](const Answer &answer) { *written = answer; });
    perform<QKeychain::DeletePasswordJob>(target, asker, [](const Answer &) {}, {}, {});
    read(target, asker, [written, then = std::move(then)](const Answer &left) {
        if (written->kind != Kind::Done)
            return then(*written);
        if (left.kind == Kind::Done)
            return then({Kind::Refused, {}, tr("It still has something")});
        then(left.kind == Kind::Nothing ? Answer{Kind::Done} : left);
    });
}

} // namespace drover::gui
