// SPDX-License-Identifier: Apache-2.0

// The rules of routes that Envoys refuse in RouteConfigurations.
#pragma once

#include "gateway/internal/model/answers.h"
#include "gateway/internal/status/envoys.h"
#include "gateway/internal/status/evaluation.h"
#include "gateway/internal/translation/translate.h"

namespace fairway::gateway {

/// Adds the rules of routes that Envoys refuse to `answers`, by the parents of the routes. `translations` is
/// the cache of the translation that Envoys have been given.
void find_refused_rules(const Evaluation& evaluation, const TranslationCache& translations,
                        const Envoys& envoys, Answers& answers);

}  // namespace fairway::gateway
