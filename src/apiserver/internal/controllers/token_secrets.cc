// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/controllers/token_secrets.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "apiserver/internal/objects/object_text.h"
#include "base/base64.h"

namespace fairway::apiserver::controllers {
namespace {

constexpr std::string_view secret_type = "kubernetes.io/service-account-token",
                           name_annotation = "kubernetes.io/service-account.name",
                           uid_annotation = "kubernetes.io/service-account.uid";
/// Lifetime of these tokens. Kubernetes's do not expire; ours do, long after they are of use.
constexpr std::chrono::hours lifetime{24 * 365 * 100};

objects::WriteContext context() {
  return {.user = {.name = "system:serviceaccount:kube-system:tokens-controller",
                   .groups = {std::string(access::masters_group)}}};
}

bool is_token_secret(const storage::Record& record) {
  return record.json().find(secret_type) != std::string::npos &&
         resources::parse(record).text("type") == secret_type;
}

bool is_settled(const k8s::Status& status) {
  return status.is_failure(k8s::reason::not_found) || status.is_failure(k8s::reason::conflict);
}

bool is_unset(const k8s::Dynamic& secret, std::string_view key) {
  return secret.map("data").find(key).value_or("").empty();
}

}  // namespace

void TokenSecrets::observe(const Observed& observed) {
  if (tokens_ == nullptr) return;
  const storage::Record& record = *observed.record;
  if (observed.resource == "secrets") {
    k8s::Key key{std::string(record.namespace_name()), std::string(record.name())};
    if (!observed.deleted && is_token_secret(record)) {
      known_.insert(key);
      due_.insert(std::move(key));
    } else {
      known_.erase(key);
      due_.erase(key);
    }
    return;
  }
  if (observed.resource != "serviceaccounts") return;
  const std::string namespace_name(record.namespace_name());
  for (auto at = known_.lower_bound({namespace_name, ""});
       at != known_.end() && at->namespace_name == namespace_name; ++at) {
    due_.insert(*at);
  }
}

void TokenSecrets::resync(const std::string& resource) {
  if (resource == "secrets") {
    known_.clear();
    due_.clear();
  } else if (resource == "serviceaccounts") {
    due_ = known_;
  }
}

bool TokenSecrets::work() {
  bool done = true;
  for (const k8s::Key& key : std::exchange(due_, {})) {
    if (settle(key)) continue;
    due_.insert(key);
    done = false;
  }
  return done;
}

bool TokenSecrets::settle(const k8s::Key& key) {
  const auto record = objects_.find(*objects_.registry().find({"", "v1", "secrets"}), key);
  if (!record) return false;
  if (*record == nullptr || !is_token_secret(**record)) return true;
  const k8s::Dynamic secret = resources::parse(**record);
  if (secret.is_being_deleted()) return true;
  const std::string name(secret.annotation(name_annotation));
  const std::string_view uid = secret.annotation(uid_annotation);
  if (name.empty()) return true;
  const auto account = objects_.storage().get({"serviceaccounts", key.namespace_name, name});
  if (!account) return false;
  if (*account == nullptr) return remove(secret);
  const k8s::Dynamic owner = resources::parse(**account);
  if (!uid.empty() && owner.uid() != uid) return remove(secret);
  return fill(secret, owner);
}

bool TokenSecrets::remove(const k8s::Dynamic& secret) {
  const auto done = objects_.remove(*objects_.registry().find({"", "v1", "secrets"}), secret.key(),
                                    {.uid = std::string(secret.uid())}, context());
  return done || is_settled(done.error());
}

k8s::StatusResult<k8s::Dynamic> TokenSecrets::filled(const k8s::Dynamic& secret,
                                                     const k8s::Dynamic& account) {
  k8s::Dynamic next = secret;
  const std::string authority = base64_encode(authority_);
  if (next.map("data").find("ca.crt") != authority) next.set_entry("data", "ca.crt", authority);
  if (is_unset(next, "namespace")) {
    next.set_entry("data", "namespace", base64_encode(secret.namespace_name()));
  }
  if (is_unset(next, "token")) {
    const WallTime now = tokens_->clock().now();
    // Not beyond what a time can hold.
    const WallTime end = WallTime::max() - std::chrono::hours(24);
    const auto token =
        tokens_->signer().sign({.namespace_name = std::string(secret.namespace_name()),
                                .service_account = std::string(account.name()),
                                .uid = std::string(account.uid()),
                                .bound = access::BoundObject{.kind = "Secret",
                                                             .name = std::string(secret.name()),
                                                             .uid = std::string(secret.uid())},
                                .audiences = tokens_->audiences(),
                                .id = objects_.make_uid(),
                                .issued = now,
                                .not_before = now,
                                .expires = end - now > lifetime ? now + lifetime : end});
    if (!token)
      return std::unexpected(k8s::Status::failure(k8s::reason::internal_error, token.error().message));
    next.set_entry("data", "token", base64_encode(*token));
  }
  if (json::Value(next.json()) == json::Value(secret.json())) return next;
  next.set_annotation(name_annotation, account.name());
  next.set_annotation(uid_annotation, account.uid());
  return next;
}

bool TokenSecrets::fill(const k8s::Dynamic& secret, const k8s::Dynamic& account) {
  const std::string uid(secret.uid());
  const objects::Objects::UpdateRequest request{
      .key = secret.key(), .transform = [&](const k8s::Dynamic* current) -> k8s::StatusResult<k8s::Dynamic> {
        // Another one of its name is observed by itself.
        if (current->uid() != uid || current->text("type") != secret_type) return *current;
        return filled(*current, account);
      }};
  const auto done = objects_.update(*objects_.registry().find({"", "v1", "secrets"}), request, context());
  // A Secret that cannot be changed (it is immutable) stays as it is.
  return done || is_settled(done.error()) || done.error().is_failure(k8s::reason::invalid);
}

}  // namespace fairway::apiserver::controllers
