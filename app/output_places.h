#pragma once

#include "app/context.h"
#include "output/output_source.h"

namespace drover::app {

// Where the output of a job can be read: in a spool of this machine, or through its worker.
struct OutputPlace {
    std::unique_ptr<output::OutputSource> source; // none: not to be had
    QString trouble; // then: why, for people
};

// Of what a worker of this name runs now. Throws SessionLost.
async::Task<OutputPlace> placeOfRunning(Context &context, zk::Coordinator &zk, QString worker);

// Of a job that has ended: its worker's spool; if that worker has gone, the spool in which workers of this machine
// keep output unless told otherwise, or that of a worker which has taken its place on its own machine. Only where the
// attempt's files are, and as big as its record says: an older cluster of the same name may have left others.
// Throws SessionLost.
async::Task<OutputPlace> placeOfEnded(Context &context, zk::Coordinator &zk, jobs::FinalRecord record);

// Where a worker keeps output unless told otherwise. Workers of one user on one machine share it: what a job wrote is
// found after its worker has gone.
QString defaultSpool(const QByteArray &cluster);

} // namespace drover::app
