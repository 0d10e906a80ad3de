// SPDX-License-Identifier: Apache-2.0

#include "kube/churning_api.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "base/text.h"
#include "k8s/wire/media_type.h"

namespace fairway::kube::testing {

namespace {

constexpr const char* too_large =
    R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"Timeout: Too large resource version",)"
    R"("reason":"Timeout","code":504,"details":{"causes":[{"reason":"ResourceVersionTooLarge"}]}})";

std::string status(int code, const std::string& reason, const std::string& metadata = "") {
  return R"({"kind":"Status","apiVersion":"v1","metadata":{)" + metadata +
         R"(},"status":"Failure","message":"said the test","reason":")" + reason + R"(","code":)" +
         std::to_string(code) + "}";
}

http::Response refusal(int code, const std::string& reason, const std::string& metadata = "") {
  return http::Response::json(code, status(code, reason, metadata));
}

std::map<std::string, std::string> parse_query(std::string_view text) {
  std::map<std::string, std::string> result;
  for (const std::string_view field : split(text, '&')) {
    const std::size_t equals = field.find('=');
    if (equals == std::string_view::npos) continue;
    result[std::string(field.substr(0, equals))] =
        http::percent_decode(field.substr(equals + 1)).value_or("");
  }
  return result;
}

std::string event_text(const std::string& type, const std::string& object) {
  return R"({"type":")" + type + R"(","object":)" + object + "}\n";
}

std::string bookmark_text(std::uint64_t version, bool end_of_initial) {
  return event_text(
      "BOOKMARK",
      R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":")" + std::to_string(version) +
          "\"" + (end_of_initial ? R"(,"annotations":{"k8s.io/initial-events-end":"true"})" : "") + "}}");
}

/// Returns the text of an object for a reply. `object` has no kind.
std::string object_text(const std::string& object, bool metadata, bool with_kind) {
  if (!metadata) return with_kind ? R"({"kind":"ConfigMap","apiVersion":"v1",)" + object.substr(1) : object;
  k8s::Dynamic partial = k8s::to_partial_metadata(k8s::Dynamic(json::parse(object)->as_object()));
  if (!with_kind) {
    partial.erase("kind");
    partial.erase("apiVersion");
  }
  return partial.to_text();
}

std::uint64_t number(const std::string& text) {
  return text.empty() ? 0 : std::stoull(text);
}

}  // namespace

ChurningApi::ChurningApi(std::uint64_t seed, Faults faults) : random_(seed), faults_(faults) {
  start();
}

ChurningApi::~ChurningApi() = default;

void ChurningApi::start() {
  http::Router router;
  router.blocking("/", "GET", [this](const http::Request& request) { return answer(request); });
  http::ServerOptions options;
  options.listen = address_;
  options.io_threads = 1;
  options.blocking_threads = 2;
  auto server = http::Server::start(options, router);
  if (!server) throw std::runtime_error(server.error().message);
  server_ = std::move(*server);
  address_ = server_->address();
}

std::string ChurningApi::url() const {
  const std::lock_guard lock(mutex_);
  return "http://" + address_;
}

void ChurningApi::restart() {
  std::unique_ptr<http::Server> server;
  {
    const std::lock_guard lock(mutex_);
    server = std::move(server_);
    watches_.clear();
  }
  server.reset();
  const std::lock_guard lock(mutex_);
  start();
}

std::uint64_t ChurningApi::put(const std::string& namespace_name, const std::string& name,
                               const std::string& text) {
  const std::lock_guard lock(mutex_);
  const ObjectKey key{namespace_name, name};
  const bool is_new = !objects_.contains(key);
  if (is_new) uids_[key] = next_uid_++;
  std::string object = R"({"metadata":{"name":")" + name + R"(","namespace":")" + namespace_name +
                       R"(","uid":"u)" + std::to_string(uids_[key]) + R"(","resourceVersion":")" +
                       std::to_string(version_ + 1) +
                       R"(","managedFields":[{"manager":"test"}]},"data":{"text":)";
  json::append_quoted(object, text);
  object += "}}";
  record(is_new ? "ADDED" : "MODIFIED", key, std::make_shared<const std::string>(std::move(object)));
  return version_;
}

bool ChurningApi::remove(const std::string& namespace_name, const std::string& name) {
  const std::lock_guard lock(mutex_);
  const ObjectKey key{namespace_name, name};
  const auto found = objects_.find(key);
  if (found == objects_.end()) return false;
  // The last state is that of the deletion.
  auto object = json::parse(*found->second);
  object->at("metadata").as_object()["resourceVersion"] = std::to_string(version_ + 1);
  record("DELETED", key, std::make_shared<const std::string>(json::to_text(*object)));
  return true;
}

void ChurningApi::record(const char* type, const ObjectKey& key, std::shared_ptr<const std::string> object) {
  ++version_;
  holding_ = true;
  if (std::string_view(type) == "DELETED") {
    objects_.erase(key);
  } else {
    objects_[key] = object;
  }
  history_.push_back({version_, type, key, std::move(object)});
  for (Watch& watch : watches_) tell(watch, history_.back());
  std::erase_if(watches_, [](const Watch& watch) { return watch.over; });
}

