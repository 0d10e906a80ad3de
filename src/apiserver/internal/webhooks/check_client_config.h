// SPDX-License-Identifier: Apache-2.0

// Validation of how a webhook is reached.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "schema/problem.h"

namespace fairway::apiserver::webhooks {

/// Returns the problems of a `clientConfig`: one of `url` and `service`, and their form. `path` is that of
/// the config.
/// Rules: k8s.io/apiserver/pkg/util/webhook/validation.go.
schema::Violations check_client_config(const json::Object& config, const std::string& path);

/// Returns the reason why a `caBundle` (base64) cannot be used; none: it can, or it is empty or absent.
std::optional<std::string> why_unreadable(std::string_view ca_bundle);

/// Returns the problems of `conversionReviewVersions` or `admissionReviewVersions`: each must be a label and
/// none twice, and one of them a version that this server supports.
schema::Violations check_review_versions(const json::Value* versions, const std::string& path);

}  // namespace fairway::apiserver::webhooks
