// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/apply/field_manager.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <variant>

#include "apiserver/internal/apply/last_applied.h"
#include "apiserver/internal/apply/managed_fields.h"
#include "apiserver/internal/apply/updater.h"
#include "apiserver/internal/apply/values.h"
#include "base/quoted_text.h"

namespace fairway::apiserver::apply {

namespace {

using internal::ManagedFields, internal::ManagerIdentity;
using SharedValue = std::shared_ptr<const json::Value>;

/// Number of entries of updates that are kept apart.
constexpr std::size_t update_limit = 10;
constexpr std::string_view current_operation = "current-operation", before_first_apply = "before-first-apply";

/// Refers to a value that its owner keeps meanwhile.
SharedValue borrow(const json::Value& value) {
  return {std::shared_ptr<void>(), &value};
}

const json::Value* managed_fields_of(const json::Object& object) {
  const json::Value* metadata = object.if_contains("metadata");
  return metadata != nullptr ? json::find(*metadata, "managedFields") : nullptr;
}

const json::Value* managed_fields_of(const json::Value& object) {
  const json::Object* root = object.if_object();
  return root != nullptr ? managed_fields_of(*root) : nullptr;
}

/// Returns a copy of an object without managedFields. With many managers they are most of the object, and
/// nothing here compares or merges them.
SharedValue without_managed_fields(const json::Object& object) {
  json::Object copy;
  copy.reserve(object.size());
  for (const auto& member : object) {
    const json::Object* metadata = member.key() == "metadata" ? member.value().if_object() : nullptr;
    if (metadata == nullptr) {
      copy.emplace(member.key(), member.value());
      continue;
    }
    json::Object& rest = copy["metadata"].emplace_object();
    rest.reserve(metadata->size());
    for (const auto& one : *metadata) {
      if (one.key() != "managedFields") rest.emplace(one.key(), one.value());
    }
  }
  return std::make_shared<const json::Value>(std::move(copy));
}

std::string text_at(const json::Value& object, std::string_view key) {
  return std::string(json::find_string(object, key).value_or(""));
}

std::string metadata_text(const json::Value& object, std::string_view key) {
  const json::Value* metadata = json::find(object, "metadata");
  return metadata != nullptr ? text_at(*metadata, key) : std::string();
}

json::Object* metadata_of(json::Value& object) {
  json::Object* root = object.if_object();
  json::Value* metadata = root != nullptr ? root->if_contains("metadata") : nullptr;
  return metadata != nullptr ? metadata->if_object() : nullptr;
}

void set_managed_fields(json::Value& object, const ManagedFields& managed) {
  json::Object* root = object.if_object();
  if (root == nullptr) return;
  json::Object* metadata = metadata_of(object);
  if (metadata != nullptr) metadata->erase("managedFields");
  if (managed.owners.empty()) return;
  if (metadata == nullptr) metadata = &(*root)["metadata"].emplace_object();
  (*metadata)["managedFields"] = managed.encode();
}

/// Returns "apps/v1, Kind=Deployment", with the slash for the core group as well, as Go prints a
/// GroupVersionKind.
std::string shown_kind(const json::Value& object) {
  std::string api_version = text_at(object, "apiVersion");
  if (api_version.find('/') == std::string::npos) api_version.insert(0, "/");
  return api_version + ", Kind=" + text_at(object, "kind");
}

/// Returns whether managedFields are to be cleared: an empty list, or one entry without members.
bool is_reset(const json::Value* entries) {
  const json::Array* list = entries != nullptr ? entries->if_array() : nullptr;
  if (list == nullptr) return false;
  if (list->empty()) return true;
  const json::Object* only = list->size() == 1 ? list->front().if_object() : nullptr;
  return only != nullptr && only->empty();
}

/// Returns the fields that no manager owns: those that identify the object, and those that the server writes.
const FieldSet& stripped() {
  static const FieldSet set = [] {
    FieldSet out({path_of({"apiVersion"}), path_of({"kind"}), path_of({"metadata"})});
    for (const char* name : {"name", "namespace", "creationTimestamp", "selfLink", "uid", "clusterName",
                             "generation", "managedFields", "resourceVersion"}) {
      out.insert(path_of({"metadata", name}));
    }
    return out;
  }();
  return set;
}

void strip(Owners& owners, const std::string& manager) {
  const auto own = owners.find(manager);
  if (own == owners.end()) return;
  own->second.set = own->second.set.difference(stripped());
  if (own->second.set.empty()) owners.erase(own);
}

ManagedFields managed_or_none(Live live) {
  if (live.object == nullptr) return {};
  auto managed = ManagedFields::decode(managed_fields_of(*live.object));
  return managed ? std::move(*managed) : ManagedFields{};
}

/// The context of one request.
class Request {
 public:
  Request(const ManagedKind& kind, WallTime now)
      : kind_(kind),
        version_(kind.kind.api_version()),
        now_(format_time(now)),
        updater_(converter(), kind.ignored) {
    json::Object empty{{"apiVersion", version_}, {"kind", kind.kind.kind}};
    for (const auto& member : kind.zero) empty.insert_or_assign(member.key(), member.value());
    empty_ = std::make_shared<const json::Value>(std::move(empty));
  }

