// Options of API calls.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "k8s/wire/list.h"
#include "k8s/wire/options.h"

namespace fairway::kube {

/// The timeout of a call, retries included, and its stop token.
struct Limits {
  std::chrono::nanoseconds timeout = std::chrono::seconds(30);
  std::stop_token stop;
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
