// The rules of Jobs.
#pragma once

#include <memory>

#include "apiserver/internal/resources/strategy.h"

namespace fairway::apiserver {

/// A Job without `manualSelector` selects its Pods by its own uid, which its template is given as a label
/// beside its name: controllers and clients go by both. The selector never changes. Rules:
/// pkg/registry/batch/job and pkg/apis/batch/validation of k8s.io/kubernetes.
std::shared_ptr<const Strategy> job_strategy();

}  // namespace fairway::apiserver
