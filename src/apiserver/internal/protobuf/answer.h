// SPDX-License-Identifier: Apache-2.0

// Answers in protobuf (application/vnd.kubernetes.protobuf), which client-go's typed clients ask for first.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "k8s/group_version.h"

namespace fairway::apiserver::protobuf {

/// The media type of these answers.
inline constexpr std::string_view media_type = "application/vnd.kubernetes.protobuf";

/// Returns the message of an object, list or Status of a built-in kind, as Kubernetes's Go code writes it,
/// without an envelope. Errors: `unsupported`, the kind is not a built-in one; `internal`, a member does not
/// fit its field, which is named.
Result<std::string> to_message(const json::Object& object, const k8s::GroupVersionKind& kind);

/// Returns the envelope (runtime.Unknown) around a message.
std::string enveloped(const k8s::GroupVersionKind& kind, std::string_view message);
/// Returns the envelope around a message of `size` bytes, which `append` appends.
std::string enveloped(const k8s::GroupVersionKind& kind, std::size_t size,
                      const std::function<void(std::string& out)>& append);

/// Returns whether a kind has messages.
bool has_messages(const k8s::GroupVersionKind& kind);

}  // namespace fairway::apiserver::protobuf
