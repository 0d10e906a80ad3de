// SPDX-License-Identifier: Apache-2.0

#include "updateservice/internal/api/signatures.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/file.h"
#include "http/url.h"

namespace fairway::updateservice {
namespace {

constexpr std::size_t max_signature_bytes = 1 << 20;
constexpr std::string_view digits = "0123456789";
constexpr std::string_view hex_digits = "0123456789abcdef";
constexpr std::string_view algorithm_letters = "abcdefghijklmnopqrstuvwxyz0123456789";

bool consists_of(std::string_view text, std::string_view letters, std::size_t most) {
  return !text.empty() && text.size() <= most && text.find_first_not_of(letters) == std::string_view::npos;
}

std::array<std::string, 2> places(const SignatureName& name) {
  return {name.algorithm + "=" + name.hex + "/" + name.file,
          name.algorithm + "/" + name.hex + "/" + name.file};
}

}  // namespace

std::optional<SignatureName> SignatureName::parse(std::string_view encoded) {
  const auto decoded = http::percent_decode(encoded);
  if (!decoded) return std::nullopt;
  const std::string_view text = *decoded;
  const std::size_t equals = text.find('=');
  const std::size_t slash = text.find('/');
  if (equals == std::string_view::npos || slash == std::string_view::npos || slash < equals)
    return std::nullopt;
  constexpr std::string_view file_start = "signature-";
  const std::string_view file = text.substr(slash + 1);
  SignatureName name{std::string(text.substr(0, equals)),
                     std::string(text.substr(equals + 1, slash - equals - 1)), std::string(file)};
  if (!consists_of(name.algorithm, algorithm_letters, 16) || !consists_of(name.hex, hex_digits, 128) ||
      !file.starts_with(file_start) || !consists_of(file.substr(file_start.size()), digits, 9)) {
    return std::nullopt;
  }
  return name;
}

std::optional<std::string> find_signature(const SignatureName& name, const graphdata::Files& files) {
  for (const std::string& place : places(name)) {
    if (const auto found = files.find("signatures/" + place); found != files.end()) return found->second;
  }
  return std::nullopt;
}

std::optional<std::string> read_signature(const SignatureName& name, const std::string& directory) {
  std::error_code error;
  const auto root = std::filesystem::canonical(directory, error);
  if (error) return std::nullopt;
  for (const std::string& place : places(name)) {
    const auto path = std::filesystem::canonical(root / place, error);
    if (error || std::ranges::mismatch(root, path).in1 != root.end()) continue;
    if (auto bytes = read_file(path, max_signature_bytes)) return std::move(*bytes);
  }
  return std::nullopt;
}

}  // namespace fairway::updateservice
