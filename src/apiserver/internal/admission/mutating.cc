// SPDX-License-Identifier: Apache-2.0

// The mutating webhooks of a request: one after the other, each sees what those before it have made.
#include <utility>

#include "apiserver/internal/admission/request_admission.h"
#include "base/quoted_text.h"
#include "http/flow.h"
#include "k8s/equality.h"
#include "k8s/patch/json_patch.h"
#include "k8s/wire/field_error.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::admission {

namespace {

constexpr std::string_view annotation_prefix = "mutation.webhook.admission.k8s.io/";

std::unexpected<k8s::Status> internal_error(const std::string& why) {
  return std::unexpected(k8s::answer::internal_error(why));
}

/// Checks that a webhook has not changed the identity of the object.
k8s::StatusResult<void> check_identity(const k8s::Dynamic& before, const k8s::Dynamic& after,
                                       const Attributes& attributes) {
  const json::Value* metadata = after.find("metadata");
  if (metadata == nullptr || !metadata->is_object()) {
    return internal_error("the patch of a webhook has left no metadata");
  }
  if (after.kind() != before.kind() || after.api_version() != before.api_version()) {
    return internal_error("the patch of a webhook has changed apiVersion or kind");
  }
  if (after.namespace_name() != before.namespace_name()) {
    return std::unexpected(k8s::answer::bad_request(
        "the namespace of the provided object does not match the namespace sent on the request"));
  }
  if (attributes.old == nullptr || after.name() == before.name()) return {};
  return std::unexpected(k8s::answer::invalid(
      attributes.kind.group_kind(), before.name(),
      {k8s::FieldError::invalid("metadata.name", json::Value(after.name()), "field is immutable")}));
}

/// Restores managedFields, which only the server may change.
void keep_owners(const k8s::Dynamic& before, k8s::Dynamic& after) {
  if (const json::Value* owners = before.find("metadata.managedFields")) {
    after.set("metadata.managedFields", json::Value(*owners));
  } else {
    after.erase("metadata.managedFields");
  }
}

}  // namespace

/// State of the rounds of a request: the webhooks that a second round has to call again.
struct RequestAdmission::Rounds {
  int round = 0;
  std::set<const Webhook*> reinvocable, to_reinvoke;
  bool is_changed = false;
  Notes notes;

  void changed() {
    is_changed = true;
    to_reinvoke.merge(reinvocable);
    reinvocable.clear();
  }
};

k8s::StatusResult<void> RequestAdmission::run_mutating(const Attributes& attributes, k8s::Dynamic* object) {
  if (configured_->mutating.empty() || is_exempt(attributes)) return {};
  has_patched_ = false;
  Rounds rounds;
  auto done = run_round(attributes, object, rounds);
  if (done && rounds.is_changed && !rounds.to_reinvoke.empty()) {
    rounds.round = 1;
    done = run_round(attributes, object, rounds);
  }
  call_.notes.take(std::move(rounds.notes));
  return done;
}

k8s::StatusResult<void> RequestAdmission::run_round(const Attributes& attributes, k8s::Dynamic* object,
                                                    Rounds& rounds) {
  for (std::size_t i = 0; i < configured_->mutating.size(); ++i) {
    const Webhook& webhook = *configured_->mutating[i];
    const auto matched = webhook.match(attributes, admission_.options_.sources, &authorizer_);
    if (!matched) return std::unexpected(matched.error());
    if (!*matched) continue;
    // In the second round nobody is asked for the first time.
    if (rounds.round > 0 && !rounds.to_reinvoke.contains(&webhook)) continue;
    if (auto refused = webhook.refuse_dry_run(attributes)) return std::unexpected(*std::move(refused));
    const std::string place = std::string(annotation_prefix) + "round_" + std::to_string(rounds.round) +
                              "_index_" + std::to_string(i);
    const auto changed = ask_mutating(webhook, attributes, **matched, object, place, rounds.notes);
    if (!changed) return std::unexpected(changed.error());
    if (*changed) rounds.changed();
    if (webhook.is_reinvoked()) rounds.reinvocable.insert(&webhook);
  }
  return {};
}

k8s::StatusResult<bool> RequestAdmission::ask_mutating(const Webhook& webhook, const Attributes& attributes,
                                                       const Matched& matched, k8s::Dynamic* object,
                                                       const std::string& place, Notes& notes) {
  if (auto taken = take_place(webhook); !taken) return std::unexpected(taken.error());
  auto versioned = in_version(attributes, matched);
  if (!versioned) return std::unexpected(versioned.error());
  auto answer = [&] {
    const http::OutsideWait wait;
    return webhook.ask(attributes, matched, *versioned, admission_.options_.make_uid(), limits_);
  }();
  if (!answer) {
    auto failed = fail_call(webhook, answer.error(), place, notes);
    if (!failed) return std::unexpected(failed.error());
    return false;
  }
  for (auto& [key, value] : answer->audit_annotations) {
    notes.annotations.emplace_back(webhook.name() + "/" + key, std::move(value));
  }
  for (std::string& warning : answer->warnings) notes.warnings.push_back(std::move(warning));
  if (!answer->allowed) return std::unexpected(k8s::admission_denial(webhook.name(), *answer));
  bool is_changed = false;
  if (answer->patch && !answer->patch->empty()) {
    if (!versioned->object) {
      return internal_error("admission webhook " + quote(webhook.name()) +
                            " attempted to modify the object, which is not supported for this operation");
    }
    const auto applied =
        apply_patch(webhook, *answer->patch, attributes, matched, object, *std::move(versioned->object));
    if (!applied) return applied;
    is_changed = *applied;
  }
  notes.annotations.emplace_back(place, json::to_text(json::Object{{"configuration", webhook.configuration()},
                                                                   {"webhook", webhook.name()},
                                                                   {"mutated", is_changed}}));
  return is_changed;
}

k8s::StatusResult<bool> RequestAdmission::apply_patch(const Webhook& webhook, const json::Array& patch,
                                                      const Attributes& attributes, const Matched& matched,
                                                      k8s::Dynamic* object, k8s::Dynamic versioned) {
  auto patched = k8s::apply_json_patch(json::Value(versioned.json()), json::Value(patch));
  if (!patched) {
    return internal_error("the patch of admission webhook " + quote(webhook.name()) + ": " +
                          patched.error().message);
  }
  if (!patched->is_object()) {
    return internal_error("the patch of admission webhook " + quote(webhook.name()) + " has left no object");
  }
  k8s::Dynamic next(std::move(patched->get_object()));
  if (auto checked = check_identity(versioned, next, attributes); !checked) {
    return std::unexpected(checked.error());
  }
  keep_owners(versioned, next);
  const resources::ServedResource& as = matched.as != nullptr ? *matched.as : attributes.resource;
  if (auto read = admission_.options_.read(as, matched.kind, next); !read) {
    return internal_error(read.error().message);
  }
  // kube-apiserver sees a difference in the first patch of a built-in kind whatever it does: times and types
  // come back from it in another form. Webhooks are asked again as there.
  const bool is_first = !attributes.resource.is_custom && !std::exchange(has_patched_, true);
  const bool is_changed =
      is_first || !k8s::equal_with_null_as_absent(json::Value(versioned.json()), json::Value(next.json()));
  if (matched.as != nullptr) {
    if (auto done = as.strategy->convert(next, attributes.kind); !done) {
      return internal_error(std::string(done.error().message()));
    }
  }
  *object = std::move(next);
  return is_changed;
}

}  // namespace fairway::apiserver::admission
