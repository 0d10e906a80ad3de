// SPDX-License-Identifier: Apache-2.0

// The update machine's view of what releases are verified with.
#include <utility>

#include "base/log.h"
#include "operators/internal/release_metadata.h"
#include "operators/update_machine.h"

namespace fairway::operators {
namespace {

constexpr std::chrono::seconds request_timeout{30};

/// Returns whether a retry may succeed soon: the previous verdict then stays.
bool may_pass(const Error& error) {
  return error.code == ErrorCode::unavailable || error.code == ErrorCode::deadline_exceeded ||
         error.code == ErrorCode::cancelled;
}

}  // namespace

void UpdateMachine::watch_keys() {
  if (keys_watch_ || !settings_.release_keys) return;
  std::optional<kube::DynamicClient> objects;
  {
    const std::lock_guard lock(mutex_);
    objects = objects_;
  }
  if (!objects) return;
  keys_watch_ = std::make_unique<ReleaseKeysWatch>(objects->client(), *settings_.release_keys,
                                                   [this] { record_keys_changed(); });
}

void UpdateMachine::record_keys_changed() {
  const std::lock_guard lock(mutex_);
  keys_changed_ = true;
  // A pull or an apply in progress is not interrupted.
  if (waits_) interrupt_.request_stop();
}

std::expected<void, payload::LoadFailure> UpdateMachine::load_running() {
  if (loaded_) return {};
  auto read = reader_->read({.image = running_.image,
                             .version = running_.version,
                             .force = false,
                             .accepted_before = true,
                             .keys = payload::TrustedKeys{}},
                            {.stop = token()});
  if (!read) return std::unexpected(read.error());
  take_loaded(*std::move(read));
  failure_.reset();
  publish();
  return {};
}

void UpdateMachine::take_loaded(payload::ReleaseImage image) {
  loaded_ = std::move(image);
  capabilities_ = {};
  judge_capabilities();
}

bool UpdateMachine::judge_capabilities() {
  payload::Capabilities now = capabilities_with(*loaded_);
  if (now == capabilities_) return false;
  capabilities_ = std::move(now);
  own_keys_ = payload::keys_of_release(loaded_->manifests, selection_with(capabilities_, loaded_->version),
                                       loaded_->version.to_string());
  if (own_keys_ && !own_keys_->keys.empty()) {
    const auto ring = oci::KeyRing::make(own_keys_->keys, clock_);
    if (!ring) own_keys_ = fail(ring.error());
  }
  return true;
}

Result<payload::TrustedKeys> UpdateMachine::trusted_keys(
    const std::expected<void, payload::LoadFailure>& running) const {
  payload::TrustedKeys all;
  std::optional<kube::DynamicClient> objects;
  {
    const std::lock_guard lock(mutex_);
    objects = objects_;
  }
  if (settings_.release_keys && objects) {
    auto given = read_release_keys(*objects->client(), *settings_.release_keys,
                                   Limits::within(objects->client()->clock(), request_timeout, token()));
    if (!given) return fail(given.error());
    all = *std::move(given);
  }
  if (!running_.distrust.empty()) return all;
  // An image that cannot be read may have keys: without them one that is not signed could be accepted. Keys
  // of the administrator count all the same: otherwise nobody could fix the release that runs.
  if (!running) {
    all.incomplete =
        running.error().error.within("reading the keys in the release that runs, " + running_.version);
  } else if (own_keys_) {
    all.add(*own_keys_);
  } else {
    all.incomplete = own_keys_.error();
  }
  return all;
}

Result<payload::TrustedKeys> UpdateMachine::keys_of_now() {
  // The release that runs may have keys.
  std::expected<void, payload::LoadFailure> running;
  if (running_.distrust.empty()) running = load_running();
  auto keys = trusted_keys(running);
  judge_keys(keys);
  return keys;
}

bool UpdateMachine::judge_keys(const Result<payload::TrustedKeys>& keys) {
  const auto state = reader_->key_state(keys);
  keys_fingerprint_ = state ? std::optional(state->fingerprint) : std::nullopt;
  if (!state && keys_judged_ && may_pass(state.error())) return false;
  const Result<std::size_t> count = state ? Result<std::size_t>(state->count) : fail(state.error());
  const bool allows = settings_.releases.without_keys == payload::WithoutKeys::accept;
  const bool brings_own = loaded_ && (!own_keys_ || !own_keys_->keys.empty());
  const std::string note =
      brings_own && !running_.distrust.empty()
          ? "Those in the release that runs, " + running_.version + ", do not count: " + running_.distrust
          : "";
  auto finding = judge_release_keys(count, allows, settings_.release_keys.value_or(k8s::Key{}), note);
  if (registry_ != nullptr) {
    registry_
        ->gauge("fairway_operator_release_keys",
                "Public keys (files and entries) by which releases are verified; 0 where none counts")
        .set(static_cast<double>(count.value_or(0)));
    registry_
        ->gauge("fairway_operator_unsigned_releases_allowed",
                "1 where releases are applied without a signature: --allow-unsigned-releases, and no keys")
        .set(allows && count == 0U ? 1 : 0);
  }
  if (keys_judged_ && keys_finding_ == finding) return false;
  if (finding) {
    log::warning("updates cannot be verified", {{"why", finding->message}});
  } else if (count == 0U) {
    log::warning("releases are applied without a signature",
                 {{"why", "--allow-unsigned-releases, and there are no public keys"}});
  }
  keys_finding_ = std::move(finding);
  keys_judged_ = true;
  return true;
}

void UpdateMachine::record_unverified() const {
  if (next_->verified) return;
  log::warning(
      "a release is applied that was not verified",
      {{"version", next_->version.to_string()}, {"image", wanted_.image}, {"why", next_->accepted_risks}});
  if (registry_ == nullptr) return;
  registry_
      ->counter("fairway_operator_unverified_releases",
                "Updates that were begun without a signature that counts, by what has accepted that",
                {{"accepted", next_->allowed_unsigned ? "allowed" : "forced"}})
      .add();
}

}  // namespace fairway::operators
