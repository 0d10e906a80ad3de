// SPDX-License-Identifier: Apache-2.0

#include "kube/internal/controller/reasons.h"

#include <utility>

namespace fairway::kube {

void Reasons::add(const Reasons& later) {
  if (later.text_.empty()) return;
  if (text_.empty()) {
    *this = later;
  } else {
    others_ += 1 + later.others_;
  }
}

void Reasons::put_in_front(Reasons deciding) {
  std::swap(*this, deciding);
  add(deciding);
}

std::string Reasons::text() const {
  return others_ == 0 ? text_ : text_ + ", and " + std::to_string(others_) + " more";
}

}  // namespace fairway::kube
