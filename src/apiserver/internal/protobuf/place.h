// SPDX-License-Identifier: Apache-2.0

// The position of a decoder in the document: path and depth.
#pragma once

#include <cstddef>
#include <string_view>

#include "apiserver/internal/protobuf/decoder.h"

namespace fairway::apiserver::protobuf {

/// A step into the document, as long as this lives.
class Decoder::Place {
 public:
  Place(Decoder& decoder, std::string_view name) : Place(decoder) {
    if (!decoder.path_.empty()) decoder.path_ += '.';
    decoder.path_ += name;
  }
  Place(Decoder& decoder, std::size_t index) : Place(decoder) {
    decoder.path_ += "[" + std::to_string(index) + "]";
  }
  ~Place() {
    --decoder_.depth_;
    decoder_.path_.resize(size_);
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  /// Returns whether the depth is within the limit. Sets the error otherwise.
  bool fits() const {
    if (decoder_.depth_ <= decoder_.limits_.depth) return true;
    decoder_.error_ = {ErrorCode::too_large,
                       "the protobuf body is nested deeper than " + std::to_string(decoder_.limits_.depth)};
    return false;
  }

 private:
  explicit Place(Decoder& decoder) : decoder_(decoder), size_(decoder.path_.size()) { ++decoder.depth_; }

  Decoder& decoder_;
  std::size_t size_;
};

}  // namespace fairway::apiserver::protobuf
