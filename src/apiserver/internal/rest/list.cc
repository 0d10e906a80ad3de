// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <charconv>
#include <variant>

#include "apiserver/internal/objects/object_text.h"
#include "apiserver/internal/rest/continue_token.h"
#include "apiserver/internal/rest/reply.h"
#include "apiserver/internal/rest/verbs.h"
#include "base/quoted_text.h"
#include "k8s/wire/list.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::rest {
namespace {

using storage::Revision;

/// The state that a list shows, and the place where it begins.
struct Place {
  /// Revision of the state; 0: the latest.
  Revision revision = 0;
  std::string after;
  bool continues = false;
  /// True if conversions that were made earlier will do: who names a resourceVersion that any later state
  /// satisfies is answered from the watch cache by a real server.
  bool may_be_kept = false;
};

/// Returns the Status for a revision that is not reached. A client that wants a state not older than it gets
/// a Retry-After, as a real server may have fallen behind. A client that wants exactly that state gets none.
std::unexpected<k8s::Status> too_large(Revision asked, Revision now, bool exact) {
  return std::unexpected(k8s::answer::resource_version_too_large(static_cast<std::uint64_t>(asked),
                                                                 static_cast<std::uint64_t>(now),
                                                                 std::chrono::seconds(exact ? 0 : 1)));
}

/// Returns the place of a list by the rules of resourceVersion and resourceVersionMatch:
/// https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions
k8s::StatusResult<Place> place_of(const k8s::ListOptions& options, std::string_view namespace_name,
                                  Revision now) {
  if (!options.continue_token.empty()) {
    auto token = ContinueToken::parse(options.continue_token);
    if (!token) return std::unexpected(k8s::answer::bad_request(token.error().message));
    // Nobody has signed it: it may name a place that its bearer may not read.
    if (!namespace_name.empty() && !token->after.starts_with(std::string(namespace_name) + "/")) {
      return std::unexpected(
          k8s::answer::bad_request("continue key is not valid: it is of another list than this one"));
    }
    return Place{std::max<Revision>(token->revision, 0), std::move(token->after), true};
  }
  const auto asked = parse_revision(options.resource_version);
  if (!asked) return std::unexpected(asked.error());
  const bool exact = options.resource_version_match == "Exact" ||
                     (options.resource_version_match.empty() && options.limit > 0 && *asked > 0);
  if (*asked > now) return too_large(*asked, now, exact);
  return Place{exact ? *asked : 0, "", false, !exact && !options.resource_version.empty()};
}

constexpr std::string_view token_too_old =
    "The provided continue parameter is too old to display a consistent list result. You can start a new "
    "list "
    "without the continue parameter, or use the continue token in this response to retrieve the remainder of "
    "the results. Continuing with the provided token results in an inconsistent list - objects that were "
    "created, modified, or deleted between the time the first chunk was returned and now may show up in the "
    "list.";

k8s::Status status_of_list(const storage::ReadError& error, const Place& place, Revision now) {
  if (error.kind == storage::ReadError::Kind::compacted) {
    if (!place.continues) {
      return k8s::answer::expired("The resourceVersion for the provided list is too old.");
    }
    return k8s::answer::expired(token_too_old, ContinueToken{-1, place.after}.to_string());
  }
  if (error.kind == storage::ReadError::Kind::ahead) return too_large(place.revision, now, true).error();
  return k8s::answer::internal_error(error.error.message);
}

/// A page of the selected objects.
struct Page {
  std::vector<storage::RecordPtr> records;
  Revision revision = 0;
  std::size_t remaining = 0;
};

/// Returns the number of records that are read at once for a page of selected objects.
std::size_t most_at_once(const Place& place) {
  return place.revision == 0 ? 10'000 : 1'000;
}

/// Returns the limit of the first read. Objects of a past state are copies: a list that selects some of them
/// holds only a few of the others.
std::size_t first_limit(const objects::Selection& selection, const Place& place, std::size_t limit) {
  constexpr std::size_t few = 100;
  return limit == 0 && place.revision != 0 && !selection.is_everything() ? few : limit;
}

k8s::StatusResult<Page> read_page(const Services& services, const Call& call,
                                  const objects::Selection& selection, const Place& place,
                                  std::size_t limit) {
  storage::Storage& storage = services.objects.storage();
  Page page;
  storage::ListQuery query{.resource = call.resource->storage,
                           .namespace_name = call.path.namespace_name,
                           .after = place.after,
                           .limit = first_limit(selection, place, limit),
                           .revision = place.revision,
                           .counts = selection.is_everything()};
  while (true) {
    auto read = storage.list(query);
    if (!read) return std::unexpected(status_of_list(read.error(), place, storage.revision()));
    if (!place.may_be_kept && call.resource->strategy->converts_by_webhook()) {
      for (storage::RecordPtr& record : read->records) {
        record = objects::to_be_asked_again(std::move(record), *call.resource);
      }
    }
    page.revision = read->revision;
    page.remaining = read->remaining;
    if (selection.is_everything()) {
      page.records = std::move(read->records);
      return page;
    }
    if (read->records.empty()) return page;
    query.after = read->records.back()->path();
    // Where little matches, the whole list takes few reads.
    query.limit = std::min(query.limit * 2, std::max(limit, most_at_once(place)));
    // The pages that it takes to fill this one show one state.
    query.revision = read->revision;
    for (std::size_t i = 0; i < read->records.size(); ++i) {
      if (!selection.matches(*read->records[i])) continue;
      if (limit > 0 && page.records.size() == limit) {
        page.remaining += read->records.size() - i;
        return page;
      }
      page.records.push_back(std::move(read->records[i]));
    }
    if (query.limit == 0 || read->remaining == 0) return page;
  }
}

}  // namespace