  const SharedValue& empty() const { return empty_; }

  Result<void> update(const SharedValue& live, const SharedValue& next, ManagedFields& managed,
                      std::string_view manager) const {
    const auto new_value = TypedValue::check(next, type(), Duplicates::allowed);
    if (!new_value) return fail(new_value.error().within("failed to convert new object to smd typed"));
    const auto old_value = TypedValue::check(live, type(), Duplicates::allowed);
    if (!old_value) return fail(old_value.error().within("failed to convert live object to smd typed"));
    const std::string self(current_operation);
    auto owners = updater_.update(*old_value, *new_value, version_, std::move(managed.owners), self);
    if (!owners) return fail(owners.error().within("failed to update ManagedFields"));
    managed.owners = std::move(*owners);
    strip(managed.owners, self);
    if (const auto own = managed.owners.find(self); own != managed.owners.end()) {
      const std::string key = identity(manager, false);
      VersionedSet taken = std::move(own->second);
      managed.owners.erase(own);
      if (const auto previous = managed.owners.find(key); previous != managed.owners.end()) {
        taken.set = taken.set.united(previous->second.set);
      }
      managed.owners[key] = std::move(taken);
      managed.times[key] = now_;
    }
    managed.merge_oldest_updates(update_limit);
    return {};
  }

  struct Outcome {
    /// The object; nullptr: nothing has changed.
    SharedValue object;
    ManagedFields managed;
  };
  std::expected<Outcome, ApplyFailure> apply(const SharedValue& live, const json::Value& document,
                                             ManagedFields managed, std::string_view manager,
                                             bool force) const {
    const auto config = TypedValue::check(borrow(document), type());
    if (!config)
      return std::unexpected(
          config.error().within("failed to create typed patch object (" + name(document) + ")"));
    const auto old_value = TypedValue::check(live, type(), Duplicates::allowed);
    if (!old_value) {
      return std::unexpected(
          old_value.error().within("failed to create typed live object (" + name(*live) + ")"));
    }
    const std::string key = identity(manager, true);
    auto applied = updater_.apply(*old_value, *config, version_, std::move(managed.owners), key, force);
    if (!applied) return std::unexpected(std::move(applied.error()));
    managed.owners = std::move(applied->owners);
    strip(managed.owners, key);
    if (!applied->value) return Outcome{nullptr, std::move(managed)};
    managed.times[key] = now_;
    return Outcome{applied->value->shared_value(), std::move(managed)};
  }

  /// Returns the fields that client-side apply wrote and that are still as it wrote them.
  Result<FieldSet> last_applied_fields(const json::Value& live) const {
    const auto text = internal::last_applied_of(live);
    if (!text) return fail(ErrorCode::not_found, "no last applied annotation");
    const auto old_value = TypedValue::check(borrow(live), type());
    if (!old_value) return fail(old_value.error());
    auto parsed = json::parse(*text);
    if (!parsed) return fail(parsed.error());
    if (text_at(*parsed, "apiVersion") != version_) {
      return fail(ErrorCode::invalid, "the last applied object has another version");
    }
    const auto last = TypedValue::check(std::make_shared<const json::Value>(std::move(*parsed)), type());
    if (!last) return fail(last.error());
    const auto set = last->to_field_set();
    if (!set) return fail(set.error());
    const auto compared = last->compare(*old_value);
    if (!compared) return fail(compared.error());
    return set->difference(compared->modified).difference(compared->added).difference(compared->removed);
  }

  /// Returns the name of an object for errors: "default/web; apps/v1, Kind=Deployment".
  static std::string name(const json::Value& object) {
    return metadata_text(object, "namespace") + "/" + metadata_text(object, "name") + "; " +
           shown_kind(object);
  }

 private:
  TypeRef type() const { return kind_.type_of(version_); }

  std::string identity(std::string_view manager, bool applied) const {
    const std::string name = manager.empty() ? "unknown" : std::string(manager);
    return ManagerIdentity{name, applied, applied ? "" : version_, kind_.subresource}.to_text();
  }

