// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/rest/test_faults.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/text.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::rest {
namespace {

using namespace std::chrono_literals;

/// Longest delay: a client would give up before.
constexpr auto longest_delay = 30s;
constexpr std::uint64_t always = std::numeric_limits<std::uint64_t>::max();

/// Faults that a client asks for.
struct WantedFaults {
  std::optional<std::string> cut_watches;  ///< resource; empty: all
  bool expire = false;
  /// The new rules. A rule that is null takes the present one away.
  std::optional<std::optional<FaultRule>> conflicts, slow_writes;
};

std::unexpected<k8s::Status> bad(const std::string& why) {
  return std::unexpected(k8s::answer::bad_request("faults: " + why));
}

bool is_served(const resources::ResourceRegistry& registry, std::string_view resource) {
  return std::ranges::any_of(registry.all(), [&](const resources::ServedResourcePtr& served) {
    return served->group_resource().to_string() == resource;
  });
}

/// Reads `{"resource": "boats.example.com", "count": 2, "delay": "200ms"}`. `members` has the names that are
/// known at this place, with blanks between.
k8s::StatusResult<FaultRule> read_rule(const std::string& name, const json::Value& value,
                                       std::string_view members,
                                       const resources::ResourceRegistry& registry) {
  if (!value.is_object()) return bad(name + " has to be an object");
  const std::vector<std::string_view> known = split(members, ' ');
  FaultRule rule{.left = always};
  for (const auto& [key, member] : value.get_object()) {
    const std::string path = name + "." + std::string(key);
    if (std::ranges::find(known, std::string_view(key)) == known.end()) {
      return bad("'" + printable(path, 80) + "' is not known: " + name + " takes " + std::string(members));
    }
    if (key == "count") {
      if (!member.is_int64() || member.get_int64() < 1) return bad(path + " has to be a number from 1 on");
      rule.left = static_cast<std::uint64_t>(member.get_int64());
      continue;
    }
    if (!member.is_string()) return bad(path + " has to be a text");
    const std::string text(member.get_string());
    if (key == "delay") {
      const auto delay = parse_duration(text);
      if (!delay) return bad(path + ": " + delay.error().message);
      if (*delay <= 0ns || *delay > longest_delay)
        return bad(path + " has to be more than 0s and at most 30s");
      rule.delay = *delay;
      continue;
    }
    if (!is_served(registry, text)) {
      return bad(path + ": no resource '" + printable(text, 80) +
                 "' is served; give its plural and its group, as in boats.example.com");
    }
    rule.resource = text;
  }
  return rule;
}

k8s::StatusResult<WantedFaults> read_faults(std::string_view body,
                                            const resources::ResourceRegistry& registry) {
  const auto document = json::parse(body);
  if (!document) return bad("the body is no JSON: " + document.error().message);
  if (!document->is_object()) return bad("the body has to be an object");
  WantedFaults wanted;
  for (const auto& [key, value] : document->get_object()) {
    if (key == "cutWatches") {
      auto rule = read_rule("cutWatches", value, "resource", registry);
      if (!rule) return std::unexpected(rule.error());
      wanted.cut_watches = std::move(rule->resource);
    } else if (key == "expire") {
      if (!value.is_bool()) return bad("expire has to be true or false");
      wanted.expire = value.get_bool();
    } else if (key == "conflicts" || key == "slowWrites") {
      const bool slow = key == "slowWrites";
      std::optional<FaultRule> made;
      if (!value.is_null()) {
        auto rule = read_rule(key, value, slow ? "resource count delay" : "resource count", registry);
        if (!rule) return std::unexpected(rule.error());
        if (slow && rule->delay == 0ns) return bad("slowWrites.delay is missing, such as \"200ms\"");
        made = *std::move(rule);
      }
      (slow ? wanted.slow_writes : wanted.conflicts).emplace(std::move(made));
    } else {
      return bad("'" + printable(key, 80) +
                 "' is not known: there are cutWatches, expire, conflicts and slowWrites");
    }
  }
  return wanted;
}

/// Takes a request out of a rule. Returns the rule as it was if the request has the fault.
std::optional<FaultRule> take(std::optional<FaultRule>& rule, const Call& call) {
  if (!rule) return std::nullopt;
  if (!rule->resource.empty() && rule->resource != call.resource->group_resource().to_string()) {
    return std::nullopt;
  }
  std::optional<FaultRule> taken = rule;
  if (rule->left != always) --rule->left;
  if (rule->left == 0) rule.reset();
  return taken;
}

json::Value json_of(const std::optional<FaultRule>& rule) {
  if (!rule) return nullptr;
  json::Object made;
  if (!rule->resource.empty()) made["resource"] = rule->resource;
  if (rule->left != always) made["count"] = rule->left;
  if (rule->delay > 0ns) made["delay"] = format_duration(rule->delay);
  return made;
}

}  // namespace

