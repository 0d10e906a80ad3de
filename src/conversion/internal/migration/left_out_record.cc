// SPDX-License-Identifier: Apache-2.0

#include "conversion/internal/migration/left_out_record.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/text.h"
#include "k8s/condition.h"
#include "k8s/names.h"
#include "k8s/set_condition.h"

namespace fairway::conversion {

namespace {

/// A definition with long schemas must still fit into a request.
constexpr std::size_t longest_record = 64 << 10;
constexpr std::string_view generation_field = "generation ", objects_field = " objects are stored in ",
                           count_field = " left out", digest_field = ", sha256 ";

/// Takes a number that ends at `end` from the front of the text.
std::optional<std::int64_t> take_number(std::string_view& text, std::string_view end) {
  std::int64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || number < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  if (!text.starts_with(end)) return std::nullopt;
  text.remove_prefix(end.size());
  return number;
}

std::vector<std::string> all_names(const LeftOut& left_out) {
  std::vector<std::string> names;
  for (const LeftOutCause& cause : left_out.causes())
    names.insert(names.end(), cause.objects.begin(), cause.objects.end());
  return names;
}

/// The beginning, "generation 3: 60 objects are stored in v1; 2 left out", and the names, "default/a,
/// default/b". Between them is a digest of both: whoever cuts the message, or changes it, makes it one that
/// is not trusted.
std::string message_of(const std::string& beginning, const std::string& names) {
  return beginning + std::string(digest_field) + sha256_hex(beginning + names) + ": " + names;
}

std::string message_of(const k8s::CustomResourceDefinition& definition, const KindProgress& progress) {
  const std::string beginning = std::string(generation_field) + std::to_string(definition.generation()) +
                                ": " + std::to_string(progress.done) + std::string(objects_field) +
                                std::string(definition.storage_version()) + "; " +
                                std::to_string(progress.left_out.count()) + std::string(count_field);
  return message_of(beginning, join(all_names(progress.left_out), ", "));
}

/// Returns whether an object of the definition may have this key.
bool may_be_a_key(const k8s::CustomResourceDefinition& definition, const k8s::Key& key) {
  if (!k8s::check_dns_subdomain(key.name).empty()) return false;
  if (definition.scope() == k8s::Scope::cluster) return key.namespace_name.empty();
  return !key.namespace_name.empty() && k8s::check_dns_label(key.namespace_name).empty();
}

}  // namespace

void read_left_out_record(const k8s::CustomResourceDefinition& definition, KindProgress& progress) {
  const auto condition = k8s::find_condition(definition, left_out_condition);
  if (!condition || !condition->is_true()) return;
  std::string_view text = condition->message();
  if (!text.starts_with(generation_field)) return;
  text.remove_prefix(generation_field.size());
  if (take_number(text, ": ") != definition.generation()) return;
  const auto done = take_number(text, objects_field);
  if (!done) return;
  const std::string version = std::string(definition.storage_version()) + "; ";
  if (!text.starts_with(version)) return;
  text.remove_prefix(version.size());
  const auto count = take_number(text, count_field);
  if (!count) return;
  const std::size_t names_at = text.find(": ");
  if (names_at == std::string_view::npos) return;
  text.remove_prefix(names_at + 2);
  const std::string_view message = condition->message();
  const std::string beginning(message.substr(0, message.find(digest_field)));
  if (message != message_of(beginning, std::string(text))) return;
  LeftOutCause cause{.cause = "left out by an earlier run"};
  for (const std::string_view part : split(text, ',')) {
    // Somebody else may have changed the message: then all objects are written again.
    const auto key = k8s::Key::parse(trim(part));
    if (!key || !may_be_a_key(definition, *key)) return;
    cause.objects.push_back(key->to_string());
  }
  if (static_cast<std::int64_t>(cause.objects.size()) != *count) return;
  cause.count = static_cast<std::int64_t>(cause.objects.size());
  LeftOut left_out;
  left_out.add(std::move(cause));
  if (!left_out.names_all()) return;
  progress.left_out = std::move(left_out);
  progress.done = *done;
  progress.total = *done + progress.left_out.count();
  progress.passed = true;
}

bool write_left_out_record(k8s::CustomResourceDefinition& definition, const KindProgress& progress,
                           WallTime now) {
  const auto known = k8s::find_condition(definition, left_out_condition);
  const std::string message = message_of(definition, progress);
  const bool keeps = !progress.left_out.empty() && progress.passed && progress.names_what_is_left() &&
                     message.size() <= longest_record;
  if (!keeps && !known) return false;
  if (keeps && known && known->is_true() && known->message() == message) return false;
  json::Array& conditions = definition.array("status.conditions");
  if (keeps) {
    k8s::set_condition(conditions, left_out_condition, k8s::ConditionStatus::is_true, "ObjectsLeftOut",
                       message, now);
    return true;
  }
  const auto is_record = [](const json::Value& one) {
    return one.is_object() && json::find_string(one, "type") == std::string_view(left_out_condition);
  };
  conditions.erase(std::remove_if(conditions.begin(), conditions.end(), is_record), conditions.end());
  return true;
}

}  // namespace fairway::conversion