  Converter converter() const {
    return [this](const TypedValue& value, const std::string& version) -> Result<TypedValue> {
      if (text_at(value.value(), "apiVersion") == version) return value;
      const TypeRef type = kind_.type_of(version);
      if (!type && kind_.refuses_unknown_versions)
        return fail(ErrorCode::invalid, "request to convert CR to an invalid group/version: " + version);
      if (!type) return fail(ErrorCode::not_found, "no corresponding type for " + version);
      if (!kind_.convert) return fail(ErrorCode::not_found, "no conversion to " + version);
      auto converted = kind_.convert(value.value(), version);
      if (!converted) return fail(converted.error());
      return TypedValue::check(std::make_shared<const json::Value>(std::move(*converted)), type);
    };
  }

  const ManagedKind& kind_;
  std::string version_, now_;
  Updater updater_;
  SharedValue empty_;
};

k8s::Status conflict_status(const Conflicts& conflicts) {
  k8s::StatusDetails details;
  std::map<std::string, std::vector<const Path*>> by_manager;
  for (const Conflict& one : conflicts) {
    details.causes.push_back({std::string(k8s::cause::field_manager_conflict),
                              "conflict with " + ManagerIdentity::of_text(one.manager).to_string(),
                              to_string(one.path)});
    by_manager[one.manager].push_back(&one.path);
  }
  std::string message = "Apply failed with ";
  if (conflicts.size() == 1) {
    message += "1 conflict: " + details.causes.front().message + ": " + details.causes.front().field;
  } else {
    message += std::to_string(conflicts.size()) + " conflicts: ";
    bool first = true;
    for (const auto& [manager, paths] : by_manager) {
      if (!std::exchange(first, false)) message += '\n';
      message += "conflicts with " + ManagerIdentity::of_text(manager).to_string() + ":";
      for (const Path* path : paths) message += "\n- " + to_string(*path);
    }
  }
  return k8s::Status::of(
      {.message = message, .reason = std::string(k8s::reason::conflict), .details = details, .code = 409});
}

/// Returns a Status without reason, as kube-apiserver gives none for these failures.
k8s::Status unexpected_failure(const std::string& message) {
  return k8s::Status::of({.message = message, .code = 500});
}

/// Applies `document`. For the manager `kubectl`, conflicts about fields that its client-side apply wrote,
/// and that are still as it wrote them, do not count; if there are no others, the apply is forced.
std::expected<Request::Outcome, ApplyFailure> apply_after_client_side(const Request& request,
                                                                      const SharedValue& live,
                                                                      const json::Value& document,
                                                                      const ManagedFields& managed,
                                                                      std::string_view manager, bool force) {
  auto outcome = request.apply(live, document, managed, manager, force);
  if (outcome || manager != "kubectl") return outcome;
  const Conflicts* conflicts = std::get_if<Conflicts>(&outcome.error());
  if (conflicts == nullptr) return outcome;
  const auto allowed = request.last_applied_fields(*live);
  if (!allowed) return outcome;
  Conflicts rest;
  for (const Conflict& one : *conflicts) {
    if (!allowed->has(one.path)) rest.push_back(one);
  }
  if (!rest.empty()) return std::unexpected(std::move(rest));
  return request.apply(live, document, managed, manager, true);
}

bool equal_without(const json::Object& a, const json::Object& b, std::string_view without,
                   std::string_view may_be_absent) {
  const auto covers = [&](const json::Object& all, const json::Object& other, bool other_is_next) {
    return std::ranges::all_of(all, [&](const auto& member) {
      if (member.key() == without) return true;
      const json::Value* found = other.if_contains(member.key());
      if (found == nullptr) return other_is_next && member.key() == may_be_absent;
      return internal::equal(member.value(), *found);
    });
  };
  return covers(a, b, true) && covers(b, a, false);
}

/// Returns whether both lists are equal except for times, and whether any time differs.
std::pair<bool, bool> compare_entries(const json::Value* a, const json::Value* b) {
  const json::Array* left = a != nullptr ? a->if_array() : nullptr;
  const json::Array* right = b != nullptr ? b->if_array() : nullptr;
  if (left == nullptr || right == nullptr || left->size() != right->size()) return {false, false};
  bool same = true, times_differ = false;
  for (std::size_t i = 0; i < left->size() && same; ++i) {
    if (!(*left)[i].is_object() || !(*right)[i].is_object()) return {false, false};
    times_differ = times_differ || text_at((*left)[i], "time") != text_at((*right)[i], "time");
    same = equal_without((*left)[i].get_object(), (*right)[i].get_object(), "time", {});
  }
  return {same, times_differ};
}

}  // namespace

json::Value record_update(const ManagedKind& kind, Live live, json::Value next, std::string_view manager,
                          WallTime now) {
  const json::Value* sent = managed_fields_of(next);
  ManagedFields managed;
  if (!kind.subresource.empty()) {
    managed = managed_or_none(live);
  } else if (!is_reset(sent)) {
    auto decoded = ManagedFields::decode(sent);
    managed = decoded && !decoded->owners.empty() ? std::move(*decoded) : managed_or_none(live);
  }
  set_managed_fields(next, {});
  // An object that nobody's fields are known of is left so, until it is applied.
  const SharedValue old = live.object != nullptr ? without_managed_fields(*live.object) : nullptr;
  const bool is_new = old == nullptr || metadata_text(*old, "uid").empty();
  if (managed.owners.empty() && !is_new) return next;
  const Request request(kind, now);
  if (const auto recorded =
          request.update(old != nullptr ? old : request.empty(), borrow(next), managed, manager);
      !recorded)
    return next;
  set_managed_fields(next, managed);
  return next;
}

k8s::StatusResult<json::Value> apply(const ManagedKind& kind, Live live, const json::Value& document,
                                     std::string_view manager, bool force, WallTime now) {
  const auto bad_request = [](const std::string& message) {
    return std::unexpected(k8s::Status::failure(k8s::reason::bad_request, message));
  };
  if (text_at(document, "apiVersion") != kind.kind.api_version() ||
      text_at(document, "kind") != kind.kind.kind) {
    return bad_request("invalid object type: " + shown_kind(document));
  }
  const json::Value* entries = managed_fields_of(document);
  if (entries != nullptr && entries->is_array()) return bad_request("metadata.managedFields must be nil");
  const Request request(kind, now);
  const SharedValue old = live.object != nullptr ? without_managed_fields(*live.object) : request.empty();
  auto managed = ManagedFields::decode(live.object != nullptr ? managed_fields_of(*live.object) : nullptr);
  if (!managed) {
    return std::unexpected(unexpected_failure("failed to decode managed fields: " + managed.error().message));
  }
  if (managed->owners.empty()) {
    // Fields from before the first apply belong to a manager of their own.
    const auto recorded = request.update(request.empty(), old, *managed, before_first_apply);
    if (!recorded) {
      return std::unexpected(
          unexpected_failure("failed to create manager for existing fields: " + recorded.error().message));
    }
  }
  auto outcome = apply_after_client_side(request, old, document, *managed, manager, force);
  if (!outcome) {
    if (const Conflicts* conflicts = std::get_if<Conflicts>(&outcome.error())) {
      return std::unexpected(conflict_status(*conflicts));
    }
    return std::unexpected(unexpected_failure(std::get<Error>(outcome.error()).message));
  }
  json::Value result(outcome->object != nullptr ? *outcome->object : *old, json::Storage{});
  set_managed_fields(result, outcome->managed);
  if (manager == "kubectl" && internal::last_applied_of(result)) internal::set_last_applied(result, document);
  return result;
}

bool differ_only_in_times(const json::Object& live, const json::Object& next) {
  const json::Value* a = live.if_contains("metadata");
  const json::Value* b = next.if_contains("metadata");
  if (a == nullptr || b == nullptr || !a->is_object() || !b->is_object()) return false;
  const auto [same, times_differ] = compare_entries(managed_fields_of(live), managed_fields_of(next));
  return same && times_differ &&
         equal_without(a->get_object(), b->get_object(), "managedFields", "resourceVersion") &&
         equal_without(live, next, "metadata", {});
}

std::string manager_or_user_agent(std::string_view field_manager, std::string_view user_agent) {
  if (!field_manager.empty()) return std::string(field_manager);
  constexpr std::size_t limit = 128;
  std::string out;
  std::string_view rest = user_agent.substr(0, user_agent.find('/'));
  while (!rest.empty()) {
    const Rune rune = first_rune(rest);
    rest.remove_prefix(rune.width);
    if (!is_printable(rune.value)) continue;
    std::string character;
    append_utf8(character, rune.value);
    if (out.size() + character.size() > limit) break;
    out += character;
  }
  return out;
}

FieldFilters ignored_of_object(const std::string& api_version) {
  return {{api_version, FieldFilter::exclude(FieldSet({path_of({"status"})}))}};
}

FieldFilters ignored_of_status(const std::string& api_version) {
  return {{api_version, FieldFilter::exclude(FieldSet({path_of({"metadata"}), path_of({"spec"})}))}};
}

}  // namespace fairway::apiserver::apply