k8s::StatusResult<http::Response> TestFaults::answer(const http::Request& request) {
  if (request.method == "GET" || request.method == "HEAD") return state();
  if (request.method == "POST") return add(request);
  if (request.method != "DELETE") return std::unexpected(k8s::answer::method_not_allowed({}, request.method));
  {
    const std::scoped_lock lock(mutex_);
    conflicts_.reset();
    slow_writes_.reset();
  }
  return state();
}

k8s::StatusResult<http::Response> TestFaults::add(const http::Request& request) {
  auto wanted = read_faults(request.body, objects_.registry());
  if (!wanted) return std::unexpected(wanted.error());
  {
    const std::scoped_lock lock(mutex_);
    if (wanted->conflicts) conflicts_ = *std::move(wanted->conflicts);
    if (wanted->slow_writes) slow_writes_ = *std::move(wanted->slow_writes);
  }
  if (wanted->expire) {
    if (auto expired = expire(); !expired) {
      return std::unexpected(k8s::answer::internal_error("faults: expire: " + expired.error().message));
    }
  }
  // Last: a client that comes back then finds its version too old.
  if (!wanted->cut_watches) return state();
  const std::string& resource = *wanted->cut_watches;
  return state(watches_.cut([&](const resources::ServedResource& served) {
    return resource.empty() || served.group_resource().to_string() == resource;
  }));
}

k8s::StatusResult<void> TestFaults::meet(const Call& call, std::string_view verb) {
  // A review writes nothing.
  if (verb == "get" || verb == "list" || verb == "watch" || call.handler() == resources::Handler::review) {
    return {};
  }
  std::optional<FaultRule> slow, conflict;
  {
    const std::scoped_lock lock(mutex_);
    slow = take(slow_writes_, call);
    if (verb == "update" || verb == "patch") conflict = take(conflicts_, call);
  }
  // A client that goes away ends the wait.
  Clock& clock = objects_.clock();
  if (slow && !clock.wait_until(clock.steady() + slow->delay, call.http.cancelled)) {
    return std::unexpected(k8s::answer::timeout("the request was cancelled"));
  }
  if (!conflict) return {};
  return std::unexpected(k8s::answer::conflict(
      call.resource->group_resource(), call.path.name,
      "the object has been modified; please apply your changes to the latest version and try again"));
}

Result<void> TestFaults::expire() {
  storage::Storage& storage = objects_.storage();
  // A version that no client has, of an object that no resource shows.
  const storage::Key key{.resource = "fairway.dev/testfaults", .namespace_name = "", .name = "expired"};
  auto body = storage::Body::of(R"({"metadata":{}})");
  if (!body) return fail(body.error());
  for (const bool is_there : {true, false}) {
    storage::Change change{.key = key, .precondition = {}, .body = {}, .room = storage::Room::server};
    if (is_there) change.body = *body;
    if (const auto written = storage.write(std::move(change)); !written) return fail(written.error());
  }
  return storage.compact(storage.revision());
}

http::Response TestFaults::state(std::optional<std::size_t> cut) {
  json::Object made;
  if (cut) made["cutWatches"] = *cut;
  {
    const std::scoped_lock lock(mutex_);
    made["conflicts"] = json_of(conflicts_);
    made["slowWrites"] = json_of(slow_writes_);
  }
  return http::Response::json(200, json::to_text(made) + "\n");
}

}  // namespace fairway::apiserver::rest
