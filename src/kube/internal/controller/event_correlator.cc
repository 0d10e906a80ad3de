// SPDX-License-Identifier: Apache-2.0

#include "kube/internal/controller/event_correlator.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>

#include "k8s/names.h"

namespace fairway::kube {

namespace {

/// Joins the parts of a key with NUL, which is in none of them.
std::string joined(std::initializer_list<std::string_view> parts) {
  std::string key;
  for (const std::string_view part : parts) key.append(part).push_back('\0');
  return key;
}

std::string object_of(const k8s::Event& event) {
  const k8s::View object = event.involved_object();
  return joined({event.component(), event.text("reportingInstance"), object.text("kind"),
                 object.text("namespace"), object.text("name"), object.text("uid"),
                 object.text("apiVersion")});
}

/// Returns "NAME.17a3f...", of the object's name and a number: unique, and valid if the object's name is.
std::string name_of(const k8s::Event& event, std::uint64_t number) {
  std::array<char, 16> digits{};
  const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16);
  const std::string suffix = "." + std::string(digits.data(), written.ptr);
  std::string name(event.involved_object().text("name"));
  constexpr std::size_t longest = 253;
  if (name.size() + suffix.size() > longest) name.resize(longest - suffix.size());
  while (!name.empty() && (name.back() == '.' || name.back() == '-')) name.pop_back();
  // Kinds of the server's own may have names that no event can have ("system:node").
  if (!k8s::check_dns_subdomain(name).empty()) name = "event";
  return name + suffix;
}

}  // namespace

EventCorrelator::EventCorrelator(const EventLimits& limits, Clock& clock)
    : limits_(limits),
      clock_(clock),
      buckets_(limits.remembered),
      similar_(limits.remembered),
      counted_(limits.remembered) {}

std::optional<EventCorrelator::Sending> EventCorrelator::correlate(k8s::Event event) {
  const SteadyTime steady = clock_.steady();
  const WallTime now = clock_.now();
  const std::string object = object_of(event);

  const std::string kind_key = object + joined({event.type(), event.reason()});
  Similar& similar = similar_.at(kind_key);
  if (steady - similar.last > limits_.similar_within) similar.messages.clear();
  similar.last = steady;
  std::string key = kind_key + std::string(event.message());
  if (similar.messages.size() + 1 >= limits_.similar && !similar.messages.contains(key)) {
    // Of many messages only so many are kept; further ones are counted in one event.
    event.set_message("(combined from similar events): " + std::string(event.message()));
    key = kind_key;
  } else {
    similar.messages.insert(key);
  }

  TokenBucket& bucket =
      buckets_.at(object, 1 / std::chrono::duration<double>(limits_.refill).count(), limits_.burst, steady);
  Counted& counted = counted_.at(key);
  if (counted.count == 0) counted.first = now;
  ++counted.count;
  if (!bucket.admit(steady)) return std::nullopt;
  if (counted.name.empty()) {
    // The time, but no time twice.
    const auto time = std::chrono::duration_cast<std::chrono::nanoseconds>(now.time_since_epoch());
    last_name_ = std::max(last_name_ + 1, static_cast<std::uint64_t>(time.count()));
    counted.name = name_of(event, last_name_);
  }
  event.set_name(counted.name);
  event.set_times(counted.count, counted.first, now);
  return Sending{std::move(event), counted.written, std::move(key)};
}

void EventCorrelator::written(const std::string& key) {
  if (Counted* counted = counted_.find(key)) counted->written = true;
}

}  // namespace fairway::kube
