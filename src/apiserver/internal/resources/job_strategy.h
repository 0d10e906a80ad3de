// SPDX-License-Identifier: Apache-2.0

// The rules of Jobs.
#pragma once

#include <memory>

#include "apiserver/internal/resources/strategy.h"

namespace fairway::apiserver::resources {

/// Returns the rules of Jobs. A Job without `manualSelector` selects its Pods by its own uid. Its template is
/// given the uid as a label, besides the Job's name: controllers and clients use both. The selector never
/// changes.
/// Rules: pkg/registry/batch/job and pkg/apis/batch/validation of k8s.io/kubernetes.
std::shared_ptr<const Strategy> job_strategy();

}  // namespace fairway::apiserver::resources
