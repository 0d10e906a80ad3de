// SPDX-License-Identifier: Apache-2.0

// The validating webhooks of a request, which are asked at once: all see the object as it would be stored.
#include <utility>

#include "apiserver/internal/admission/request_admission.h"
#include "base/parallel.h"
#include "http/flow.h"

namespace fairway::apiserver::admission {

namespace {

constexpr std::string_view annotation_prefix = "validating.webhook.admission.k8s.io/round_0_index_";
/// Number of webhooks that one request calls at once.
constexpr int most_at_once = 8;

}  // namespace

k8s::StatusResult<void> RequestAdmission::run_validating(const Attributes& attributes) {
  struct Asked {
    const Webhook* webhook;
    Matched matched;
    std::string place;
    Checked answer;
    Notes notes;
  };
  std::vector<Asked> all;
  for (std::size_t i = 0; i < configured_->validating.size(); ++i) {
    const Webhook& webhook = *configured_->validating[i];
    auto matched = webhook.match(attributes, admission_.options_.sources, &authorizer_);
    if (!matched) return std::unexpected(matched.error());
    if (!*matched) continue;
    all.push_back(
        {&webhook, **std::move(matched), std::string(annotation_prefix) + std::to_string(i), {}, {}});
  }
  if (all.empty()) return {};
  if (auto taken = take_place(*all.front().webhook); !taken) return taken;
  const http::OutsideWait wait;
  parallel_for(all.size(), most_at_once, [&](std::size_t i) {
    Asked& one = all[i];
    one.answer = ask_validating(*one.webhook, attributes, one.matched, one.place, one.notes);
  });
  Checked answer;
  for (Asked& one : all) {
    call_.notes.take(std::move(one.notes));
    if (answer && !one.answer) answer = std::move(one.answer);
  }
  return answer;
}

k8s::StatusResult<void> RequestAdmission::ask_validating(const Webhook& webhook, const Attributes& attributes,
                                                         const Matched& matched, const std::string& place,
                                                         Notes& notes) {
  if (auto refused = webhook.refuse_dry_run(attributes)) return std::unexpected(*std::move(refused));
  const auto versioned = in_version(attributes, matched);
  if (!versioned) return std::unexpected(versioned.error());
  const auto answer = webhook.ask(attributes, matched, *versioned, admission_.options_.make_uid(), limits_);
  if (!answer) return fail_call(webhook, answer.error(), place, notes);
  for (const auto& [key, value] : answer->audit_annotations) {
    notes.annotations.emplace_back(webhook.name() + "/" + key, value);
  }
  notes.warnings = answer->warnings;
  if (answer->allowed) return {};
  return std::unexpected(k8s::admission_denial(webhook.name(), *answer));
}

}  // namespace fairway::apiserver::admission
