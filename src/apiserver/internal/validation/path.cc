// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/validation/path.h"

namespace fairway::apiserver::validation {

std::string Path::text() const {
  std::string made = parent_ != nullptr ? parent_->text() : std::string();
  switch (step_) {
    case Step::none:
      break;
    case Step::member:
      if (!made.empty()) made += '.';
      made += name_;
      break;
    case Step::item:
      made += "[" + std::to_string(index_) + "]";
      break;
    case Step::key:
      made.append("[").append(name_).append("]");
      break;
  }
  return made;
}

}  // namespace fairway::apiserver::validation
