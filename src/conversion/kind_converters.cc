// SPDX-License-Identifier: Apache-2.0

#include "conversion/kind_converters.h"

#include <algorithm>
#include <deque>
#include <exception>
#include <new>
#include <optional>

#include "base/text.h"
#include "conversion/internal/conversion_trace.h"
#include "conversion/internal/error_field.h"
#include "conversion/internal/lost_fields.h"
#include "conversion/internal/object_metadata.h"
#include "conversion/internal/quarantine_state.h"
#include "k8s/equality.h"
#include "k8s/group_version.h"
#include "k8s/names.h"
#include "k8s/quarantine.h"
#include "k8s/version_priority.h"
#include "schema/defaults.h"
#include "schema/prune.h"

namespace fairway::conversion {

namespace {

std::vector<Step> each_to_each(const std::shared_ptr<const Convertible>& converter,
                               const std::vector<std::string>& versions) {
  std::vector<Step> steps;
  for (const std::string& version : versions) {
    steps.emplace_back(
        [converter, version](k8s::Dynamic object) { return converter->convert(std::move(object), version); });
  }
  return steps;
}

bool has_status_subresource(const k8s::CustomResourceDefinition& definition) {
  return std::ranges::any_of(definition.versions(),
                             [](const k8s::CustomResourceVersion& version) { return version.has_status(); });
}

}  // namespace

KindConverters::KindConverters(std::string group, std::string kind)
    : group_(std::move(group)),
      kind_(std::move(kind)),
      annotation_(conversion::lost_fields_annotation(group_)),
      quarantine_state_(std::make_unique<QuarantineState>()) {}

KindConverters::~KindConverters() = default;

KindConverters& KindConverters::storage(std::string version) {
  version_index(version);
  storage_ = std::move(version);
  return *this;
}

KindConverters& KindConverters::versions(const std::vector<std::string>& names) {
  for (const std::string& name : names) version_index(name);
  return *this;
}

KindConverters& KindConverters::step(std::string_view older, std::string_view newer, Step upgrade,
                                     Step downgrade) {
  add_hop(older, newer, upgrade, downgrade);
  add_hop(newer, older, std::move(downgrade), std::move(upgrade));
  return *this;
}

KindConverters& KindConverters::simple(std::string_view version,
                                       const std::shared_ptr<const SimpleConverter>& converter) {
  return simple(
      version, [converter](k8s::Dynamic older) { return converter->upgrade_from(std::move(older)); },
      [converter](k8s::Dynamic object) { return converter->downgrade(std::move(object)); });
}

KindConverters& KindConverters::simple(std::string_view version, Step upgrade_from, Step downgrade) {
  version_index(version);
  simple_.push_back({std::string(version), std::move(upgrade_from), std::move(downgrade)});
  return *this;
}

KindConverters& KindConverters::convertible(const std::vector<std::string>& between,
                                            const std::shared_ptr<const Convertible>& converter) {
  const std::vector<Step> steps = each_to_each(converter, between);
  for (std::size_t from = 0; from < between.size(); ++from) {
    for (std::size_t to = 0; to < between.size(); ++to) {
      if (from != to) add_hop(between[from], between[to], steps[to], steps[from]);
    }
  }
  return *this;
}

KindConverters& KindConverters::keep_lost_fields() {
  keeps_lost_fields_ = true;
  return *this;
}

KindConverters& KindConverters::keep_lost_status() {
  keep_lost_fields();
  guards_lost_status_ = true;
  lost_status_ = LostStatus::restored;
  return *this;
}

KindConverters& KindConverters::defaults(std::string_view version, Defaulter fill) {
  version_index(version);
  hooks_[std::string(version)].defaulter = std::move(fill);
  return *this;
}

KindConverters& KindConverters::validates(std::string_view version, Validator check) {
  version_index(version);
  hooks_[std::string(version)].validator = std::move(check);
  return *this;
}

std::vector<std::string> KindConverters::versions_with_defaults() const {
  std::vector<std::string> versions;
  for (const auto& [version, hooks] : hooks_) {
    if (hooks.defaulter) versions.push_back(version);
  }
  return versions;
}

std::vector<std::string> KindConverters::versions_with_validators() const {
  std::vector<std::string> versions;
  for (const auto& [version, hooks] : hooks_) {
    if (hooks.validator) versions.push_back(version);
  }
  return versions;
}

std::size_t KindConverters::version_index(std::string_view name) {
  prepared_ = false;
  if (const auto found = find_version(name)) return *found;
  versions_.emplace_back(name);
  return versions_.size() - 1;
}

std::optional<std::size_t> KindConverters::find_version(std::string_view name) const {
  const auto found = std::ranges::find(versions_, name);
  if (found == versions_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - versions_.begin());
}

void KindConverters::add_hop(std::string_view from, std::string_view to, Step forth, Step back) {
  version_index(from);
  version_index(to);
  hops_.push_back({std::string(from), std::string(to), std::move(forth), std::move(back)});
}

Result<void> KindConverters::place_simple_converters() {
  for (const Simple& one : simple_) {
    const std::size_t at = *find_version(one.version);
    if (at == 0) {
      return fail(ErrorCode::invalid, name() + ": " + one.version +
                                          " has a simple converter, but no version is below it by priority; "
                                          "name the older one with versions(), or declare a step");
    }
    hops_.push_back({versions_[at - 1], one.version, one.upgrade_from, one.downgrade});
    hops_.push_back({one.version, versions_[at - 1], one.downgrade, one.upgrade_from});
  }
  simple_.clear();
  return {};
}

void KindConverters::find_paths() {
  paths_.assign(versions_.size(), std::vector<Path>(versions_.size()));
  for (std::size_t from = 0; from < versions_.size(); ++from) {
    std::vector<bool> seen(versions_.size());
    seen[from] = true;
    for (std::deque<std::size_t> next = {from}; !next.empty(); next.pop_front()) {
      for (const Hop& hop : hops_) {
        const std::size_t to = *find_version(hop.to);
        if (hop.from != versions_[next.front()] || seen[to]) continue;
        seen[to] = true;
        paths_[from][to] = paths_[from][next.front()];
        paths_[from][to].push_back(&hop);
        next.push_back(to);
      }
    }
  }
}

void KindConverters::mirror_paths() {
  // The path back is the reversed path: fields that a step drops are kept for that step, and another path
  // would not restore them.
  for (std::size_t from = 0; from < versions_.size(); ++from) {
    for (std::size_t to = from + 1; to < versions_.size(); ++to) {
      Path back;
      for (const Hop* hop : paths_[from][to]) {
        const auto is_twin = [&](const Hop& each) { return each.from == hop->to && each.to == hop->from; };
        if (const auto twin = std::ranges::find_if(hops_, is_twin); twin != hops_.end()) {
          back.insert(back.begin(), &*twin);
        }
      }
      if (back.size() == paths_[from][to].size()) paths_[to][from] = std::move(back);
    }
  }
}

Result<void> KindConverters::prepare(const k8s::CustomResourceDefinition* definition) {
  if (definition != nullptr) {
    for (const k8s::CustomResourceVersion& version : definition->versions()) {
      version_index(version.name());
      if (version.schema().json().empty()) continue;
      schemas_[std::string(version.name())] = version.schema().json();
    }
    schema_validators_.clear();
    for (const auto& [version, known] : schemas_) {
      if (keeps_lost_fields_) schema_validators_.emplace(version, schema::Validator(known));
    }
    for (const std::string_view version : definition->stored_versions()) version_index(version);
    // Without the subresource, the right to write an object includes its status.
    if (!has_status_subresource(*definition)) lost_status_ = LostStatus::restored;
  }
  has_defaults_.clear();
  for (const std::string& version : versions_) {
    const auto hooks = hooks_.find(version);
    const json::Object* known = schema(version);
    if ((hooks != hooks_.end() && hooks->second.defaulter) ||
        (known != nullptr && json::to_text(*known).find("\"default\":") != std::string::npos)) {
      has_defaults_.insert(version);
    }
  }
  std::ranges::stable_sort(
      versions_, [](const std::string& a, const std::string& b) { return k8s::compare_priority(a, b) < 0; });
  if (auto placed = place_simple_converters(); !placed) return placed;
  find_paths();
  mirror_paths();

  if (auto checked = check_pairs(versions_); !checked)
    return fail(ErrorCode::invalid, checked.error().message + "; declare the steps that are missing");
  if (const k8s::Faults faults = k8s::check_annotation_key(annotation_);
      keeps_lost_fields_ && !faults.empty()) {
    return fail(ErrorCode::invalid, name() + ": lost fields cannot be kept: the annotation " + annotation_ +
                                        " is none: " + join(faults, "; "));
  }
  if (auto prepared = prepare_quarantine(definition); !prepared) return prepared;
  prepared_ = true;
  return {};
}

Result<void> KindConverters::check_pairs(const std::vector<std::string>& versions) const {
  std::vector<std::string> missing;
  for (const std::string& from : versions) {
    for (const std::string& to : versions) {
      if (from != to && path(from, to).empty()) missing.push_back(from + " to " + to);
    }
  }
  if (missing.empty()) return {};
  return fail(ErrorCode::invalid, name() + ": there is no path from " + join(missing, ", from "));
}

Result<void> KindConverters::check_paths(const k8s::CustomResourceDefinition& definition) const {
  std::vector<std::string> versions;
  for (const auto& version : definition.versions()) versions.emplace_back(version.name());
  for (const std::string_view stored : definition.stored_versions()) {
    if (std::ranges::find(versions, stored) == versions.end()) versions.emplace_back(stored);
  }
  return check_pairs(versions);
}

std::vector<std::string> KindConverters::path(std::string_view from, std::string_view to) const {
  const auto begin = find_version(from), end = find_version(to);
  std::vector<std::string> names;
  if (!begin || !end || *begin >= paths_.size() || *end >= paths_.size()) return names;
  const Path& path = paths_[*begin][*end];
  if (path.empty() && begin != end) return names;
  names.emplace_back(from);
  for (const Hop* hop : path) names.push_back(hop->to);
  return names;
}

const json::Object* KindConverters::schema(std::string_view version) const {
  const auto found = schemas_.find(version);
  return found != schemas_.end() ? &found->second : nullptr;
}

Result<void> KindConverters::take_hop(const Hop& hop, ConversionState& state, Trace* trace) const {
  if (trace != nullptr) trace->see(hop.from, state.object);
  const auto run = [&](const Step& step, k8s::Dynamic object, std::string_view to) {
    auto result = step(std::move(object));
    if (result) set_headers(*result, group_, to, kind_);
    return result;
  };
  if (!keeps_lost_fields_) {
    auto result = run(hop.forth, std::move(state.object), hop.to);
    if (!result) return fail(std::move(result.error()));
    state.object = *std::move(result);
    return {};
  }
  const json::Object *own_schema = schema(hop.from), *its_schema = schema(hop.to);
  json::Object own(state.object.json(), state.object.json().storage());
  if (own_schema != nullptr) schema::prune(own, *own_schema);
  auto result = run(hop.forth, std::move(state.object), hop.to);
  if (!result) return fail(std::move(result.error()));
  const auto validator = schema_validators_.find(hop.to);
  restore_lost_fields(result->json(), state.lost.take(hop.to),
                      validator != schema_validators_.end() ? &validator->second : nullptr, lost_status_);

  // Converts the fields that the server will keep back, to see which ones are lost.
  k8s::Dynamic kept(json::Object(result->json(), own.storage()));
  if (its_schema != nullptr) schema::prune(kept.json(), *its_schema);
  std::optional<k8s::Dynamic> filled;
  if (has_defaults_.contains(hop.to)) {
    filled.emplace(json::Object(kept.json(), own.storage()));
    fill_defaults(*filled);
    if (its_schema != nullptr) {
      if (auto done = schema::fill_in_defaults(filled->json(), *its_schema); !done) return fail(done.error());
    }
    if (filled->json() == kept.json()) filled.reset();
  }
  if (trace != nullptr) trace->see(hop.to, kept);
  auto back = run(hop.back, std::move(kept), hop.from);
  if (!back) {
    return fail(
        back.error().within("converting back to " + hop.from + ", to see what " + hop.to + " cannot hold"));
  }
  if (own_schema != nullptr) schema::prune(back->json(), *own_schema);
  json::Object lost = find_lost_fields(own, back->json(), own_schema);
  if (filled) {
    // Converts back once more with the version's defaults, which would take precedence over the kept fields.
    if (auto again = run(hop.back, *std::move(filled), hop.from)) {
      if (own_schema != nullptr) schema::prune(again->json(), *own_schema);
      add_lost_to_defaults(lost, find_lost_fields(own, again->json(), own_schema));
    }
  }
  state.lost.put(hop.from, std::move(lost));
  state.object = *std::move(result);
  return {};
}

Result<k8s::Dynamic> KindConverters::convert(k8s::Dynamic object, std::string_view version) const {
  return convert(std::move(object), version, nullptr);
}

/// Notes in `trace`, if that is not nullptr, the step that failed and, if it is to, each object that a step
/// got.
Result<k8s::Dynamic> KindConverters::convert(k8s::Dynamic object, std::string_view version,
                                             Trace* trace) const {
  const k8s::Key key = object.key();
  const auto own_version = k8s::GroupVersion::parse(object.api_version());
  const Hop* step = nullptr;
  const auto failed = [&](const Error& error) {
    if (trace != nullptr) {
      trace->cause = error;
      trace->step = step != nullptr
                        ? step->from + " to " + step->to
                        : (own_version ? own_version->version : "") + " to " + std::string(version);
    }
    std::string text = kind_ + " " + printable(key.to_string()) + ": converting";
    if (own_version) text += " from " + printable(own_version->version, 80);
    text += " to " + printable(version, 80);
    // With one step, that is the step.
    if (step != nullptr && (step->from != own_version->version || step->to != version))
      text += ", in the step from " + step->from + " to " + step->to;
    return fail(error.within(text));
  };
  if (!prepared_)
    return failed({ErrorCode::internal, "the converters are not prepared: a fault of the program"});
  if (!own_version || own_version->group != group_) {
    return failed({ErrorCode::invalid, "apiVersion '" + printable(object.api_version(), 80) +
                                           "' is none of the group " + group_});
  }
  const auto from = find_version(own_version->version), to = find_version(version);
  if (!from || !to) {
    return failed({ErrorCode::invalid, "there is no version " +
                                           printable(from ? version : own_version->version, 80) +
                                           "; there are " + join(versions_, ", ")});
  }
  if (from == to) return object;

  auto metadata = ObjectMetadata::take(object);
  if (!metadata) return failed(metadata.error());
  ConversionState state;
  bool had_annotation = false;
  if (keeps_lost_fields_) {
    // An annotation that cannot be parsed is kept as it is: a typo must not make the object unreadable.
    if (auto lost = LostFields::parse(object.annotation(annotation_))) {
      state.lost = *std::move(lost);
      object.remove_annotation(annotation_);
      had_annotation = true;
    }
  }
  try {
    state.object = std::move(object);
    for (const Hop* hop : paths_[*from][*to]) {
      // A version in the middle of the path is pruned here, as the server prunes the last one.
      const json::Object* own_schema = keeps_lost_fields_ ? schema(hop->from) : nullptr;
      if (own_schema != nullptr && hop->from != versions_[*from])
        schema::prune(state.object.json(), *own_schema);
      step = hop;
      if (auto taken = take_hop(*hop, state, trace); !taken) return failed(taken.error());
    }
    step = nullptr;
    fill_defaults(state.object);
  } catch (const std::bad_alloc&) {
    return failed({ErrorCode::internal, "there is no memory left for the conversion"});
  } catch (const std::exception& fault) {
    // A step that takes a member for what it is not throws: the object is the cause.
    if (step != nullptr)
      return failed({ErrorCode::invalid, std::string("the step ended with an exception: ") + fault.what()});
    return failed({ErrorCode::internal, std::string("a fault of the converter: ") + fault.what()});
  }
  if (had_annotation || !state.lost.empty()) {
    metadata->keep_if_dropped(state.object);
    if (state.lost.empty()) {
      state.object.remove_annotation(annotation_);
    } else {
      state.object.set_annotation(annotation_, state.lost.to_text());
    }
  }
  if (auto restored = metadata->put_back(state.object); !restored) return failed(restored.error());
  return std::move(state.object);
}

Error KindConverters::with_values(const k8s::Dynamic& object, std::string_view version, Error error) const {
  const std::string_view field = field_in_error(error.message);
  if (field.empty() || field.starts_with("metadata")) return error;
  Trace trace{.keeps_objects = true};
  // Steps are pure functions: it fails in the same place.
  if (convert(object, version, &trace)) return error;
  return with_values(trace.seen, std::move(error));
}

Error KindConverters::with_values(const std::vector<Seen>& seen, Error error) {
  const std::string field(field_in_error(error.message));
  // Steps have no metadata of their own.
  if (field.empty() || field.starts_with("metadata") || seen.empty()) return error;
  std::string text, last;
  for (const Seen& one : seen) {
    const auto value = describe_value(one.object.json(), field);
    if (!value) return error;
    if (!text.empty()) text += " and ";
    if (*value != last) text += *value + " ";
    text += "in " + one.version;
    last = *value;
  }
  error.message += " (" + field + " is " + text + ")";
  return error;
}

void KindConverters::fill_defaults(k8s::Dynamic& object) const {
  const std::string_view api_version = object.api_version();
  const auto found = hooks_.find(api_version.substr(api_version.find('/') + 1));
  if (found != hooks_.end() && found->second.defaulter) found->second.defaulter(object);
}

std::map<std::string, KindConverters::VersionHooks, std::less<>>::const_iterator
KindConverters::checked_version() const {
  if (const auto stored = hooks_.find(storage_); stored != hooks_.end() && stored->second.validator)
    return stored;
  auto best = hooks_.end();
  for (auto one = hooks_.begin(); one != hooks_.end(); ++one) {
    if (!one->second.validator) continue;
    if (best == hooks_.end() || k8s::compare_priority(best->first, one->first) < 0) best = one;
  }
  return best;
}

Result<void> KindConverters::check_lost_status(const k8s::Dynamic& object, const k8s::Dynamic* old) const {
  if (!guards_lost_status_) return {};
  const auto carried = [&](const k8s::Dynamic& one) {
    const auto lost = LostFields::parse(one.annotation(annotation_));
    return lost ? lost->of_status() : json::Object{};
  };
  if (k8s::equal(json::Value(carried(object)),
                 json::Value(old != nullptr ? carried(*old) : json::Object{}))) {
    return {};
  }
  return invalid_field("metadata.annotations[\"" + annotation_ + "\"]",
                       "it carries fields of status, which a write of the object may neither add, change nor "
                       "remove; leave the annotation as it was read, and out of new objects");
}

Result<void> KindConverters::validate(const k8s::Dynamic& object, const k8s::Dynamic* old) const {
  if (auto honest = check_lost_status(object, old); !honest) return honest;
  const auto is_end = check_quarantine(object, old);
  if (!is_end) return fail(is_end.error());
  if (*is_end) return {};
  if (old != nullptr && k8s::is_quarantined(*old)) {
    const auto original = quarantined_original(*old);
    if (!original) return fail(original.error());
    if (*original) return validate_replacement(object, **original);
  }
  return validate_by_version(object, old);
}

/// Validates an object by the validator of its version or, without one, of another.
Result<void> KindConverters::validate_by_version(const k8s::Dynamic& object, const k8s::Dynamic* old) const {
  const std::string_view api_version = object.api_version();
  const auto found = hooks_.find(api_version.substr(api_version.find('/') + 1));
  if (found != hooks_.end() && found->second.validator) return found->second.validator(object, old);
  const auto checked = checked_version();
  if (checked == hooks_.end()) return {};
  const auto converted = convert(object, checked->first);
  if (!converted) return fail(converted.error());
  if (old == nullptr) return checked->second.validator(*converted, nullptr);
  const auto before = convert(*old, checked->first);
  if (!before) {
    if (!quarantines_) return fail(before.error());
    return fail(before.error().within("the validator of " + checked->first +
                                      " cannot compare the object with what it was; delete it and make it "
                                      "anew"));
  }
  return checked->second.validator(*converted, &*before);
}

}  // namespace fairway::conversion
