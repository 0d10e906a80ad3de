// What of the conditional updates the API takes: the rest is left out of what is written, and named.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "graph/risk.h"
#include "operators/release.h"
#include "risk/condition.h"

namespace fairway::operators {

/// Limits of the schema of ClusterVersion and of Kubernetes.
inline constexpr std::size_t max_conditional_updates = 500, max_risks = 200, max_condition_message = 32'768,
                             max_condition_reason = 1'024, max_risk_name = 256;
/// For the conditional updates together, and for the available ones, in bytes.
inline constexpr std::size_t max_conditional_bytes = 1'000'000, max_available_bytes = 250'000;
/// For the whole object: one of 1.5 MiB is refused by etcd, and the API server adds who manages which field.
inline constexpr std::size_t max_object_bytes = 1'400'000;
/// Of a release. A URL or a name that is cut would be another one.
inline constexpr std::size_t max_image_bytes = 4'096, max_url_bytes = 4'096, max_channel_name_bytes = 253,
                             max_channels_bytes = 16'384;

/// A release as it can be written: without a URL or channels that are too long. std::nullopt: its image is.
/// What is left out is named in `left_out`, each as a sentence.
std::optional<ListedRelease> writable_release(const ListedRelease& release,
                                              std::vector<std::string>& left_out);
/// The same of the release that the cluster runs, which has to be written: without a word about the rest.
ListedRelease writable_desired(const ListedRelease& release);

/// The risks of an update as they can be written: without rules that have no meaning here (of types that the
/// schema does not list, or invalid), without risks that then have none, and with texts that the schema
/// takes. Empty: the update cannot be written at all. What is left out is named in `left_out`, each as a
/// sentence.
std::vector<graph::Risk> writable_risks(std::span<const graph::Risk> risks, const std::string& target,
                                        const risk::Registry& registry, std::vector<std::string>& left_out);

}  // namespace fairway::operators
