// The body of a request as JSON, whatever it came as.
#pragma once

#include <optional>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "http/message.h"
#include "k8s/group_version.h"
#include "k8s/wire/options.h"

namespace fairway::apiserver {

struct SentBody {
  json::Value value;
  /// JSON with all its members, also those that are there twice.
  std::string text;
  /// Of a patch.
  std::optional<k8s::PatchType> patch;
};

/// Reads the body of a request as its Content-Type says, and in no other way: JSON (also where there is no
/// Content-Type), one YAML document or protobuf of Kubernetes; of a patch its four types. `expected`: the
/// kind of protobuf that names none, if it may. Errors say why it was not read, and quote nothing of it.
Result<SentBody> read_sent_body(const http::Request& request, bool is_patch,
                                const std::optional<k8s::GroupVersionKind>& expected);

}  // namespace fairway::apiserver
