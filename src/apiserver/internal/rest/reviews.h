// SPDX-License-Identifier: Apache-2.0

// Resources that are created and never stored: the answer is all there is of them.
#pragma once

#include <string_view>

#include "apiserver/internal/rest/call.h"
#include "apiserver/internal/rest/verbs.h"
#include "k8s/object.h"
#include "k8s/status.h"

namespace fairway::apiserver::rest {

/// Answers a review of `call.resource`, of authentication.k8s.io or authorization.k8s.io.
/// Rules: k8s.io/kubernetes/pkg/registry/authorization and pkg/registry/authentication.
VerbResult create_review(const Services& services, Call& call);

/// Creates a token of a ServiceAccount: POST of `serviceaccounts/NAME/token`.
/// Rules: k8s.io/kubernetes/pkg/registry/core/serviceaccount/storage/token.go.
VerbResult create_token(const Services& services, Call& call);

/// Answer a SelfSubjectReview and a TokenReview.
VerbResult review_self(const Services& services, Call& call);
VerbResult review_token(const Services& services, Call& call);

/// Reads the object in the body, with its defaults and without the fields that the server sets.
k8s::StatusResult<k8s::Dynamic> read_review(Call& call, const k8s::GroupVersionKind& kind);
/// Replies 201, with `object` in the form of its kind.
VerbResult reply_review(const Call& call, const k8s::Dynamic& object, const k8s::GroupVersionKind& kind);
/// Returns the UserInfo of a user.
json::Value user_info(const access::User& user);
json::Array to_array(const std::vector<std::string>& texts);

}  // namespace fairway::apiserver::rest
