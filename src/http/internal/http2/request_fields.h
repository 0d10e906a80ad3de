// SPDX-License-Identifier: Apache-2.0

// The head of a request as it comes by HTTP/2, and what it must not have. nghttp2 has checked the grammar.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/internal/server/request_target.h"

namespace fairway::http {

class RequestFields {
 public:
  explicit RequestFields(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  /// Takes a field, pseudo-headers among them. What is beyond the limit is counted and dropped. False: it is
  /// so far beyond it that decompressing it is an attack.
  bool add(std::string_view name, std::string_view value);
  /// Drops fields from here on, those behind the body: they are counted all the same.
  void finish_head() { finished_ = true; }

  struct Refusal {
    int status = 0;
    std::string why = {};
  };
  /// Makes the head, whose views point into this object; else says why the request is refused.
  std::optional<Refusal> read(RequestHead& head);

  /// The length that the head announces, if it does.
  std::optional<std::uint64_t> announced() const { return announced_; }
  /// Frees the memory of the fields, into which nothing may point any more. Later ones are counted.
  void release() {
    finished_ = true;
    std::string().swap(text_);
    std::vector<Place>().swap(places_);
    std::string().swap(cookies_);
    authority_ = host_ = {};
  }

 private:
  struct Place {
    std::size_t begin, name_size, value_size;
  };
  std::optional<Refusal> read_field(RequestHead& head, const Field& field);

  const std::size_t most_bytes_;
  std::size_t bytes_ = 0;  ///< bytes that have come, kept or not
  std::size_t count_ = 0;
  bool finished_ = false;
  std::string text_;
  std::vector<Place> places_;
  std::string cookies_;
  std::string_view authority_, host_;
  bool authorization_seen_ = false, content_type_seen_ = false;
  std::optional<std::uint64_t> announced_;
};

}  // namespace fairway::http
