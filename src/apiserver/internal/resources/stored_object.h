// SPDX-License-Identifier: Apache-2.0

// Stored records as objects, and why one could not be read or written as the reply to a request.
#pragma once

#include "apiserver/internal/storage/record.h"
#include "apiserver/internal/storage/storage.h"
#include "base/result.h"
#include "k8s/object.h"
#include "k8s/status.h"

namespace fairway::apiserver::resources {

/// Returns the object of a record, as stored. A record that is no object is a bug, and reads as an empty one.
k8s::Dynamic parse(const storage::Record& record);

/// Returns the Status of a failed read.
k8s::Status status_of(const storage::ReadError& error);
/// Returns the Status of a failed write.
k8s::Status status_of_write(const Error& error);

}  // namespace fairway::apiserver::resources
