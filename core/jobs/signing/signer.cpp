#include "jobs/signing/signer.h"

#include "jobs/cluster/cluster_trust.h"
#include "jobs/cluster/read_nodes.h"

#include <algorithm>

namespace drover::jobs {

using trust::Untrusted;
using zk::Answer;

namespace {

Untrusted noWorkerRuns(const trust::Certificate &certificate, const QString &why)
{
    return Untrusted(QStringLiteral("%1 %2, so no worker would run the job; an administrator makes other credentials: "
                                    "drover user add")
                         .arg(certificate.name, why));
}

// A list that cannot be verified revokes nothing here: workers judge it, and doctor names it.
bool isRevoked(const trust::Credentials &mine, const Answer<zk::Node> &list)
{
    trust::TrustStore known(mine.anchors);
    try {
        if (list.ok())
            known.revoke(list->data);
    } catch (const Untrusted &) {
        return false;
    }
    return known.revocations().serials.contains(mine.ownCertificate().serial);
}

} // namespace

Signer::Signer(std::shared_ptr<const trust::Credentials> credentials)
    : m_credentials(std::move(credentials)), m_certificate(m_credentials->ownCertificate())
{
}

void Signer::requireAllowed(const JobSpec &job, std::chrono::milliseconds now) const
{
    const auto refuse = [this](const QString &why) { throw noWorkerRuns(m_certificate, why); };
    const bool ends = m_certificate.notAfter.count() != 0;
    if (ends && now > m_certificate.notAfter)
        refuse(QStringLiteral("has a certificate that has expired, by the clock of this machine"));
    if (!m_certificate.maySubmitTo(job.queue))
        refuse(QStringLiteral("may not submit to queue %1").arg(QString::fromUtf8(job.queue)));
    if (!job.runAs.isEmpty() && !m_certificate.runAs.contains(job.runAs))
        refuse(QStringLiteral("may not run jobs as %1").arg(job.runAs));
}

void Signer::setTerms(JobSpec &job, std::chrono::milliseconds now) const
{
    job.submitter = m_certificate.name;
    job.terms.queue = job.queue;
    job.terms.signedAt = now;
    job.terms.notBefore = job.notes.notBefore;
    job.terms.startBy = std::max(now, job.notes.notBefore) + StartWithin;
}

void Signer::sign(JobRecord &record, trust::Purpose purpose) const
{
    signTogether({&record, 1}, purpose);
}

void Signer::sign(std::vector<JobRecord> &records) const
{
    std::span<JobRecord> rest(records);
    while (!rest.empty()) {
        const std::size_t count = std::min(rest.size(), trust::BatchSignature::MostTexts);
        signTogether(rest.first(count), trust::Purpose::Job);
        rest = rest.subspan(count);
    }
}

void Signer::signTogether(std::span<JobRecord> records, trust::Purpose purpose) const
{
    std::vector<QByteArray> texts;
    for (const JobRecord &record : records)
        texts.push_back(record.text);
    const std::vector<trust::BatchSignature> signatures =
        trust::BatchSignature::sign(m_credentials->key, purpose, m_certificate.clusterId, texts);
    for (std::size_t i = 0; i < records.size(); ++i) {
        records[i].signature = signatures[i].toText();
        records[i].certificate = m_certificate.serial;
    }
}

std::shared_ptr<const Signer> signerOf(const Cluster &cluster)
{
    return cluster.credentials ? std::make_shared<const Signer>(cluster.credentials) : nullptr;
}

JobRecord asAnother(const QByteArray &stored, const QByteArray &queue, const QString &key, const Signer *signer,
                    std::chrono::milliseconds now)
{
    auto notes = decodeRecord<JobNotes>(JobRecord::parse(stored).notes());
    JobRecord record = JobSpec::asNew(stored, [&](JobSpec &job) {
        // It waits for no job that it names any more, but for those of its name in the other queue.
        if (notes.wasSingleton || (notes.ready && (job.singleton || job.notes.wasSingleton))) {
            job.singleton = true;
            job.after.clear();
            notes.ready = notes.wasSingleton = false;
        }
        job.queue = queue;
        job.key = key;
        job.terms = {};
        job.notes = notes;
        if (signer) {
            signer->requireAllowed(job, now);
            signer->setTerms(job, now);
        }
    });
    record.setNotes(changedObject<JobNotes>(record.notes(), [&notes](JobNotes &all) {
        all.ready = notes.ready;
        all.wasSingleton = notes.wasSingleton;
    }));
    if (signer)
        signer->sign(record);
    return record;
}

async::Task<void> ensureCertificate(Cluster cluster)
{
    const trust::Certificate own = cluster.credentials->ownCertificate();
    const std::vector<zk::Path> paths{cluster.layout.certificate(own.serial), cluster.layout.revocations()};
    const std::vector<Answer<zk::Node>> nodes = co_await readNodes(cluster.zk, paths);
    if (isRevoked(*cluster.credentials, nodes[1]))
        throw noWorkerRuns(own, QStringLiteral("has a certificate that is revoked"));
    if (!nodes[0].is(zk::Code::NoNode))
        co_return;
    bool isForbidden = false;
    try {
        co_await publishCertificate(cluster, *cluster.credentials);
    } catch (const zk::AccessDenied &) {
        isForbidden = true;
    }
    if (isForbidden)
        throw WrongState(QStringLiteral("the certificate of %1 is not in the cluster, so no worker would run the job; "
                                        "an administrator can add it")
                             .arg(own.name));
}

} // namespace drover::jobs
