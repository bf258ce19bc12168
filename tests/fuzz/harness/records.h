#pragma once

#include "fuzz/harness/target.h"
#include "jobs/model/errors.h"

#include <optional>

namespace drover::fuzz {

// Decodes the data of a znode. If they are a record, it has one stored form: decoding and encoding that changes
// nothing.
template <class Record, class... Arguments>
std::optional<Record> requireStable(const QByteArray &input, const Arguments &...arguments)
{
    const std::optional<Record> record = jobs::tryDecode<Record>(input, arguments...);
    if (!record)
        return std::nullopt;
    const QByteArray stored = record->encode();
    requireEqual(Record::decode(stored, arguments...).encode(), stored, "the stored form of the stored form");
    return record;
}

} // namespace drover::fuzz
