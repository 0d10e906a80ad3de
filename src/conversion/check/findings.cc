// SPDX-License-Identifier: Apache-2.0

#include "conversion/check/findings.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.h"

namespace fairway::conversion {

std::string_view to_string(FindingKind kind) {
  switch (kind) {
    case FindingKind::fails:
      return "fails";
    case FindingKind::loses:
      return "loses";
    case FindingKind::changes:
      return "changes";
    case FindingKind::refused:
      return "refused";
  }
  return "";
}

void Findings::add(const k8s::Key& key, const std::vector<Finding>& findings) {
  ++objects_;
  if (findings.empty()) return;
  ++faulty_objects_;
  std::set<FindingKind> kinds;
  std::set<const FindingCause*> seen;
  for (const Finding& finding : findings) {
    if (kinds.insert(finding.kind).second) ++counts_[static_cast<std::size_t>(finding.kind)];
    FindingCause& cause = group(finding.kind, printable(finding.cause, longest_text));
    if (!seen.insert(&cause).second) continue;
    ++cause.count;
    if (cause.examples.size() >= most_examples_) continue;
    cause.examples.push_back({printable(key.to_string(), longest_text), printable(finding.path, longest_text),
                              printable(finding.detail, longest_text)});
  }
}

FindingCause& Findings::group(FindingKind kind, std::string_view cause) {
  // No cause moves: `add` remembers where they are.
  if (causes_.capacity() == 0) causes_.reserve(counts_.size() * (most_causes + 1));
  const auto is_of_kind = [kind](const FindingCause& known) { return known.kind == kind; };
  const auto found = std::ranges::find_if(
      causes_, [&](const FindingCause& known) { return is_of_kind(known) && known.cause == cause; });
  if (found != causes_.end()) return *found;
  const auto known = static_cast<std::size_t>(std::ranges::count_if(causes_, is_of_kind));
  if (known >= most_causes && cause != other_causes) return group(kind, other_causes);
  return causes_.emplace_back(FindingCause{.kind = kind, .cause = std::string(cause)});
}

std::vector<FindingCause> Findings::causes() const {
  std::vector<FindingCause> sorted = causes_;
  std::ranges::stable_sort(sorted, [](const FindingCause& a, const FindingCause& b) {
    return a.kind != b.kind ? a.kind < b.kind : a.count > b.count;
  });
  return sorted;
}

}  // namespace fairway::conversion
