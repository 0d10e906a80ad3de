// SPDX-License-Identifier: Apache-2.0

// The problems of an object while it is validated.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "k8s/wire/field_error.h"

namespace fairway::apiserver::validation {

/// The errors of one object. A request of a few megabytes can have more than a million, each larger than what
/// it is about: only the first `k8s::most_errors` are kept.
class Errors {
 public:
  void push_back(k8s::FieldError error) {
    if (kept_.size() + 1 < k8s::most_errors) {
      kept_.push_back(std::move(error));
    } else if (left_out_++ == 0) {
      first_left_out_ = std::move(error);
    }
  }
  /// Returns the number of all errors, those that are not kept included.
  std::size_t size() const { return kept_.size() + left_out_; }
  bool empty() const { return kept_.empty(); }
  auto begin() const { return kept_.begin(); }
  auto end() const { return kept_.end(); }

  /// Returns the errors. The last one stands for those that are not kept.
  std::vector<k8s::FieldError> take() && {
    if (left_out_ == 1) kept_.push_back(std::move(first_left_out_));
    if (left_out_ > 1) kept_.push_back(k8s::FieldError::left_out(first_left_out_.field, left_out_));
    return std::move(kept_);
  }

 private:
  std::vector<k8s::FieldError> kept_;
  k8s::FieldError first_left_out_;
  std::size_t left_out_ = 0;
};

}  // namespace fairway::apiserver::validation
