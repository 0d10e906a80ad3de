// SPDX-License-Identifier: Apache-2.0

// Available and conditional updates as the API takes them: the rest is not written, but named.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "graph/risk.h"
#include "operators/internal/served_definition.h"
#include "operators/release.h"
#include "risk/condition.h"

namespace fairway::operators {

/// Limits of Kubernetes on conditions.
inline constexpr std::size_t max_condition_message = 32'768, max_condition_reason = 1'024;
/// Limits in bytes of all conditional updates together, and of all available ones.
inline constexpr std::size_t max_conditional_bytes = 1'000'000, max_available_bytes = 250'000;
/// Limit of the whole object in bytes: etcd refuses 1.5 MiB, and the API server adds the managers of its
/// fields.
inline constexpr std::size_t max_object_bytes = 1'400'000;
/// Limits of a release in bytes. A URL or a name that does not fit is left out: a shortened one would be
/// another one.
inline constexpr std::size_t max_image_bytes = 4'096, max_url_bytes = 4'096, max_channel_name_bytes = 253,
                             max_channels_bytes = 16'384;

/// Returns a release as it can be written: without a URL or channels that are too long. Everything that is
/// left out is listed in `left_out`, each as a sentence. std::nullopt: its image is too long.
std::optional<ListedRelease> writable_release(const ListedRelease& release,
                                              std::vector<std::string>& left_out);
/// Returns the release that the cluster runs, which has to be written, without the parts that cannot be.
/// It does not report the parts that it leaves out.
ListedRelease writable_desired(const ListedRelease& release);

/// Returns the risks of an update as `definition` takes them: without rules that it does not list or that are
/// not valid, and with texts that fit. Empty: one of them cannot be written, so that the update cannot be;
/// the reason is added to `left_out` as a sentence, and so are rules that are left out.
std::vector<graph::Risk> writable_risks(std::span<const graph::Risk> risks, const std::string& target,
                                        const risk::Registry& registry, const ServedDefinition& definition,
                                        std::vector<std::string>& left_out);

}  // namespace fairway::operators
