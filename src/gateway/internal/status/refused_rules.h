// What Envoys refuse of RouteConfigurations, as rules of the routes that it is from.
#pragma once

#include "gateway/internal/translation/translate.h"

namespace fairway::gateway {

class Envoys;
struct Evaluation;

/// Notes in the parents of routes which of their rules Envoys refuse, in place of what was noted before.
/// `known` is that of the translation that Envoys have been given.
void note_refused_rules(const KnownTranslations& known, const Envoys& envoys, Evaluation& evaluation);

}  // namespace fairway::gateway
