// SPDX-License-Identifier: Apache-2.0

// Answers in protobuf as a client reads them.
#pragma once

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/internal/protobuf/request_body.h"
#include "base/json.h"
#include "base/protobuf_wire.h"

namespace fairway::apiserver::testing {

/// Returns an enveloped object as JSON, as the server reads it from its clients.
inline json::Value of_protobuf(std::string_view body) {
  auto read = protobuf::read_protobuf(body);
  if (!read) throw std::runtime_error(read.error().message);
  EXPECT_TRUE(read->unknown_fields.empty());
  return std::move(read->document);
}

/// Returns the type and the object of each frame of a watch.
inline std::vector<std::pair<std::string, json::Value>> frames(std::string_view stream) {
  std::vector<std::pair<std::string, json::Value>> all;
  while (!stream.empty()) {
    if (stream.size() < 4) throw std::runtime_error("half a length");
    std::size_t size = 0;
    for (std::size_t i = 0; i < 4; ++i) size = size << 8 | static_cast<unsigned char>(stream[i]);
    if (stream.size() < 4 + size) throw std::runtime_error("half a frame");
    wire::Reader event(stream.substr(4, size));
    const std::string name(event.next().value().bytes);
    wire::Reader object(event.next().value().bytes);
    all.emplace_back(name, of_protobuf(object.next().value().bytes));
    EXPECT_TRUE(event.at_end() && object.at_end());
    stream.remove_prefix(4 + size);
  }
  return all;
}

}  // namespace fairway::apiserver::testing
