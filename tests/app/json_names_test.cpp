#include "app/jobs/history_json.h"
#include "app/submission/job_fields.h"
#include "app/support/json_words.h"
#include "app/support/sample_cluster.h"

#include <QDateTime>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTemporaryFile>
#include <QTest>

using namespace drover;
using namespace drover::test;

namespace {

using Kind = WordKind;

const Word *find(const QString &key)
{
    const QList<Word> &all = jsonWords();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Word &word) { return key == QLatin1String(word.key); });
    return found == all.end() ? nullptr : &*found;
}

bool areAll(const QJsonArray &list, QJsonValue::Type type)
{
    return std::all_of(list.begin(), list.end(), [type](const QJsonValue &value) { return value.type() == type; });
}

bool isTime(const QJsonValue &value)
{
    return value.toString().endsWith(u'Z') && QDateTime::fromString(value.toString(), Qt::ISODateWithMs).isValid();
}

bool areNamed(const QJsonArray &list, const QString &key)
{
    return areAll(list, QJsonValue::Object) && std::all_of(list.begin(), list.end(), [&](const QJsonValue &value) {
               return value[key.chopped(1)].isString();
           });
}

bool fits(const QString &key, Kind kind, const QJsonValue &value)
{
    switch (kind) {
    case Kind::Text:
        return value.isString();
    case Kind::Number:
        return value.isDouble();
    case Kind::Flag:
        return value.isBool();
    case Kind::Time:
        return isTime(value);
    case Kind::Texts:
        return value.isArray() && areAll(value.toArray(), QJsonValue::String);
    case Kind::Numbers:
        return value.isArray() && areAll(value.toArray(), QJsonValue::Double);
    case Kind::Names:
        return value.isArray() && (areAll(value.toArray(), QJsonValue::String) || areNamed(value.toArray(), key));
    case Kind::Rows:
        return value.isArray() && areAll(value.toArray(), QJsonValue::Object);
    case Kind::Object:
    case Kind::Table:
    case Kind::JobFile:
        return value.isObject();
    }
    return false;
}

// Lines beside the samples, which show members that those have not.
constexpr const char *Others[]{"ls --all --tasks",   "show {running}",    "tree --depth 1", "worker show {idle}",
                               "cron show {paused}", "events --past 100", "group g ls"};

} // namespace

// Options of a job whose fields are shown as they were given.
constexpr const char *Many =
    "--name n --comment c --queue other --priority 3 --tag t --secret S=env:S --dir / --input /dev/null --append-to "
    "/tmp/a --stdout o.%a --stderr e.%a --time-limit 3s --max-attempts 7 --retries 4 --retry-on 3 --backoff 2s "
    "--backoff-max 1m --slots 1 --memory 1G --ulimit nofile=64 --label x --start-at 2099-01-01T00:00:00Z --singleton "
    "--array 1-3 --lock a --lock-shared b --limit few";

// What all commands print with -o json, on a real cluster.
class JsonNamesTest : public QObject
{
    Q_OBJECT

    SampleCluster m_cluster;
    Finished m_last;

    static void examine(const QJsonObject &object, QByteArrayList &faults);
    bool takesNoForm() const;
    QList<QJsonObject> documentsOf(QStringList line);

private Q_SLOTS:
    void initTestCase();
    void oneMeaningHasOneName();
    void aKeysEndingMatchesItsType();
    void everyMemberIsAWord_data();
    void everyMemberIsAWord();
    void theHistorySaysTheSame();
    void aJobHasTheNamesOfItsOptions();
    void whatIsShownIsAJobFile_data();
    void whatIsShownIsAJobFile();
};

void JsonNamesTest::initTestCase()
{
    m_cluster.start();
    m_cluster.administer("limit set few 3");
    m_cluster.administer("queue limit busy 100");
}

