// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/model/problems.h"

#include "base/text.h"

namespace fairway::gateway {

std::string first_of(const std::vector<k8s::ConditionError>& problems) {
  std::vector<std::string> texts;
  for (const k8s::ConditionError& problem : problems) {
    if (texts.size() == most_named) {
      texts.push_back("and " + std::to_string(problems.size() - most_named) + " more");
      break;
    }
    texts.push_back(problem.message);
  }
  return join(texts, "; ");
}

}  // namespace fairway::gateway
