// SPDX-License-Identifier: Apache-2.0

// Recorded requests of kubectl.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/text.h"

namespace fairway::k8s::testing {

struct KubectlRequest {
  std::string method, path, query;
  /// Headers; empty if the recording has none.
  std::string accept, content_type;
};

/// Reads a recording. It has one line for each request ("GET /api?timeout=32s"), with its headers indented
/// below it, and "###" before each command.
inline std::vector<KubectlRequest> kubectl_requests(const std::filesystem::path& file) {
  const auto text = read_file(file.string());
  if (!text) throw std::runtime_error(text.error().message);
  std::vector<KubectlRequest> requests;
  for (const std::string_view line : split(*text, '\n')) {
    if (line.empty() || line.starts_with('#')) continue;
    if (line.starts_with(' ')) {
      const std::string_view header = trim(line);
      const std::size_t colon = header.find(": ");
      if (header.starts_with("Accept: ")) requests.back().accept = header.substr(colon + 2);
      if (header.starts_with("Content-Type: ")) requests.back().content_type = header.substr(colon + 2);
      continue;
    }
    const std::size_t space = line.find(' ');
    const std::string_view target = line.substr(space + 1);
    const std::size_t mark = std::min(target.find('?'), target.size());
    requests.push_back({.method = std::string(line.substr(0, space)),
                        .path = std::string(target.substr(0, mark)),
                        .query = std::string(mark < target.size() ? target.substr(mark + 1) : "")});
  }
  return requests;
}

}  // namespace fairway::k8s::testing
