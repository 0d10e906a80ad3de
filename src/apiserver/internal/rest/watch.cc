// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "apiserver/internal/protobuf/answer.h"
#include "apiserver/internal/rest/reply.h"
#include "apiserver/internal/rest/verbs.h"
#include "apiserver/internal/rest/warnings.h"
#include "http/web_socket.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::rest {
namespace {

using storage::Revision;

/// Shortest time of a watch without a time limit. It ends at random after that, so that clients spread over
/// servers again.
constexpr std::chrono::seconds shortest_watch{1800};
/// Longest time of a watch: nobody waits that long, and clocks can count it.
constexpr std::chrono::seconds longest_watch = std::chrono::hours(24 * 365);
/// Bytes that wait for a slow client: a piece, and data made meanwhile.
constexpr std::size_t queued_bytes = std::size_t{512} << 10;

k8s::Status status_of_watch(const storage::ReadError& error, Revision from, Revision now) {
  if (error.kind == storage::ReadError::Kind::compacted) {
    return k8s::answer::expired("too old resource version: " + std::to_string(from) + " (" +
                                std::to_string(now) + ")");
  }
  if (error.kind == storage::ReadError::Kind::ahead) {
    return k8s::answer::resource_version_too_large(static_cast<std::uint64_t>(from),
                                                   static_cast<std::uint64_t>(now), std::chrono::seconds(1));
  }
  return k8s::answer::internal_error(error.error.message);
}

}  // namespace

VerbResult watch(const Services& services, Call& call, k8s::WatchOptions options) {
  if (!call.resource->has_verb("watch")) {
    return std::unexpected(k8s::answer::method_not_allowed(call.resource->group_resource(), "watch"));
  }
  const auto form = negotiate_form(call, true);
  if (!form) return std::unexpected(form.error());
  auto selection =
      objects::Selection::of(call.resource, std::move(options.labels), std::move(options.fields));
  if (!selection) return std::unexpected(selection.error());
  const auto asked = parse_revision(options.resource_version);
  if (!asked) return std::unexpected(asked.error());

  storage::Storage& storage = services.objects.storage();
  Clock& clock = services.objects.clock();
  watch::WatchSpec spec;
  spec.form = *form;
  spec.flow = call.user.name;
  spec.bookmarks = options.bookmarks;
  Revision from = *asked;
  const bool wants_initial = options.initial_events.value_or(*asked == 0);
  if (from > storage.revision()) {
    return std::unexpected(status_of_watch({storage::ReadError::Kind::ahead, {}}, from, storage.revision()));
  }
  if (wants_initial || from == 0) {
    auto all = storage.list({.resource = call.resource->storage, .namespace_name = call.path.namespace_name});
    if (!all) return std::unexpected(resources::status_of(all.error()));
    from = all->revision;
    if (wants_initial) {
      std::erase_if(all->records, [&](const auto& record) { return !selection->matches(*record); });
      spec.initial = std::move(all->records);
      spec.initial_query = {
          .resource = call.resource->storage, .namespace_name = call.path.namespace_name, .revision = from};
      spec.storage = &storage;
      if (options.initial_events && options.bookmarks) spec.initial_end = from;
    }
  }
  auto events = storage.watch(
      {.resource = call.resource->storage, .namespace_name = call.path.namespace_name, .from = from});
  if (!events) return std::unexpected(status_of_watch(events.error(), from, storage.revision()));
  spec.events = *std::move(events);
  spec.selection = *std::move(selection);
  const std::chrono::duration<double> random_part(services.objects.random() *
                                                  static_cast<double>(shortest_watch.count()));
  spec.until = clock.steady() +
               (options.timeout && options.timeout->count() > 0
                    ? std::chrono::nanoseconds(std::min(*options.timeout, longest_watch))
                    : shortest_watch + std::chrono::duration_cast<std::chrono::nanoseconds>(random_part));
  spec.stream = http::Stream::make(queued_bytes);

  http::Response response;
  if (http::asks_for_web_socket(call.http)) {
    response = http::web_socket_reply(call.http, spec.stream);
    // The refusal of a handshake: nobody reads the stream.
    if (!response.stream) return response;
  } else {
    response.headers.add("Content-Type", (*form)->encoding() == watch::Encoding::protobuf
                                             ? std::string(protobuf::media_type) + ";stream=watch"
                                             : "application/json");
    response.headers.add("Cache-Control", "no-cache, private");
    add_warnings(response, call.all_warnings());
    response.stream = spec.stream;
  }
  services.watches.add(std::move(spec));
  return response;
}

}  // namespace fairway::apiserver::rest