k8s::StatusResult<Revision> parse_revision(std::string_view text) {
  if (text.empty()) return 0;
  Revision revision = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), revision);
  if (error == std::errc{} && end == text.data() + text.size() && revision >= 0) return revision;
  const bool is_large = error == std::errc::result_out_of_range;
  return std::unexpected(k8s::answer::bad_request("resourceVersion: Invalid value: " + quote(text) +
                                                  ": strconv.ParseUint: parsing " + quote(text) + ": " +
                                                  (is_large ? "value out of range" : "invalid syntax")));
}

VerbResult list(const Services& services, Call& call) {
  // Another method by this name.
  if (!call.info.collection) {
    return std::unexpected(
        k8s::answer::method_not_allowed(call.resource->group_resource(), call.http.method));
  }
  const auto& parsed = *call.info.collection;
  if (!parsed) return std::unexpected(parsed.error());
  if (const auto* watching = std::get_if<k8s::WatchOptions>(&*parsed))
    return watch(services, call, *watching);
  const auto& options = std::get<k8s::ListOptions>(*parsed);
  const auto form = negotiate_form(call);
  if (!form) return std::unexpected(form.error());
  const auto selection = objects::Selection::of(call.resource, options.labels, options.fields);
  if (!selection) return std::unexpected(selection.error());
  const auto place = place_of(options, call.path.namespace_name, services.objects.storage().revision());
  if (!place) return std::unexpected(place.error());
  const auto limit = static_cast<std::size_t>(std::max<std::int64_t>(options.limit, 0));
  const auto page = read_page(services, call, *selection, *place, limit);
  if (!page) return std::unexpected(page.error());

  k8s::ObjectList head;
  head.resource_version = std::to_string(page->revision);
  if (page->remaining > 0 && limit > 0 && !page->records.empty()) {
    head.continue_token = ContinueToken{page->revision, page->records.back()->path()}.to_string();
    if (selection->is_everything()) head.remaining = static_cast<std::int64_t>(page->remaining);
  }
  auto body = (*form)->list(head, page->records);
  if (!body) return std::unexpected(body.error());
  return reply_in_form(call, **form, *std::move(body));
}

}  // namespace fairway::apiserver::rest
