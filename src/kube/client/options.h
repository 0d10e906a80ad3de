// SPDX-License-Identifier: Apache-2.0

// Options of API calls.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/limits.h"
#include "k8s/wire/list.h"
#include "k8s/wire/options.h"

namespace fairway::kube {

/// The timeout of a call, retries included, if its `Limits` have no deadline.
inline constexpr std::chrono::seconds default_call_timeout{30};

/// The part of each object that a list or watch returns.
enum class Content {
  objects,
  /// PartialObjectMetadata, as `k8s::PartialObjectMetadata` reads it: less to send and to parse. If the
  /// server cannot send it, it sends whole objects, and the client drops all but their metadata.
  metadata,
};

using k8s::ApplyOptions;
using k8s::DeleteOptions;
using k8s::FieldValidation;
using k8s::ListOptions;
using k8s::ObjectList;
using k8s::PatchType;
using k8s::Propagation;
using k8s::WatchOptions;
using k8s::WriteOptions;

}  // namespace fairway::kube
