// Validation of how a webhook is reached.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "schema/problem.h"

namespace fairway::apiserver::webhooks {

/// The problems of a `clientConfig`: one of `url` and `service`, and what they must look like. `path` is that
/// of the config.
/// Rules: k8s.io/apiserver/pkg/util/webhook/validation.go.
schema::Violations check_client_config(const json::Object& config, const std::string& path);

/// Why a `caBundle` (base64) is of no use; none: it is, or it is empty, or there is no such bundle.
std::optional<std::string> why_unreadable(std::string_view ca_bundle);

/// The problems of `conversionReviewVersions` or `admissionReviewVersions`: each a label and none twice, and
/// one that this server speaks.
schema::Violations check_review_versions(const json::Value* versions, const std::string& path);

}  // namespace fairway::apiserver::webhooks
