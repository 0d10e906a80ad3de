// SPDX-License-Identifier: Apache-2.0

#include "operators/internal/answer_store.h"

#include <system_error>

#include "base/digest.h"
#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "base/text.h"

namespace fairway::operators {
namespace {

constexpr const char* answer_file = "answer.json";
constexpr const char* time_file = "answer-time";
/// Largest size of a stored answer: an answer has at most 64 MiB, and is longer as a string in JSON.
constexpr std::size_t max_answer_bytes = std::size_t{256} << 20;

/// Returns the name of a query: a digest, as the URL of a service may contain credentials.
std::string name_of(const Query& query) {
  return sha256_hex(json::to_text(json::Array{query.upstream, query.architecture, query.channel,
                                              query.cluster_id, query.version, query.only_current}));
}

void write_or_say(const std::filesystem::path& file, std::string_view bytes) {
  std::error_code ignored;
  std::filesystem::create_directories(file.parent_path(), ignored);
  if (const auto written = write_file_atomically(file, bytes); !written) {
    log::warning("the answer of the update service is not kept for a restart",
                 {{"error", written.error().message}});
  }
}

}  // namespace

std::optional<StoredAnswer> AnswerStore::read(const Query& query) const {
  if (folder_.empty()) return std::nullopt;
  const auto text = read_file(folder_ / answer_file, max_answer_bytes);
  const auto time = read_file(folder_ / time_file, 64);
  if (!text || !time) return std::nullopt;
  const auto stored = json::parse(*text);
  const auto at = parse_time(trim(*time));
  if (!stored || !at || json::find_string(*stored, "query") != name_of(query)) return std::nullopt;
  const auto member = [&](const char* key) {
    return std::string(json::find_string(*stored, key).value_or(""));
  };
  return StoredAnswer{.body = member("body"), .source = member("source"), .etag = member("etag"), .at = *at};
}

void AnswerStore::write(const Query& query, const StoredAnswer& answer) {
  if (folder_.empty()) return;
  write_or_say(folder_ / answer_file, json::to_text(json::Object{{"query", name_of(query)},
                                                                 {"source", answer.source},
                                                                 {"etag", answer.etag},
                                                                 {"body", answer.body}}));
}

void AnswerStore::write_time(WallTime time) {
  if (!folder_.empty()) write_or_say(folder_ / time_file, format_time(time));
}

}  // namespace fairway::operators
