// SPDX-License-Identifier: Apache-2.0

#include "updateservice/guards.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/file.h"
#include "base/file_descriptor.h"
#include "base/semver.h"
#include "base/text.h"

namespace fairway::updateservice {
namespace {

/// Name of the file of accepted entries below a replica's --data.
constexpr const char* accepted_file = "accepted";
constexpr std::size_t max_accepted_bytes = 1 << 20;
constexpr std::size_t id_digits = 32;
/// Most counts that are remembered: more than the blocks change in a day.
constexpr std::size_t most_counted = 100;

bool is_id(std::string_view text) {
  return text.size() == id_digits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// Parses a version with its architecture, and an image.
std::optional<std::pair<std::string, std::string>> payload_entry(std::string_view text, char separator) {
  const std::size_t at = text.find(separator);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view version = trim(text.substr(0, at)), payload = trim(text.substr(at + 1));
  const auto parsed = Version::parse(version);
  if (!parsed || parsed->build().empty() || payload.empty() || payload.find_first_of(" \t") != payload.npos)
    return std::nullopt;
  return std::pair(std::string(version), std::string(digest_of(payload)));
}

void add_payload(Accepted& accepted, std::optional<std::pair<std::string, std::string>> entry) {
  if (entry) accepted.payloads[entry->first] = {std::move(entry->second)};
}

template <class Read>
void each_line(std::string_view text, Read read) {
  for (const std::string_view line : split(text, '\n')) {
    const std::string_view entry = trim(line);
    if (!entry.empty() && entry.front() != '#') read(entry);
  }
}

std::unexpected<Error> cannot_write(const std::filesystem::path& path) {
  return fail(ErrorCode::unavailable, "writing " + path.string() + ": " + std::strerror(errno));
}

}  // namespace

Result<WideningLimit> WideningLimit::parse(std::string_view text) {
  if (text == "off") return WideningLimit{};
  const auto wrong =
      fail(ErrorCode::invalid, "'" + printable(text) +
                                   "' is no limit: write a number of blocks and a share of them, "
                                   "like 10,5%, or off");
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos || !text.ends_with('%')) return wrong;
  const auto read = [](std::string_view number, auto& value) {
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    return error == std::errc{} && end == number.data() + number.size() && !number.empty();
  };
  WideningLimit limit{.on = true};
  if (!read(text.substr(0, comma), limit.blocks)) return wrong;
  if (!read(text.substr(comma + 1, text.size() - comma - 2), limit.percent)) return wrong;
  if (!(limit.percent >= 0 && limit.percent <= 100)) return wrong;
  return limit;
}

std::string WideningLimit::to_string() const {
  if (!on) return "off";
  std::string share = std::to_string(percent);
  share.erase(share.find_last_not_of('0') + 1);
  if (share.ends_with('.')) share.pop_back();
  return std::to_string(blocks) + "," + share + "%";
}

bool WideningLimit::is_exceeded_by(const graph::Widening& widening) const {
  const auto lifted = static_cast<double>(widening.lifted.size());
  return on && widening.lifted.size() > blocks &&
         lifted * 100 > percent * static_cast<double>(widening.blocks);
}

bool WideningLimit::is_exceeded_by(const graph::Widening& widening, const WideningMemory& memory) const {
  if (widening.lifted.empty()) return false;
  graph::Widening all{.lifted = widening.lifted, .blocks = memory.lasting(widening.blocks)};
  std::set<std::pair<std::string_view, std::string_view>> known;
  for (const graph::LiftedBlock& block : widening.lifted) known.emplace(block.to, block.risk);
  for (const WideningMemory::Lifted& earlier : memory.lifted) {
    if (known.contains({earlier.to, earlier.risk})) continue;
    all.lifted.push_back({.to = earlier.to, .risk = earlier.risk});
    ++all.blocks;
  }
  return is_exceeded_by(all);
}

void WideningMemory::forget_old(WallTime now) {
  for (Lifted& one : lifted) one.time = std::min(one.time, now);
  std::erase_if(lifted, [now](const Lifted& one) { return one.time < now - widening_window; });
  for (Counted& one : counted) one.until = std::min(one.until, now);
  std::erase_if(counted, [now](const Counted& one) { return one.until < now - widening_window; });
}

void WideningMemory::count(std::size_t blocks, WallTime now) {
  std::erase_if(counted, [blocks](const Counted& one) { return one.blocks >= blocks; });
  counted.push_back({.until = now, .blocks = blocks});
  if (counted.size() <= most_counted) return;
  // Of the two last ones the lower stands for both.
  counted.pop_back();
  counted.back().until = now;
}

std::size_t WideningMemory::lasting(std::size_t blocks) const {
  for (const Counted& one : counted) blocks = std::min(blocks, one.blocks);
  return blocks;
}

void WideningMemory::remember(const graph::Widening& widening, WallTime now) {
  std::set<std::pair<std::string, std::string>> known;
  for (const Lifted& one : lifted) known.emplace(one.to, one.risk);
  for (const graph::LiftedBlock& block : widening.lifted) {
    if (known.emplace(block.to, block.risk).second) lifted.push_back({now, block.to, block.risk});
  }
}

std::string_view digest_of(std::string_view payload) {
  const std::size_t at = payload.rfind('@');
  return at == std::string_view::npos ? payload : payload.substr(at + 1);
}

std::string accepted_path(const std::string& directory) {
  return (std::filesystem::path(directory) / accepted_file).string();
}

Result<void> accept(const std::string& directory, std::string_view entry) {
  if (!is_id(entry) && !payload_entry(entry, '=')) {
    return fail(ErrorCode::invalid,
                "'" + printable(entry) +
                    "' is neither the id of a widening (32 hexadecimal digits) nor VERSION+ARCH=sha256:HEX; "
                    "/problems and the log of the service have what can be accepted");
  }
  std::error_code fault;
  if (!std::filesystem::is_directory(directory, fault)) {
    return fail(ErrorCode::not_found,
                "there is no folder " + directory + "; name the one that the service has as --data");
  }
  const std::filesystem::path path = std::filesystem::path(directory) / accepted_file;
  // The service may run as another user: what is accepted is no secret.
  const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (file.get() < 0) return cannot_write(path);
  const std::string line = std::string(entry) + "\n";
  if (::write(file.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    return cannot_write(path);
  if (::fsync(file.get()) != 0) return cannot_write(path);
  return {};
}

Accepted read_accepted(const std::string& directory, const graphdata::Files& files) {
  Accepted accepted;
  if (const auto found = files.find(accept_widening_path); found != files.end()) {
    each_line(found->second, [&](std::string_view entry) {
      if (is_id(entry)) accepted.widenings.emplace(entry);
    });
  }
  if (const auto found = files.find(accept_payloads_path); found != files.end()) {
    each_line(found->second,
              [&](std::string_view entry) { add_payload(accepted, payload_entry(entry, ' ')); });
  }
  // After those of the graph data: this replica has the last word on its images.
  if (!directory.empty()) {
    if (const auto text = read_file(accepted_path(directory), max_accepted_bytes)) {
      each_line(*text, [&](std::string_view entry) {
        if (is_id(entry)) {
          accepted.widenings.emplace(entry);
        } else {
          add_payload(accepted, payload_entry(entry, '='));
        }
      });
    }
  }
  return accepted;
}

}  // namespace fairway::updateservice