void ChurningApi::tell(Watch& watch, const Event& event) {
  if (!watch.selection.matches(event.key)) return;
  // In a watch, objects say what they are.
  const std::string text = event_text(event.type, object_text(*event.object, watch.selection.metadata, true));
  if (chance(faults_.event)) {
    watch.over = true;
    switch (below(8)) {
      case 0:  // in the middle of the event
        send(watch, text.substr(0, below(text.size())));
        return watch.stream->close(true);
      case 1:  // the same, as if it were the end
        send(watch, text.substr(0, below(text.size())));
        return watch.stream->close(false);
      case 2:
        return watch.stream->close(true);
      case 3:
        send(watch, text);
        return watch.stream->close(false);
      case 4:
        oldest_ = version_;
        send(watch, event_text("ERROR", status(410, "Expired")));
        return watch.stream->close(false);
      case 5:
        send(watch, event_text("ERROR", status(500, "InternalError")));
        return watch.stream->close(false);
      case 6:
        send(watch, "<html>");
        return watch.stream->close(false);
      default:
        send(watch, event_text("ADDED", R"({"kind":"ConfigMap"})"));
        return watch.stream->close(false);
    }
  }
  if (!watch.held.empty() || (holding_ && chance(faults_.delay))) {
    watch.held += text;
  } else {
    send(watch, text);
  }
  if (watch.held.empty() && chance(faults_.event)) send(watch, bookmark_text(event.version, false));
}

void ChurningApi::send(Watch& watch, const std::string& text) {
  push(watch, std::exchange(watch.held, {}) + text);
}

void ChurningApi::push(Watch& watch, const std::string& text) {
  // Cut anywhere.
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size =
        std::min<std::size_t>(1 + below(faults_.event > 0 ? 60 : 5000), text.size() - at);
    watch.stream->try_push(http::make_bytes(text.substr(at, size)));
    at += size;
  }
}

void ChurningApi::compact() {
  const std::lock_guard lock(mutex_);
  oldest_ = version_;
  pages_.clear();
}

void ChurningApi::end_watches(bool cut) {
  const std::lock_guard lock(mutex_);
  for (Watch& watch : watches_) watch.stream->close(cut);
  watches_.clear();
}

void ChurningApi::bookmark() {
  const std::lock_guard lock(mutex_);
  for (Watch& watch : watches_) send(watch, bookmark_text(version_, false));
}

void ChurningApi::release() {
  const std::lock_guard lock(mutex_);
  holding_ = false;
  for (Watch& watch : watches_) send(watch, "");
}

void ChurningApi::set_faults(Faults faults) {
  const std::lock_guard lock(mutex_);
  faults_ = faults;
}

std::map<std::string, std::string> ChurningApi::state() const {
  const std::lock_guard lock(mutex_);
  std::map<std::string, std::string> result;
  for (const auto& [key, object] : objects_) {
    result[key.first + "/" + key.second] =
        std::string(json::parse(*object)->at("metadata").at("resourceVersion").as_string());
  }
  return result;
}

std::vector<std::string> ChurningApi::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

std::size_t ChurningApi::watches() const {
  const std::lock_guard lock(mutex_);
  return watches_.size();
}

ChurningApi::State ChurningApi::state_at(std::uint64_t version) const {
  State state;
  for (const Event& event : history_) {
    if (event.version > version) break;
    if (std::string_view(event.type) == "DELETED") {
      state.erase(event.key);
    } else {
      state[event.key] = event.object;
    }
  }
  return state;
}

http::Response ChurningApi::answer(const http::Request& request) {
  const std::lock_guard lock(mutex_);
  requests_.push_back(std::string(request.path) + "?" + http::percent_decode(request.query).value_or(""));
  accepts_.emplace_back(request.header("Accept").value_or(""));
  const auto query = parse_query(request.query);
  const Selection selection = selection_of(request);
  if (forbidden_.contains(selection.namespace_name)) return refusal(403, "Forbidden");
  return query.contains("watch") ? watch(query, selection) : list(query, selection);
}

ChurningApi::Selection ChurningApi::selection_of(const http::Request& request) const {
  Selection selection;
  const auto parts = split(request.path, '/');  // "", "api", "v1", "namespaces", "a", "configmaps"
  if (parts.size() == 6 && !faults_.ignore_namespace) selection.namespace_name = parts[4];
  const auto as = k8s::negotiate(request.header("Accept").value_or(""), k8s::is_table_or_metadata);
  selection.metadata = !faults_.ignore_accept && as && !as->as.kind.empty();
  return selection;
}

void ChurningApi::forbid(const std::string& namespace_name, bool forbidden) {
  const std::lock_guard lock(mutex_);
  if (forbidden) {
    forbidden_.insert(namespace_name);
  } else {
    forbidden_.erase(namespace_name);
  }
}

