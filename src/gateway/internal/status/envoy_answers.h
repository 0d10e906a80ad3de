// SPDX-License-Identifier: Apache-2.0

// Asks Envoys and probes about an evaluation.
#pragma once

#include <set>
#include <string>
#include <utility>

#include "gateway/internal/model/answers.h"
#include "gateway/internal/model/owner.h"
#include "gateway/internal/model/probe.h"
#include "gateway/internal/status/envoys.h"
#include "gateway/internal/status/evaluation.h"
#include "gateway/internal/translation/translate.h"

namespace fairway::gateway {

/// Listeners by their owner and name.
using ListenerNames = std::set<std::pair<Owner, std::string>>;

/// Asks Envoys what they serve and refuse of an evaluation. `translations` is the cache of the translation
/// that they have been given.
Answers ask_envoys(const Evaluation& evaluation, const TranslationCache& translations, const Envoys& envoys);

/// Probes the listeners that may be Ready, and adds the results to `answers`. `probed_before`: the listeners
/// that were probed the last time. Returns those that are probed now.
ListenerNames ask_probes(const Evaluation& evaluation, const ListenerNames& probed_before,
                         const Envoys& envoys, Probes& probes, Answers& answers);

}  // namespace fairway::gateway
