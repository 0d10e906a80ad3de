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

/// Searches for an object that cannot be read, before it is given up: an error that passes meanwhile, or that
/// differs with each request, leads a search to a key that does not exist.
constexpr int most_searches = 3;

/// Times that the list is read again for what may be an outage, before an object is taken to be the cause.
constexpr int most_doubts = 5;

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
    if (is_outage_of_reads(page.error())) return std::unexpected(page.error());
    if (limit_ == 1) return single();
    limit_ /= 2;
  }
}

StoredPage StoredPages::taken(k8s::ObjectList list) {
  StoredPage page;
  for (k8s::Dynamic& object : list.items) {
    StoredObject& stored = page.objects.emplace_back(object.key(), why_going(object));
    if (list_.whole) stored.document = std::move(object);
  }
  if (!page.objects.empty()) {
    const k8s::Key& last = page.objects.back().key;
    position_ = is_of_one_namespace() ? last.name : last.to_string();
  }
  page.remaining = list.remaining;
  page.continue_token = token_ = std::move(list.continue_token);
  if (limit_ == list_.page_size) doubts_ = 0;
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
  std::string before;
  errors_vary_ = false;
  for (int attempt = 1, searches = 0;; ++attempt) {
    auto page = list(token_, 1);
    if (page) return taken(*std::move(page));
    // The time it takes is no fault of one object.
    if (!may_be_an_object(page.error()) || page.error().status.code() != 500 ||
        is_outage_of_reads(page.error()))
      return std::unexpected(page.error());
    // If it is an outage, it is waited out, for a while.
    if (fault_of(page.error()) == Fault::perhaps_outage && doubts_++ < most_doubts)
      return std::unexpected(page.error());
    const std::string error(page.error().status.message());
    errors_vary_ = errors_vary_ || (!before.empty() && error != before);
    before = error;
    if (attempt >= list_.attempts) {
      auto found = locate(error);
      if (!found) return std::unexpected(found.error());
      if (*found) return **std::move(found);
      if (++searches == most_searches)
        return std::unexpected(not_told(error, "the error does not last, or is another one each time"));
    }
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
  if (!may_be_an_object(page.error()) || is_outage_of_reads(page.error())) {
    search_error_ = page.error();
    return fail(page.error());
  }
  return errors_vary_ || page.error().status.message() == error;
}

kube::ApiError StoredPages::not_told(const std::string& error, const std::string& why) const {
  return Error{stop_.stop_requested() ? ErrorCode::cancelled : ErrorCode::unavailable,
               "an object of " + list_.plural + "." + list_.group + " can be read in none of " +
                   join(list_.versions, ", ") + " (" + printable(error, 500) +
                   "), and the server does not tell which (" + printable(why, 200) +
                   "); serve the version in which it is stored, and begin again"};
}

/// Returns the key of the first object that the error names as Kubernetes does since 1.32, by its place in
/// the storage: "Key: /registry/example.com/widgets/default/a". std::nullopt: none, or one that was passed.
std::optional<std::string> StoredPages::named_in(std::string_view error) const {
  constexpr std::string_view field = "Key: /";
  const auto begin = error.find(field);
  if (begin == std::string_view::npos) return std::nullopt;
  error.remove_prefix(begin + field.size() - 1);
  error = error.substr(0, error.find_first_of(", \n"));
  std::string folder = "/" + list_.group + "/" + list_.plural + "/";
  if (is_of_one_namespace()) folder += list_.namespace_name + "/";
  const auto at = error.find(folder);
  if (at == std::string_view::npos) return std::nullopt;
  std::string key(error.substr(at + folder.size()));
  const auto parts = list_.namespaced && !is_of_one_namespace() ? 1 : 0;
  if (key.empty() || std::ranges::count(key, '/') != parts || !position_ || key <= *position_)
    return std::nullopt;
  return key;
}

/// Returns whether the object is there, and can be read in no version.
kube::ApiResult<bool> StoredPages::is_unreadable(const k8s::Key& key) {
  for (const std::string& version : list_.versions) {
    const auto object = client_.get({list_.group, version, list_.plural}, key, {},
                                    Limits::within(client_.clock(), request_timeout, stop_));
    if (object || object.error().is_object_not_found()) return false;
    if (!may_be_an_object(object.error()) || is_outage_of_reads(object.error()))
      return std::unexpected(object.error());
  }
  return true;
}

/// Returns the page of one object, after which the list goes on; std::nullopt if it is not there, or can be
/// read.
kube::ApiResult<std::optional<StoredPage>> StoredPages::unreadable(const std::string& key,
                                                                   const std::string& error) {
  auto parsed = k8s::Key::parse(is_of_one_namespace() ? list_.namespace_name + "/" + key : key);
  // A search that was led astray may end within the namespace, and a server has no path for such a key.
  if (!parsed || (list_.namespaced && parsed->namespace_name.empty())) return std::nullopt;
  const auto confirmed = is_unreadable(*parsed);
  if (!confirmed) return std::unexpected(confirmed.error());
  if (!*confirmed) return std::nullopt;
  StoredPage page;
  page.objects.push_back({.key = *std::move(parsed)});
  page.unreadable = error;
  position_ = key;
  page.continue_token = token_ = token_after(key);
  return page;
}

/// Finds the object that cannot be read. std::nullopt if what was found is none: the list is to be read
/// again.
kube::ApiResult<std::optional<StoredPage>> StoredPages::locate(const std::string& error) {
  if (const auto named = named_in(error)) {
    auto page = unreadable(*named, error);
    if (!page || *page) return page;
  }
  search_error_.reset();
  const auto key = find_last_unread_key(list_.namespaced && !is_of_one_namespace(),
                                        [&](const std::string& after) { return meets(after, error); });
  // The search begins again once that is over.
  if (search_error_ && is_outage_of_reads(*search_error_)) return std::unexpected(*search_error_);
  if (!key) return std::unexpected(not_told(error, key.error().message));
  return unreadable(*key, error);
}

}  // namespace fairway::conversion
