// SPDX-License-Identifier: Apache-2.0

// Who somebody is: TokenReview and SelfSubjectReview.
#include "apiserver/internal/access/tokens.h"
#include "apiserver/internal/rest/reviews.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::rest {
namespace {

/// Returns an error as a real server writes it. A token that is not of this server gets only the general one.
std::string error_text(const std::string& why) {
  constexpr std::string_view general = "invalid bearer token";
  if (why.starts_with("the token ")) return std::string(general);
  return "[" + std::string(general) + ", " + why + "]";
}

}  // namespace

VerbResult review_token(const Services& services, Call& call) {
  auto review = read_review(call, call.resource->kind);
  if (!review) return std::unexpected(review.error());
  const std::string token(review->text("spec.token"));
  if (token.empty()) {
    return std::unexpected(k8s::answer::bad_request("token is required for TokenReview in authentication"));
  }
  const access::Tokens* tokens = services.extensions.tokens;
  if (tokens == nullptr) {
    review->set("status.error", "the server authenticates by no tokens");
    return reply_review(call, *review, call.resource->kind);
  }
  std::vector<std::string> audiences;
  for (const std::string_view audience : review->texts("spec.audiences")) audiences.emplace_back(audience);
  const auto bearer = tokens->authenticate(token, audiences.empty() ? tokens->audiences() : audiences);
  if (bearer) {
    review->set("status.authenticated", json::Value(true));
    review->set("status.user", user_info(bearer->user));
    review->set("status.audiences", json::Value(to_array(bearer->audiences)));
  } else {
    review->set("status.error", error_text(bearer.error().message));
  }
  return reply_review(call, *review, call.resource->kind);
}

VerbResult review_self(const Services& services, Call& call) {
  const auto sent = read_review(call, call.resource->kind);
  if (!sent) return std::unexpected(sent.error());
  k8s::Dynamic review;
  review.set("kind", call.resource->kind.kind);
  review.set("apiVersion", call.resource->kind.api_version());
  review.set_time("metadata.creationTimestamp", services.objects.clock().now());
  review.set("status.userInfo", user_info(call.user));
  return reply_review(call, review, call.resource->kind);
}

}  // namespace fairway::apiserver::rest
