// SPDX-License-Identifier: Apache-2.0

#include "conversion/check/conversion_check.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <map>
#include <utility>

#include "base/text.h"
#include "conversion/check/round_trip.h"
#include "conversion/internal/cause_text.h"
#include "conversion/internal/error_field.h"
#include "conversion/internal/quarantined_object.h"
#include "k8s/quarantine.h"

namespace fairway::conversion {

namespace {

/// Objects that are asked for elsewhere, before a converter is taken to be broken.
constexpr std::size_t most_probes = 4;

constexpr std::size_t longest_cause = Findings::longest_text;

/// Returns the converter's own words: those behind kube-apiserver's "conversion webhook for ... failed: ",
/// and behind the place in the review, which is always the first.
std::string_view own_words(std::string_view message) {
  for (const std::string_view before : {" failed: ", "request.objects[0]: "}) {
    const std::size_t at = message.find(before);
    if (at != std::string_view::npos) message.remove_prefix(at + before.size());
  }
  return message;
}

/// Replaces the value of a field, which is the object's own: where a cause has it right behind the field
/// ("spec.size: 10 is too large"), or a text in quotes anywhere behind it. Elsewhere a number may be a limit.
void leave_out_value(std::string& cause, std::string_view field, std::string_view value) {
  const std::string begin = std::string(field) + ": ";
  const std::size_t found = field.empty() || value.empty() ? std::string::npos : cause.find(begin);
  if (found == std::string::npos) return;
  const std::size_t behind = found + begin.size();
  const bool is_text = value.size() > 2 && value.front() == '"';
  const std::size_t at = is_text ? cause.find(value, behind) : behind;
  if (at == std::string::npos || !std::string_view(cause).substr(at).starts_with(value)) return;
  const char next = at + value.size() < cause.size() ? cause[at + value.size()] : ' ';
  const bool goes_on = std::isalnum(static_cast<unsigned char>(next)) != 0 || next == '_' || next == '.';
  if (is_text || !goes_on) cause.replace(at, value.size(), "the value");
}

std::unexpected<Error> stopped() {
  return fail(ErrorCode::cancelled, "the check was stopped");
}

}  // namespace

/// An object on one way: there, or back.
struct ConversionCheck::Leg {
  Trip* trip = nullptr;
  const k8s::Dynamic* from = nullptr;
  std::size_t bytes = 0;
  std::optional<k8s::Dynamic> result = {};

