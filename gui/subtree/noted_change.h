#pragma once

#include "jobs/audit/audit_note.h"

namespace drover::gui {

// What came of a change of znodes.
struct Noted {
    zk::Answer<zk::Committed> committed; // its results are empty if a lost reply was looked up
    bool isMissing = false; // the cluster's audit has no entry: the credentials may not write one

    bool ok() const { return committed.ok(); }
    bool is(zk::Code code) const { return committed.is(code); }
};

// Commits the change together with its entry in the audit of the cluster (jobs/audit/audit_note.h), so that neither is
// ever there without the other. Lost connections are waited out then: after a lost reply the entry tells whether the
// change was made.
//
// Credentials that may not write an entry may still change znodes that are open to them. Then nothing is noted, and
// isMissing says so. An ensemble without that cluster has no audit, either. A change without an entry is tried once,
// and throws ConnectionLoss if its reply is lost. Throws SessionLost and AccessDenied.
//
// An empty change is the entry alone, for what no transaction can hold. It is nothing where no entry can be written.
async::Task<Noted> commitChange(jobs::Cluster cluster, zk::Transaction change, jobs::AuditAction action, QString target,
                                QString detail);

// What an answer to the user adds: a sentence if the entry is missing, else nothing.
QString remarkOn(const Noted &noted);

} // namespace drover::gui