void JsonNamesTest::oneMeaningHasOneName()
{
    QSet<QByteArray> keys;
    QSet<QByteArray> meanings;
    for (const Word &word : jsonWords()) {
        QVERIFY2(!keys.contains(word.key), word.key);
        QVERIFY2(!meanings.contains(word.meaning), word.meaning);
        keys.insert(word.key);
        meanings.insert(word.meaning);
    }
}

void JsonNamesTest::aKeysEndingMatchesItsType()
{
    for (const Word &word : jsonWords()) {
        const QByteArray key = word.key;
        if (key.endsWith("_ms") || key.endsWith("_bytes") || key.endsWith("_count"))
            QVERIFY2(word.kind == Kind::Number, key);
        if (key.endsWith("_at"))
            QVERIFY2(word.kind == Kind::Time, key);
        if (key.startsWith("is_"))
            QVERIFY2(word.kind == Kind::Flag, key);
    }
}

void JsonNamesTest::examine(const QJsonObject &object, QByteArrayList &faults)
{
    for (auto member = object.begin(); member != object.end(); ++member) {
        const Word *const word = find(member.key());
        const QByteArray shown = member.key().toUtf8() + ": "
            + QJsonDocument(QJsonArray{member.value()}).toJson(QJsonDocument::Compact).left(200);
        if (!word)
            faults.append("no word " + shown);
        else if (!member.value().isNull() && !fits(member.key(), word->kind, member.value()))
            faults.append("another type " + shown);
        if (member.value().isObject() && word && word->kind == Kind::Object)
            examine(member.value().toObject(), faults);
        for (const QJsonValue each : member.value().toArray()) {
            if (each.isObject())
                examine(each.toObject(), faults);
        }
    }
}

// The last command prints no data, or no JSON.
bool JsonNamesTest::takesNoForm() const
{
    return m_last.err.contains("has no meaning here") || m_last.err.contains("must be csv or jsonl");
}

// None of a command that prints no data.
QList<QJsonObject> JsonNamesTest::documentsOf(QStringList line)
{
    line = words("-o json") + line;
    m_last = m_cluster.administrator().run(line);
    const bool isJobFile = line.contains(QStringLiteral("--dry-run")) && line.join(u' ').contains(u"submit");
    if (isJobFile || takesNoForm())
        return {};
    QList<QJsonObject> documents;
    const QJsonDocument whole = QJsonDocument::fromJson(m_last.out);
    if (whole.isObject())
        return {whole.object()};
    for (const QByteArray &part : m_last.out.split('\n')) { // a stream
        if (part.startsWith('{'))
            documents.append(QJsonDocument::fromJson(part).object());
    }
    return documents;
}

void JsonNamesTest::everyMemberIsAWord_data()
{
    QTest::addColumn<int>("sample");
    for (const char *const line : Others)
        QTest::newRow(line) << -1;
    for (int i = 0; i < samples().size(); ++i) {
        if (!samples()[i].says) // it goes on until it is ended
            QTest::newRow(samples()[i].line) << i;
    }
}

void JsonNamesTest::everyMemberIsAWord()
{
    QFETCH(int, sample);
    const Sample other{QTest::currentDataTag()};
    QByteArrayList faults;
    const QList<QJsonObject> documents = documentsOf(m_cluster.filled(sample < 0 ? other : samples()[sample], true));
    for (const QJsonObject &document : documents)
        examine(document, faults);
    QVERIFY2(faults.isEmpty(), faults.join('\n'));
    const QList<int> codes = sample < 0 ? QList<int>{0} : samples()[sample].codes;
    QVERIFY2(takesNoForm() || codes.contains(m_last.exitCode), m_last.err);
    QVERIFY(sample >= 0 || !documents.isEmpty());
}

