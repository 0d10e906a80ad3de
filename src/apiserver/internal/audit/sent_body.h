// SPDX-License-Identifier: Apache-2.0

// The body of a request as JSON, whatever it came as.
#pragma once

#include <optional>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "http/message.h"
#include "k8s/group_version.h"
#include "k8s/wire/options.h"

namespace fairway::apiserver::audit {

struct SentBody {
  json::Value value;
  /// The body as JSON with all its members, including duplicates.
  std::string text;
  /// Type of a patch; std::nullopt for other bodies.
  std::optional<k8s::PatchType> patch;
};

/// Reads the body of a request strictly as its Content-Type says: JSON (also without Content-Type), one YAML
/// document or protobuf of Kubernetes; for a patch one of the four patch types. `expected`: the kind of
/// protobuf that names none, if it may. Errors say why it was not read, and quote nothing of it.
Result<SentBody> read_sent_body(const http::Request& request, bool is_patch,
                                const std::optional<k8s::GroupVersionKind>& expected);

}  // namespace fairway::apiserver::audit
