// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/definitions/conversion_webhook.h"

#include <algorithm>
#include <utility>

#include "apiserver/internal/flow/caller.h"
#include "http/flow.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::definitions {

namespace {

constexpr std::chrono::seconds limit_of_call{30};
/// Time without calls after a call that has timed out.
constexpr std::chrono::seconds rest{5};
constexpr std::size_t most_bytes = std::size_t{64} << 20;

}  // namespace

ConversionWebhook::ConversionWebhook(const k8s::CustomResourceDefinition& definition,
                                     objects::Objects& objects)
    : objects_(objects),
      party_("the conversion webhook of " + std::string(definition.name())),
      version_(k8s::choose_conversion_version(
          definition.texts("spec.conversion.webhook.conversionReviewVersions"))),
      client_(definition.at("spec.conversion.webhook.clientConfig"), definition.name(), objects.storage()) {}

/// Calls the webhook and returns the body of its reply. Errors are worded for the end of kube-apiserver's
/// message.
Result<std::string> ConversionWebhook::ask(std::string review) const {
  Clock& clock = Clock::system();
  if (clock.steady().time_since_epoch().count() < rests_until_.load(std::memory_order_relaxed)) {
    return fail(ErrorCode::unavailable, client_.describe(limit_of_call) +
                                            ": context deadline exceeded: it did not answer within " +
                                            std::to_string(limit_of_call.count()) + " s a moment ago");
  }
  Limits limits = Limits::within(clock, limit_of_call);
  bool has_whole_limit = true;
  if (const flow::Caller* const caller = flow::current_caller()) {
    has_whole_limit = caller->deadline >= limits.deadline;
    limits = {.deadline = std::min(limits.deadline, caller->deadline), .stop = caller->cancelled};
  }
  const http::OutsideWait wait;
  auto answer = client_.post(std::move(review), {.limits = limits, .most_bytes = most_bytes});
  if (!answer && answer.error().code == ErrorCode::deadline_exceeded && has_whole_limit) {
    rests_until_.store((clock.steady() + rest).time_since_epoch().count(), std::memory_order_relaxed);
  }
  return answer;
}

k8s::StatusResult<void> ConversionWebhook::convert(k8s::Dynamic& object,
                                                   const k8s::GroupVersionKind& to) const {
  const std::string desired = to.api_version();
  if (object.api_version() == desired) return {};
  if (!k8s::needs_conversion(object.json(), desired)) {
    object.set("apiVersion", desired);
    return {};
  }
  const auto failed = [&](const std::string& why) {
    return std::unexpected(k8s::answer::error_without_reason(
        "conversion webhook for " + object.group_version_kind().to_string() + " failed: " + why));
  };
  if (!version_) {
    return std::unexpected(k8s::answer::error_without_reason("no supported conversion review versions"));
  }
  const k8s::ConversionQuestion question{.version = *version_,
                                         .uid = objects_.make_uid(),
                                         .desired = {to.group, to.version},
                                         .of = object.group_version_kind(),
                                         .objects = {&object.json()}};
  const auto place = enter();
  if (!place) return std::unexpected(place.error());
  auto answer = ask(k8s::write_conversion_request(question));
  if (!answer) return failed(answer.error().message);
  auto converted = k8s::read_conversion_response(*answer, question);
  if (!converted) return std::unexpected(k8s::answer::error_without_reason(converted.error().message));
  object = k8s::Dynamic(std::move(converted->front()));
  return {};
}

}  // namespace fairway::apiserver::definitions
