// SPDX-License-Identifier: Apache-2.0

// Validation of Pods and of the templates of them.
#pragma once

#include <vector>

#include "apiserver/internal/validation/path.h"
#include "apiserver/internal/validation/scope.h"
#include "k8s/view.h"
#include "k8s/wire/field_error.h"

namespace fairway::apiserver::validation {

/// Returns the problems of a new Pod, except those of its metadata. It has the form of `kinds::read_typed`,
/// with its defaults. Rules: ValidatePodCreate of k8s.io/kubernetes/pkg/apis/core/validation.
std::vector<k8s::FieldError> check_new_pod(const k8s::View& pod);
/// Returns the problems of a Pod that a request to it, or to a subresource, has changed, except those of its
/// metadata and of the change itself.
std::vector<k8s::FieldError> check_pod_values(const k8s::View& pod, const k8s::View& old);
/// Returns the problems of a Pod that an update has changed, and those of the change itself: only images,
/// deadlines, tolerations and, of a Pod with scheduling gates, its placement may change.
std::vector<k8s::FieldError> check_pod_update(const k8s::View& pod, const k8s::View& old);
/// Reports the problems of a template, a PodTemplateSpec at `path`. `old`: the template before an update, or
/// nullptr.
void check_pod_template(Errors& errors, const json::Object& pod_template, const Path& path,
                        const json::Object* old);

}  // namespace fairway::apiserver::validation
