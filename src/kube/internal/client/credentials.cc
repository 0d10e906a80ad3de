// SPDX-License-Identifier: Apache-2.0

#include "kube/internal/client/credentials.h"

#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "http/credentials.h"

namespace fairway::kube {

namespace {

/// The period after which the token file is reread, as in client-go.
constexpr auto token_file_period = std::chrono::minutes(1);

}  // namespace

Result<Credentials::Current> Credentials::current(const Limits& limits) {
  std::unique_lock lock(mutex_);
  if (!answered_.wait(lock, clock_, limits, [&] { return !asking_; })) {
    const bool stopped = limits.stop.stop_requested();
    return fail(stopped ? ErrorCode::cancelled : ErrorCode::deadline_exceeded,
                config_.user_origin + ": waiting for credentials: " + (stopped ? "stopped" : "none in time"));
  }
  const bool fresh = current_ && !refused_ && (!stale_at_ || clock_.steady() < *stale_at_) &&
                     (!expires_ || clock_.now() < *expires_);
  if (fresh) return *current_;
  Result<void> got;
  if (!config_.token_file.empty()) {
    got = read_token_file();
  } else if (config_.exec) {
    got = ask_program(lock, limits);
  } else if (!config_.token.empty()) {
    take({.authorization = "Bearer " + config_.token});
  } else if (!config_.username.empty()) {
    take({.authorization = http::basic_authorization(config_.username, config_.password)});
  } else {
    take({});
  }
  if (!got) return fail(got.error());
  refused_ = false;
  return *current_;
}

bool Credentials::refused(std::uint64_t version) {
  const std::lock_guard lock(mutex_);
  if (config_.token_file.empty() && !config_.exec) return false;
  // Another thread may have refreshed them meanwhile.
  if (current_ && current_->version == version) refused_ = true;
  return true;
}

void Credentials::take(Current current) {
  const std::uint64_t version = current_ ? current_->version : 0;
  const bool same = current_ && current_->authorization == current.authorization &&
                    current_->certificate == current.certificate && current_->key == current.key;
  current.version = same ? version : version + 1;
  current_ = std::move(current);
}

Result<void> Credentials::read_token_file() {
  stale_at_ = clock_.steady() + token_file_period;
  const auto text = read_file(config_.token_file, 1 << 20);
  const std::string token(text ? trim(*text) : std::string_view{});
  if (!token.empty()) {
    take({.authorization = "Bearer " + token});
    return {};
  }
  const std::string why = text ? "the token's file " + config_.token_file + " is empty"
                               : text.error().within("reading the token").message;
  if (!current_ && config_.token.empty())
    return fail(ErrorCode::unauthenticated, config_.user_origin + ": " + why);
  log::warning("the token cannot be read again; the last one stays", {{"why", why}});
  if (!current_) take({.authorization = "Bearer " + config_.token});
  return {};
}

Result<void> Credentials::ask_program(std::unique_lock<std::mutex>& lock, const Limits& limits) {
  asking_ = true;
  lock.unlock();
  auto credential = run_exec_plugin(config_, limits, clock_);
  lock.lock();
  asking_ = false;
  answered_.notify_all();
  if (!credential) return fail(credential.error());
  expires_ = credential->expires;
  take({.authorization = credential->token.empty() ? "" : "Bearer " + credential->token,
        .certificate = std::move(credential->certificate),
        .key = std::move(credential->key)});
  return {};
}

}  // namespace fairway::kube