// The cluster keeps none.
void JsonNamesTest::theHistorySaysTheSame()
{
    constexpr std::chrono::milliseconds Then{1'700'000'000'000};
    jobs::JobSpec spec;
    spec.command = words("true");
    history::ArchivedJob job;
    job.cluster = "default";
    job.endedAt = Then;
    job.record = jobs::FinalRecord::of(*jobs::JobId::parse(QStringLiteral("default-1")), spec);
    job.record.worker = QStringLiteral("w1");
    job.record.startedAt = job.record.finishedAt = Then;
    QByteArrayList faults;
    examine(app::entryJson(job), faults);
    examine({{QStringLiteral("coverage"), app::coverageJson({{}, {QStringLiteral("host")}, Then, 1, Then, Then})}},
            faults);
    history::GroupTotals totals;
    totals.first = totals.last = Then;
    for (int by = int(history::GroupBy::State); by <= int(history::GroupBy::Hour); ++by)
        examine(app::groupJson(totals, history::GroupBy(by)), faults);
    QVERIFY2(faults.isEmpty(), faults.join('\n'));
}

void JsonNamesTest::aJobHasTheNamesOfItsOptions()
{
    // Not shown, or only as what comes of them.
    const QStringList unshown{QStringLiteral("env"),          QStringLiteral("delay"), QStringLiteral("hold"),
                              QStringLiteral("output-limit"), QStringLiteral("grace"), QStringLiteral("gang"),
                              QStringLiteral("run-as")};
    const QString id = m_cluster.administer(QStringLiteral("submit --dedupe k %1 -- true").arg(QLatin1String(Many)));
    const QList<QJsonObject> shown = documentsOf({QStringLiteral("show"), id});
    QCOMPARE(shown.size(), 1);
    const QJsonObject file = shown[0][u"job"].toObject();
    for (const app::JobField &field : app::jobFields()) {
        const QString name = QLatin1String(field.name);
        if (unshown.contains(name) || name.startsWith(u"after"))
            continue;
        QVERIFY2(shown[0].contains(field.key()), field.name);
        QCOMPARE(shown[0][field.key()], file[field.key()]);
    }
}

void JsonNamesTest::whatIsShownIsAJobFile_data()
{
    QTest::addColumn<QString>("options");
    QTest::newRow("few") << QStringLiteral("--delay 1h");
    QTest::newRow("many") << QString::fromLatin1(Many);
    QTest::newRow("dependencies") << QStringLiteral(
        "--after {job} --after-ok {job} --after-fail {job} --after-any {job}");
    QTest::newRow("held gang") << QStringLiteral(
        "--hold --gang 2 --env A=b --output-limit 1K --grace 1s --time-limit 1500ms");
}

// All that `show` prints is given to `submit --file`, which makes the same job.
void JsonNamesTest::whatIsShownIsAJobFile()
{
    QFETCH(QString, options);
    const QByteArray line = QStringLiteral("submit %1 -- sh -c true").arg(options).toUtf8();
    const Finished first = m_cluster.administrator().run(m_cluster.filled(Sample{line.constData()}, true));
    QVERIFY2(first.exitCode == 0, first.err);
    const auto shown = [&](const QByteArray &id) {
        return m_cluster.administrator().run(words("show -o json") << QString::fromUtf8(id.trimmed()));
    };
    QTemporaryFile file;
    QVERIFY(file.open() && file.write(shown(first.out).out) > 0 && file.flush());
    const Finished second = m_cluster.administrator().run(words("submit --file") << file.fileName());
    QVERIFY2(second.exitCode == 0, second.err);
    QVERIFY(second.out != first.out);
    QJsonObject one = json(shown(first.out));
    QJsonObject other = json(shown(second.out));
    QVERIFY(one[u"job"].toObject().contains(u"env"));
    QCOMPARE(one[u"job"], other[u"job"]);
    for (const char *const own : {"id", "since", "submitted_at"}) {
        one.remove(QLatin1String(own));
        other.remove(QLatin1String(own));
    }
    QCOMPARE(one, other);
}

QTEST_GUILESS_MAIN(JsonNamesTest)
#include "json_names_test.moc"
