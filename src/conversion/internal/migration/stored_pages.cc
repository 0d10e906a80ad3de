// SPDX-License-Identifier: Apache-2.0

#include "conversion/internal/migration/stored_pages.h"

#include <algorithm>
#include <utility>

#include "base/backoff.h"
#include "base/text.h"
#include "conversion/internal/migration/key_search.h"
#include "conversion/internal/migration/outage.h"

namespace fairway::conversion {

namespace {

/// Returns whether the error may be about one of the objects: a failed conversion is an InternalError or has
/// no reason. A page whose conversion takes too long may do in halves.
bool may_be_an_object(const kube::ApiError& error) {
  if (!error.is_answer()) return error.code == ErrorCode::deadline_exceeded;
  return error.status.code() == 500 || error.status.code() == 504;
}

std::string why_going(const k8s::Dynamic& object) {
  if (!object.is_being_deleted()) return {};
  std::vector<std::string> finalizers;
  for (const std::string_view one : object.texts("metadata.finalizers")) finalizers.emplace_back(one);
  return "finalizers " + printable(join(finalizers, ", "));
}

}  // namespace

kube::ApiResult<StoredPage> StoredPages::next() {
  bool resumed = false;
  while (true) {
    auto page = list(token_, limit_);
    if (page) return taken(*std::move(page));
    const std::string offered(page.error().status.continue_token());
    if (page.error().is_expired() && !offered.empty() && !resumed) {
      // A token that has just been given cannot have expired: once in a row is enough.
      token_ = offered;
      resumed = true;
      continue;
    }
    if (!may_be_an_object(page.error()) || stop_.stop_requested()) return std::unexpected(page.error());
    if (fault_of(page.error()) == Fault::outage) return std::unexpected(page.error());
    if (limit_ == 1) return single();
    limit_ /= 2;
  }
}

StoredPage StoredPages::taken(k8s::ObjectList list) {
  StoredPage page;
  for (const k8s::Dynamic& object : list.items) page.objects.push_back({object.key(), why_going(object)});
  if (!page.objects.empty()) {
    const k8s::Key& last = page.objects.back().key;
    position_ = is_of_one_namespace() ? last.name : last.to_string();
  }
  page.remaining = list.remaining;
  page.continue_token = token_ = std::move(list.continue_token);
  limit_ = std::min(limit_ * 2, list_.page_size);
  return page;
}

/// Reads the position from the token with which the list begins.
void StoredPages::read_position() {
  if (token_.empty()) return;
  position_ = key_in_continue_token(token_);
  const std::string prefix = list_.namespace_name + "/";
  if (!position_ || !is_of_one_namespace() || !position_->starts_with(prefix)) return;
  tokens_have_namespace_ = true;
  position_->erase(0, prefix.size());
}

kube::ApiResult<k8s::ObjectList> StoredPages::list(const std::string& token, std::int64_t limit) {
  k8s::ListOptions options;
  options.labels = list_.labels;
  options.limit = limit;
  options.continue_token = token;
  std::optional<kube::ApiError> failed;
  for (const std::string& version : list_.versions) {
    auto page = client_.list({list_.group, version, list_.plural}, list_.namespace_name, options,
                             Limits::within(client_.clock(), request_timeout, stop_));
    if (page || fault_of(page.error()) == Fault::object) activity_.record();
    if (page || !may_be_an_object(page.error())) return page;
    failed = std::move(page.error());
  }
  return std::unexpected(*std::move(failed));
}

/// Reads a page of one object, which has failed before, with some patience: nothing is worth less than the
/// name of an object whose conversion failed in passing.
kube::ApiResult<StoredPage> StoredPages::single() {
  Backoff backoff({.first = std::chrono::milliseconds(50)}, client_.clock());
  for (int attempt = 1;; ++attempt) {
    auto page = list(token_, 1);
    if (page) return taken(*std::move(page));
    // The time it takes is no fault of one object.
    if (!may_be_an_object(page.error()) || page.error().status.code() != 500 ||
        fault_of(page.error()) == Fault::outage)
      return std::unexpected(page.error());
    if (attempt >= list_.attempts) return locate(std::string(page.error().status.message()));
    if (!client_.clock().wait_until(client_.clock().steady() + backoff.next(), stop_))
      return std::unexpected(page.error());
  }
}

std::string StoredPages::token_after(const std::string& key) const {
  return continue_token_after(tokens_have_namespace_ ? list_.namespace_name + "/" + key : key);
}

/// Returns whether a list after the key fails with the same error as the one before the object.
Result<bool> StoredPages::meets(const std::string& after, const std::string& error) {
  if (!position_)
    return fail(ErrorCode::invalid, "its continue tokens are in another form than Kubernetes's");
  if (after <= *position_) return true;  // a list from there shows what was read before
  auto page = list(token_after(after), 1);
  if (!page && is_of_one_namespace() && !tokens_have_namespace_ &&
      page.error().is(k8s::reason::bad_request)) {
    tokens_have_namespace_ = true;
    page = list(token_after(after), 1);
  }
  if (page) return false;
  if (!may_be_an_object(page.error()) || fault_of(page.error()) == Fault::outage) {
    search_error_ = page.error();
    return fail(page.error());
  }
  return page.error().status.message() == error;
}

kube::ApiResult<StoredPage> StoredPages::locate(const std::string& error) {
  search_error_.reset();
  const auto key = find_last_unread_key(list_.namespaced && !is_of_one_namespace(),
                                        [&](const std::string& after) { return meets(after, error); });
  // The search begins again once that is over.
  if (search_error_ && fault_of(*search_error_) == Fault::outage) return std::unexpected(*search_error_);
  if (!key) {
    return std::unexpected(kube::ApiError(
        Error{stop_.stop_requested() ? ErrorCode::cancelled : ErrorCode::unavailable,
              "an object of " + list_.plural + "." + list_.group + " can be read in none of " +
                  join(list_.versions, ", ") + " (" + printable(error, 500) +
                  "), and the server does not tell which (" + printable(key.error().message, 200) +
                  "); serve the version in which it is stored, and run the migration again"}));
  }
  auto parsed = k8s::Key::parse(is_of_one_namespace() ? list_.namespace_name + "/" + *key : *key);
  if (!parsed) return std::unexpected(kube::ApiError(parsed.error()));
  StoredPage page;
  page.objects.push_back({.key = *std::move(parsed)});
  page.unreadable = error;
  position_ = *key;
  page.continue_token = token_ = token_after(*key);
  return page;
}

}  // namespace fairway::conversion
