// SPDX-License-Identifier: Apache-2.0

// The kinds of an operator: their definitions and converters.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "k8s/custom_resource_definition.h"
#include "kube/informer/informer.h"
#include "program/operator.h"

namespace fairway::program {

struct Kinds {
  std::vector<k8s::CustomResourceDefinition> definitions;
  std::shared_ptr<const conversion::Converters> converters;
};

/// Returns the kinds of an operator. `quarantine`: those to quarantine besides the ones that are already, as
/// the flag has them (`Options::quarantine`); "false": none. Errors: definitions that cannot be read,
/// versions that do not reach each other, a kind that cannot be quarantined; `not_found`: a kind of the flag
/// that there is not.
Result<Kinds> kinds_of(const Operator& parts, std::string_view quarantine = {});

/// Returns how informers tell the quarantined objects of the kinds that are quarantined.
std::function<kube::IsQuarantined(const k8s::GroupVersionResource&)> quarantined_of(const Kinds& kinds);

/// Converts the documents of standard input to a version ("v1", "GROUP/v1"), to standard output; returns the
/// exit code. `quarantine`: of objects that an API server has quarantined, the originals.
int convert(const Operator& parts, const std::string& version, bool quarantine = false);

}  // namespace fairway::program