std::vector<std::string> ChurningApi::accepts() const {
  const std::lock_guard lock(mutex_);
  return accepts_;
}

std::optional<http::Response> ChurningApi::fault_of_request(bool is_watch, bool goes_on, bool at_version) {
  if (!chance(faults_.request)) return std::nullopt;
  switch (below(6)) {
    case 0:
      return refusal(500, "InternalError");
    case 1:
      return refusal(429, "TooManyRequests");
    case 2:
      if (is_watch || goes_on || at_version) return refusal(410, "Expired");
      return refusal(503, "ServiceUnavailable");
    case 3:
      if (at_version) return http::Response::json(504, too_large);
      return refusal(504, "Timeout");
    case 4:
      return refusal(403, "Forbidden");
    default: {
      http::Response response;
      response.stream = http::Stream::make();
      if (!is_watch) {
        response.stream->try_push(http::make_bytes(
            R"({"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"1"},)"
            R"("items":[{"metadata":{"name":"ghost","namespace":"a","resourceVersion":"1"}},{"meta)"));
      }
      response.stream->close(true);
      return response;
    }
  }
}

http::Response ChurningApi::list(const std::map<std::string, std::string>& query,
                                 const Selection& selection) {
  const auto value = [&](const char* name) {
    const auto found = query.find(name);
    return found != query.end() ? found->second : std::string();
  };
  const std::string token = value("continue"), asked = value("resourceVersion");
  const bool at_version = !asked.empty() && asked != "0";
  if (auto fault = fault_of_request(false, !token.empty(), at_version)) return *std::move(fault);
  std::uint64_t version = version_;
  std::vector<std::shared_ptr<const std::string>> objects;
  if (!token.empty()) {
    const auto page = pages_.find(token);
    if (page == pages_.end()) return refusal(410, "Expired", R"("continue":"inconsistent")");
    version = page->second.first;
    objects = std::move(page->second.second);
    pages_.erase(page);
  } else {
    if (at_version && number(asked) > version_) return http::Response::json(504, too_large);
    if (asked == "0" && faults_.stale) version = oldest_ + below(version_ - oldest_ + 1);
    for (const auto& [key, object] : state_at(version)) {
      if (selection.matches(key)) objects.push_back(object);
    }
  }
  const std::size_t limit =
      value("limit").empty() ? objects.size() : std::min<std::size_t>(number(value("limit")), objects.size());
  std::string metadata = R"({"resourceVersion":")" + std::to_string(version) + "\"";
  if (limit < objects.size()) {
    const std::string next = "page " + std::to_string(requests_.size());
    pages_[next] = {version, {objects.begin() + static_cast<std::ptrdiff_t>(limit), objects.end()}};
    metadata += R"(,"continue":")" + next + "\"";
  }
  std::string body =
      std::string(selection.metadata ? R"({"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1")"
                                     : R"({"kind":"ConfigMapList","apiVersion":"v1")") +
      R"(,"metadata":)" + metadata + R"(},"items":[)";
  for (std::size_t at = 0; at < limit; ++at) {
    body += (at > 0 ? "," : "") + object_text(*objects[at], selection.metadata, false);
  }
  return http::Response::json(200, body + "]}");
}

http::Response ChurningApi::watch(const std::map<std::string, std::string>& query,
                                  const Selection& selection) {
  const auto value = [&](const char* name) {
    const auto found = query.find(name);
    return found != query.end() ? found->second : std::string();
  };
  const std::uint64_t asked = number(value("resourceVersion"));
  const bool initial = value("sendInitialEvents") == "true";
  if (initial && !faults_.streaming && !faults_.overlook_streaming) return refusal(422, "Invalid");
  if (auto fault = fault_of_request(true, true, asked > 0)) return *std::move(fault);
  if (asked > version_) return http::Response::json(504, too_large);
  http::Response response;
  Watch watch{http::Stream::make(std::numeric_limits<std::size_t>::max() / 2), selection, "", false};
  response.stream = watch.stream;
  if (initial || asked == 0) {
    // A beginning that never comes through would be no test of what follows.
    const double often = std::exchange(faults_.event, faults_.event / 10);
    for (auto at = objects_.begin(); at != objects_.end() && !watch.over; ++at) {
      tell(watch, {version_, "ADDED", at->first, at->second});
    }
    faults_.event = often;
    if (watch.over) return response;
    if (initial && faults_.streaming) send(watch, bookmark_text(version_, true));
    if (initial && !faults_.streaming) {
      watch.stream->close(false);
      return response;
    }
  } else {
    if (asked < oldest_) {
      // Either way.
      if (chance(0.5)) return refusal(410, "Expired");
      send(watch, event_text("ERROR", status(410, "Gone")));
      watch.stream->close(false);
      return response;
    }
    for (const Event& event : history_) {
      if (event.version <= asked) continue;
      tell(watch, event);
      if (watch.over) return response;
    }
  }
  watches_.push_back(std::move(watch));
  return response;
}

}  // namespace fairway::kube::testing