  void fail(const std::string& doing, std::string_view why) {
    std::string cause = cause_of(trip->key, why, longest_cause);
    if (!cause.contains(doing)) cause.insert(0, doing + ": ");
    std::string field(field_in_error(why));
    std::string value = describe_value(from->json(), field).value_or("");
    // Fairway's converters say which value the field has in each version: that is the object's own.
    if (const std::size_t at = cause.rfind(" (" + field + " is "); !field.empty() && cause.ends_with(')')) {
      cause.erase(std::min(at, cause.size()));
    }
    leave_out_value(cause, field, value);
    trip->findings.push_back({FindingKind::fails, std::move(cause), std::move(field), std::move(value)});
  }
};

ConversionCheck::ConversionCheck(CheckRequest request, VersionSchemas schemas, AskConverter ask,
                                 std::stop_token stop)
    : request_(std::move(request)),
      schemas_(std::move(schemas)),
      ask_(std::move(ask)),
      stop_(std::move(stop)),
      findings_(request_.most_examples) {}

Result<void> ConversionCheck::add(std::vector<k8s::Dynamic> objects) {
  std::map<std::string, std::vector<Trip>> by_version;
  for (k8s::Dynamic& object : objects) {
    const k8s::GroupVersionKind of = object.group_version_kind();
    if (of.group != request_.group || of.kind != request_.kind) {
      ++other_kinds_;
      continue;
    }
    k8s::Key key = object.key();
    if (k8s::is_quarantined(object) && has_content(object)) {
      ++marked_with_content_;
    } else if (k8s::is_quarantined(object)) {
      auto original = original_of(object);
      if (!original) {
        findings_.add(key, {{FindingKind::fails, original.error().message, {}, {}}});
        continue;
      }
      object = *std::move(original);
    }
    const std::string version = object.group_version_kind().version;
    by_version[version].push_back({.key = std::move(key), .stored = std::move(object)});
  }
  for (auto& [version, trips] : by_version) {
    if (auto checked = check_version(std::move(trips), version); !checked) return checked;
  }
  return {};
}

void ConversionCheck::add_unreadable(const k8s::Key& key, const std::string& version,
                                     std::string_view error) {
  findings_.add(key, {{FindingKind::fails,
                       "reading it in " + version + ": " + cause_of(key, error, longest_cause),
                       {},
                       {}}});
}

/// Returns whether an object has content besides the defaults of its version.
bool ConversionCheck::has_content(const k8s::Dynamic& object) const {
  k8s::Dynamic empty;
  for (const char* member : {"apiVersion", "kind", "metadata"}) {
    if (const json::Value* value = object.find(member)) empty.json()[member] = *value;
  }
  // Too many defaults are content that it does not have.
  [[maybe_unused]] const auto settled = schemas_.settle(empty, object.group_version_kind().version);
  for (const char* member : {"apiVersion", "kind", "metadata"}) empty.erase(member);
  return !has_no_content(object, empty.json());
}

/// Returns the original of an object that was quarantined when it was read: that is what the converter gets.
Result<k8s::Dynamic> ConversionCheck::original_of(const k8s::Dynamic& object) {
  auto original = restore_original(object);
  if (original) return original;
  return fail(ErrorCode::invalid,
              "it has the marks of a quarantined object, which cannot be read: " + original.error().message +
                  "; remove the annotations " + std::string(k8s::quarantined_annotation) + " and " +
                  std::string(k8s::original_annotation));
}

Result<void> ConversionCheck::check_version(std::vector<Trip> trips, const std::string& version) {
  const auto legs_of = [&](auto from) {
    std::vector<Leg> legs;
    for (Trip& trip : trips) {
      if (const k8s::Dynamic* object = from(trip)) {
        legs.push_back({.trip = &trip, .from = object, .bytes = object->to_text().size()});
      }
    }
    return legs;
  };
  // What is found before an error is kept.
  const auto end = [&](Result<void> done) {
    for (const Trip& trip : trips) {
      if (done || !trip.findings.empty()) findings_.add(trip.key, trip.findings);
    }
    return done;
  };
  if (!schemas_.knows(version)) {
    for (Trip& trip : trips) {
      trip.findings.push_back({FindingKind::fails,
                               "the definition has no version " + version +
                                   ", in which the object is stored: API servers could not read it",
                               {},
                               {}});
    }
    return end({});
  }
  if (version == request_.to) {
    not_converted_ += static_cast<std::int64_t>(trips.size());
    for (Trip& trip : trips) trip.converted = trip.stored;
  } else {
    // The server does its part when it reads an object, before it asks for its conversion. Too many defaults
    // are a fault of the stored object, which no conversion has made.
    for (Trip& trip : trips) {
      [[maybe_unused]] const auto settled = schemas_.settle(trip.stored, version);
    }
    auto legs = legs_of([](const Trip& trip) { return &trip.stored; });
    if (auto done = convert(legs, version, request_.to); !done) return end(done);
    for (Leg& leg : legs) leg.trip->converted = std::move(leg.result);
  }
  for (Trip& trip : trips) {
    if (stop_.stop_requested()) return end(stopped());
    if (!trip.converted) continue;
    if (auto settled = schemas_.settle(*trip.converted, request_.to); !settled) {
      trip.findings.push_back({FindingKind::refused, settled.error().message, {}, {}});
    }
    std::ranges::move(schemas_.validate(*trip.converted, request_.to), std::back_inserter(trip.findings));
  }
  if (version != request_.to) {
    auto legs = legs_of([](const Trip& trip) { return trip.converted ? &*trip.converted : nullptr; });
    if (auto done = convert(legs, request_.to, version); !done) return end(done);
    for (Leg& leg : legs) {
      if (stop_.stop_requested()) return end(stopped());
      if (!leg.result) continue;
      ++returned_;
      // It is as much a part of the server with what comes back.
      [[maybe_unused]] const auto settled = schemas_.settle(*leg.result, version);
      std::ranges::move(compare_round_trip(leg.trip->stored, *leg.result, schemas_.find(version)),
                        std::back_inserter(leg.trip->findings));
    }
  }
  return end({});
}

/// Converts objects in reviews within the limits.
Result<void> ConversionCheck::convert(std::vector<Leg>& legs, const std::string& from,
                                      const std::string& to) {
  for (std::size_t begin = 0; begin < legs.size();) {
    std::size_t end = begin, bytes = 0;
    while (end < legs.size() && end - begin < request_.most_objects &&
           (end == begin || bytes + legs[end].bytes <= request_.most_bytes)) {
      bytes += legs[end++].bytes;
    }
    if (auto done = convert_some(legs, begin, end, from, to); !done) return done;
    begin = end;
  }
  return {};
}

Result<void> ConversionCheck::convert_some(std::vector<Leg>& legs, std::size_t begin, std::size_t end,
                                           const std::string& from, const std::string& to) {
  k8s::ConversionQuestion question = question_of(from, to);
  for (std::size_t i = begin; i < end; ++i) question.objects.push_back(&legs[i].from->json());
  const bool is_one = end - begin == 1;
  const auto halved = [&]() -> Result<void> {
    const std::size_t middle = begin + (end - begin) / 2;
    if (auto done = convert_some(legs, begin, middle, from, to); !done) return done;
    return convert_some(legs, middle, end, from, to);
  };
  const std::string doing = "converting from " + from + " to " + to;
  const auto ends = [&](ErrorCode code, std::string_view why) {
    return fail(code, doing + ", " +
                          (is_one ? "the object " + legs[begin].trip->key.to_string()
                                  : std::to_string(end - begin) + " objects from " +
                                        legs[begin].trip->key.to_string() + " to " +
                                        legs[end - 1].trip->key.to_string()) +
                          ": " + printable(why, 2'000));
  };
  if (stop_.stop_requested()) return stopped();
  const auto answer = ask_(question);
  if (!answer) {
    const NoAnswer& none = answer.error();
    const ErrorCode code = none.error.code;
    const bool is_about_objects =
        none.was_reached && code != ErrorCode::cancelled && code != ErrorCode::too_large;
    if (!is_about_objects) return ends(code, none.error.message);
    if (!is_one) return halved();
    legs[begin].fail(doing, none.error.message);
    if (++failures_in_a_row_ < most_failures) return {};
    const auto converts = converts_elsewhere(legs, end, from, to);
    if (!converts) return ends(converts.error().code, converts.error().message);
    if (!*converts) {
      return ends(code, "the converter has failed " + std::to_string(failures_in_a_row_) +
                            " reviews of one object in a row, and objects far from these as well: it is the "
                            "likely cause, and not the objects: " +
                            none.error.message);
    }
    return {};
  }
  auto converted = k8s::read_conversion_response(*answer, question);
  if (!converted) {
    const k8s::ConversionFault& fault = converted.error();
    if (!fault.is_refusal && !fault.is_about_object) {
      return ends(ErrorCode::invalid, "the converter's answer is no answer to the review: " + fault.message);
    }
    failures_in_a_row_ = 0;
    if (!is_one) return halved();
    legs[begin].fail(doing, fault.is_refusal ? own_words(fault.message) : fault.message);
    return {};
  }
  failures_in_a_row_ = 0;
  converted_of_.try_emplace(from, legs[begin].from->json());
  for (std::size_t i = begin; i < end; ++i) {
    k8s::Dynamic result(std::move((*converted)[i - begin]));
    // A webhook that quarantines answers for an object that it cannot convert. It never does for one that has
    // marks already, which are annotations like any other then.
    if (k8s::is_quarantined(result) && !k8s::is_quarantined(*legs[i].from)) {
      const auto reason = read_reason(result);
      legs[i].fail(doing, reason ? reason->why : reason.error().message);
    } else {
      legs[i].result = std::move(result);
    }
  }
  return {};
}

/// Asks for an object that was converted before, or if there is none, for some of those behind `end`. Returns
/// whether there is an answer; true too where there is no object to ask for. The error is one after which the
/// check cannot go on.
Result<bool> ConversionCheck::converts_elsewhere(const std::vector<Leg>& legs, std::size_t end,
                                                 const std::string& from, const std::string& to) {
  std::vector<const json::Object*> probes;
  if (const auto known = converted_of_.find(from); known != converted_of_.end()) {
    probes.push_back(&known->second);
  } else {
    const std::size_t rest = legs.size() - end;
    const std::size_t number = std::min(rest, most_probes);
    for (std::size_t i = 1; i <= number; ++i)
      probes.push_back(&legs[end + i * rest / number - 1].from->json());
    // The next objects will tell.
    if (probes.empty()) return true;
  }
  for (const json::Object* probe : probes) {
    k8s::ConversionQuestion question = question_of(from, to);
    question.objects.push_back(probe);
    const auto answer = ask_(question);
    if (answer) {
      failures_in_a_row_ = 0;
      return true;
    }
    if (!answer.error().was_reached || answer.error().error.code == ErrorCode::cancelled) {
      return fail(answer.error().error);
    }
  }
  return false;
}

bool ConversionCheck::fails_all_alike() const {
  if (reviews_ == 0 || returned_ > 0 || findings_.count(FindingKind::fails) < 2) return false;
  const auto causes = findings_.causes();
  const auto is_failure = [](const FindingCause& cause) { return cause.kind == FindingKind::fails; };
  return std::ranges::count_if(causes, is_failure) == 1;
}

k8s::ConversionQuestion ConversionCheck::question_of(const std::string& from, const std::string& to) {
  return {.version = request_.review_version,
          .uid = next_uid(),
          .desired = {request_.group, to},
          .of = {request_.group, from, request_.kind},
          .is_list = true};
}

/// Returns an id in the form of those of API servers, unique within the check.
std::string ConversionCheck::next_uid() {
  std::array<char, 37> text{};
  std::snprintf(text.data(), text.size(), "00000000-0000-4000-8000-%012llx",
                static_cast<unsigned long long>(++reviews_ & 0xffff'ffff'ffffULL));
  return text.data();
}

}  // namespace fairway::conversion
