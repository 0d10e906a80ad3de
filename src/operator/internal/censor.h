// What of the conditional updates the API takes: the rest is left out of what is written, and named.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/risk.h"
#include "risk/condition.h"

namespace fairway::operators {

/// Limits of the schema of ClusterVersion and of Kubernetes.
inline constexpr std::size_t max_conditional_updates = 500, max_risks = 200, max_condition_message = 32'768,
                             max_condition_reason = 1'024, max_risk_name = 256;
/// For the conditional updates together, in bytes: an object of 1.5 MiB is refused by etcd.
inline constexpr std::size_t max_conditional_bytes = 1'000'000;

/// A text of at most `limit` characters and as many bytes, cut at a character, with an ellipsis.
std::string cut(std::string_view text, std::size_t limit);

/// The risks of an update as they can be written: without rules that have no meaning here (of types that the
/// schema does not list, or invalid), without risks that then have none, and with texts that the schema
/// takes. Empty: the update cannot be written at all. What is left out is named in `left_out`, each as a
/// sentence.
std::vector<graph::Risk> writable_risks(std::span<const graph::Risk> risks, const std::string& target,
                                        const risk::Registry& registry, std::vector<std::string>& left_out);

}  // namespace fairway::operators
