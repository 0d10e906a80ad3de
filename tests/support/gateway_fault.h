// SPDX-License-Identifier: Apache-2.0

// The files of tests/gateway/translation_faults: objects with a fault, and what their requests get.
#pragma once

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "gateway/check.h"
#include "k8s/condition.h"

namespace fairway::testing {

struct GatewayFault {
  /// Its own objects, behind those of the files that it names.
  std::vector<gateway::SourceText> sources;
  /// "8080 share.example.com / 200 x-share: 50%": port, host, path, status, and a part of the answer.
  std::vector<std::string> answers;
};

/// The ports of a run by those of the files that they replace.
using PortsOfFiles = std::map<std::string, std::string>;

/// A text of objects with a run's ports.
inline std::string with_ports(std::string text, const PortsOfFiles& ports) {
  for (const auto& [port, now] : ports) {
    const std::string old = "port: " + port;
    for (std::size_t at = text.find(old); at != std::string::npos; at = text.find(old, at + old.size())) {
      const std::size_t end = at + old.size();
      if (end < text.size() && (text[end] == ',' || text[end] == '}'))
        text.replace(at, old.size(), "port: " + now);
    }
  }
  return text;
}

/// The fault of `folder`/`name`.txt.
inline GatewayFault read_gateway_fault(const std::filesystem::path& folder, const std::string& name,
                                       const PortsOfFiles& ports) {
  GatewayFault fault;
  const std::string text = read_file((folder / (name + ".txt")).string()).value_or("");
  const std::string own = text.substr(0, text.find("\n=== conditions"));
  for (const std::string_view line : split(own, '\n')) {
    if (line.starts_with("# answer: ")) fault.answers.emplace_back(line.substr(10));
    if (!line.starts_with("# with: ")) continue;
    for (const std::string_view file : split(line.substr(8), ' ')) {
      fault.sources.push_back(
          {std::string(file), with_ports(read_file((folder / file).string()).value_or(""), ports)});
    }
  }
  fault.sources.push_back({name, with_ports(own, ports)});
  return fault;
}

/// Returns the names of all faults of `folder`, in their order.
inline std::vector<std::string> gateway_fault_names(const std::filesystem::path& folder) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".txt") found.push_back(entry.path().stem().string());
  }
  std::ranges::sort(found);
  return found;
}

/// "Accepted=True Accepted".
inline std::string text_of(const k8s::Condition& condition) {
  return std::string(condition.type()) + "=" + std::string(to_string(condition.status())) + " " +
         std::string(condition.reason());
}

}  // namespace fairway::testing
