// SPDX-License-Identifier: Apache-2.0

// Objects that a server has from its first start.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "apiserver/internal/storage/storage.h"
#include "base/clock.h"
#include "base/result.h"
#include "k8s/object.h"

namespace fairway::apiserver::storage {

/// An object that the storage shall have, without the fields that the server adds (uid, creationTimestamp).
struct DefaultObject {
  Key key;
  k8s::Dynamic object;
};

/// Returns `stored` with what it lacks of `wanted`; std::nullopt: it stays as it is.
using Revise =
    std::function<std::optional<k8s::Dynamic>(const k8s::Dynamic& stored, const k8s::Dynamic& wanted)>;

/// Writes the objects that the storage lacks, and revises those that it has, in few commits. What somebody
/// else writes meanwhile stays. Errors: the storage could not be read or written.
Result<void> write_defaults(Storage& storage, std::vector<DefaultObject> objects, const Revise& revise,
                            Clock& clock, const std::function<std::string()>& make_uid);

}  // namespace fairway::apiserver::storage
