// SPDX-License-Identifier: Apache-2.0

#include "envtest/internal/feature_gates.h"

#include <string_view>

#include "apiserver/kubernetes_release.h"
#include "envtest/internal/table.h"
#include "feature-gates.txt.h"

namespace fairway::envtest {
namespace {

/// Returns "true" or "false"; empty for a gate that kube-apiserver does not have.
std::string_view default_of(std::string_view gate) {
  for (std::string_view row : rows_of(feature_gates_text)) {
    if (take_word(row) == gate) return row;
  }
  return {};
}

}  // namespace

void warn_of_feature_gates(const std::vector<std::string>& gates, std::vector<std::string>& warnings) {
  for (const std::string& gate : gates) {
    std::string_view name = gate;
    if (name.starts_with("kube:")) name.remove_prefix(5);
    const std::size_t equals = name.find('=');
    const std::string_view value = equals == std::string_view::npos ? "" : name.substr(equals + 1);
    name = name.substr(0, equals);
    const std::string flag = "--feature-gates=" + gate;
    const std::string_view usual = default_of(name);
    if (value != "true" && value != "false") {
      warnings.push_back(flag + " has no effect: write " + std::string(name) + "=true or =false");
    } else if (usual.empty()) {
      warnings.push_back(flag + ": kube-apiserver " + std::string(apiserver::kubernetes_minor_release) +
                         " has no such gate, and would not start with it");
    } else if (value != usual) {
      warnings.push_back(flag + " has no effect here: the gate is as by default, " + std::string(usual));
    }
  }
}

}  // namespace fairway::envtest
