// SPDX-License-Identifier: Apache-2.0

#include "envtest/internal/flag_table.h"

#include <algorithm>

#include "base/text.h"
#include "envtest/internal/table.h"
#include "kube-apiserver-flags.txt.h"

namespace fairway::envtest {
namespace {

Treatment treatment_of(std::string_view word) {
  if (word == "obeyed") return Treatment::obeyed;
  return word == "warned" ? Treatment::warned : Treatment::accepted;
}

std::vector<Flag> read_table() {
  std::vector<Flag> flags;
  for (std::string_view row : rows_of(kube_apiserver_flags_text)) {
    Flag flag{.name = std::string(take_word(row))};
    flag.is_bool = take_word(row) == "bool";
    // "warned", or "warned=VALUE,...".
    const std::string_view treatment = take_word(row);
    const std::size_t equals = std::min(treatment.find('='), treatment.size());
    flag.treatment = treatment_of(treatment.substr(0, equals));
    if (equals != treatment.size()) {
      for (const std::string_view value : split(treatment.substr(equals + 1), ','))
        flag.usual.emplace_back(value);
    }
    flag.instead = std::string(row);
    flags.push_back(std::move(flag));
  }
  return flags;
}

}  // namespace

const std::vector<Flag>& kube_apiserver_flags() {
  static const std::vector<Flag> flags = read_table();
  return flags;
}

const Flag* find_kube_apiserver_flag(std::string_view name) {
  const std::vector<Flag>& flags = kube_apiserver_flags();
  const auto found = std::ranges::find(flags, name, &Flag::name);
  return found != flags.end() ? &*found : nullptr;
}

}  // namespace fairway::envtest
