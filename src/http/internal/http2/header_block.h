// SPDX-License-Identifier: Apache-2.0

// The head of a message as HTTP/2 sends it: names in lower case, and nothing about the connection.
#pragma once

#include <nghttp2/nghttp2.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fairway::http {

class HeaderBlock {
 public:
  /// Adds a field as it is: a pseudo-header.
  void add_pseudo(std::string_view name, std::string_view value);
  /// Adds a field, unless it is about the connection or its name is none. Control characters of the value
  /// become spaces.
  void add(std::string_view name, std::string_view value);
  /// Adds fields from lines of HTTP/1.1: "Name: value\r\n".
  void add_lines(std::string_view lines);
  /// Returns the fields for nghttp2, which point into this block.
  std::vector<nghttp2_nv> fields() const;

 private:
  struct Place {
    std::size_t begin, name_size, value_size;
  };
  std::string text_;
  std::vector<Place> places_;
};

}  // namespace fairway::http
