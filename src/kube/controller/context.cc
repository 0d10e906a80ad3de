// SPDX-License-Identifier: Apache-2.0

#include "kube/controller/context.h"

#include <vector>

#include "base/log_level.h"

namespace fairway::kube {

void Context::log(log::Level level, std::string_view message,
                  std::initializer_list<log::Field> fields) const {
  if (!log::is_enabled(level)) return;
  std::vector<log::Field> all{{"controller", *controller_}, {"object", key_->to_string()}};
  all.insert(all.end(), fields.begin(), fields.end());
  log::write(level, message, all);
}

}  // namespace fairway::kube
