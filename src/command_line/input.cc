// SPDX-License-Identifier: Apache-2.0

#include "command_line/input.h"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <vector>

#include "base/file.h"

namespace fairway::command_line {

namespace {

bool is_stream(const std::string& path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  return std::filesystem::is_fifo(status) || std::filesystem::is_character_file(status);
}

Result<std::string> read_stream(std::istream& stream, const std::string& name, std::size_t limit) {
  std::string text;
  std::vector<char> buffer(std::size_t{1} << 16);
  while (stream) {
    stream.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    text.append(buffer.data(), static_cast<std::size_t>(stream.gcount()));
    if (text.size() > limit)
      return fail(ErrorCode::too_large,
                  "reading " + name + ": it is larger than " + std::to_string(limit) + " bytes");
  }
  if (stream.bad() || !stream.eof()) return fail(ErrorCode::unavailable, "reading " + name + " failed");
  return text;
}

}  // namespace

Result<std::string> read_input(const std::string& path, std::size_t limit) {
  if (path == "-") return read_stream(std::cin, "standard input", limit);
  if (!is_stream(path)) return read_file(path, limit);
  std::ifstream stream(path, std::ios::binary);
  return read_stream(stream, path, limit);
}

bool is_input(const std::string& argument) {
  std::error_code ignored;
  return argument == "-" || is_stream(argument) || std::filesystem::is_regular_file(argument, ignored);
}

}  // namespace fairway::command_line
