// SPDX-License-Identifier: Apache-2.0

#include "updateservice/internal/store/last_good_store.h"

#include "base/digest.h"
#include "base/file.h"
#include "base/log.h"
#include "base/parallel.h"
#include "base/temporary_files.h"
#include "base/text.h"
#include "http/compress.h"
#include "updateservice/internal/store/packing.h"
#include "updateservice/internal/store/past_graphs.h"
#include "updateservice/internal/store/stored_inputs.h"

namespace fairway::updateservice {
namespace {

/// The first line of every file, which differs for each version of the format.
constexpr std::string_view magic = "fairway last good 2\n";
constexpr std::size_t checksum_digits = 64;

constexpr const char* responses_file = "published";
constexpr const char* inputs_file = "inputs";
constexpr const char* last_good_file = "last-good";
constexpr const char* past_file = "past";

void pack_document(Packer& out, const Document& document) {
  out.number(document.gzip() ? 1 : 0);
  out.text(document.hash());
  out.text(document.gzip() ? *document.gzip() : *document.body());
}

/// A document as it is stored in a file, not yet unpacked.
struct PackedDocument {
  bool gzip = false;
  std::string_view hash, bytes;
};

PackedDocument unpack_document(Unpacker& in) {
  PackedDocument packed;
  packed.gzip = in.number() == 1;
  packed.hash = in.text();
  packed.bytes = in.text();
  return packed;
}

std::shared_ptr<const Document> make_document(const PackedDocument& packed, const DocumentHeaders& headers) {
  if (!packed.gzip) return Document::opaque(std::string(packed.bytes), headers);
  auto body = http::gunzip(packed.bytes);
  if (!body) return nullptr;
  return Document::compressed(std::move(*body), std::string(packed.bytes), std::string(packed.hash), headers);
}

struct PackedGraph {
  std::string_view arch, channel;
  PrivateChannels::RuleIndex rule;
  PackedDocument packed;
  std::shared_ptr<const Document> document;
};

/// Makes the documents in two threads, since unpacking is most of a restart's time.
void make_documents(std::vector<PackedGraph>& graphs, const CachePolicy& policy) {
  parallel_for(graphs.size(), 2, [&](std::size_t i) {
    graphs[i].document = make_document(graphs[i].packed, policy.graph(graphs[i].rule.has_value()));
  });
}

}  // namespace

LastGoodStore::LastGoodStore(const std::filesystem::path& directory) : directory_(directory / "last-good") {
  for (const char* name : {responses_file, inputs_file, last_good_file, past_file})
    remove_temporary_files(directory_ / name);
}

std::optional<std::string> LastGoodStore::read(const std::string& name) const {
  const std::filesystem::path path = directory_ / name;
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return std::nullopt;
  auto bytes = read_file(path);
  const auto ignored = [&path](const std::string& why) {
    log::warning("ignoring a file of the last good graph", {{"file", path.string()}, {"reason", why}});
    return std::nullopt;
  };
  if (!bytes) return ignored(bytes.error().message);
  if (!bytes->starts_with(magic)) return ignored("it is not of this version's format");
  const std::string_view rest = std::string_view(*bytes).substr(magic.size());
  if (rest.size() < checksum_digits ||
      sha256_hex(rest.substr(checksum_digits)) != rest.substr(0, checksum_digits)) {
    return ignored("its checksum is wrong: it is torn or was changed");
  }
  return bytes->substr(magic.size() + checksum_digits);
}

Result<void> LastGoodStore::write(const std::string& name, std::string payload) const {
  const std::string checksum = sha256_hex(payload);
  payload.insert(0, checksum);
  payload.insert(0, magic);
  auto written = write_file_atomically(directory_ / name, payload);
  if (!written) return fail(written.error().within("keeping the last good graph"));
  return {};
}

Result<void> LastGoodStore::save_responses(const Responses& responses, const std::string& key) {
  Packer out;
  out.text(key);
  std::size_t count = 0;
  for (const auto& [arch, channels] : responses.graphs) count += channels.size();
  out.number(count);
  for (const auto& [arch, channels] : responses.graphs) {
    for (const auto& [channel, graph] : channels) {
      out.text(arch);
      out.text(channel);
      out.number(graph.rule ? *graph.rule + 1 : 0);
      pack_document(out, *graph.document);
    }
  }
  out.list(responses.audiences, [&](const AudienceDocuments& documents) {
    pack_document(out, *documents.channels);
    pack_document(out, *documents.problems);
    pack_document(out, *documents.graph_data);
  });
  if (auto written = write(responses_file, out.take()); !written) return written;
  Packer past;
  past.text(key);
  past.text(pack_past(responses));
  return write(past_file, past.take());
}

Result<void> LastGoodStore::save_inputs(const BuiltInputs& inputs, const std::string& key) {
  if (nested_inputs(inputs) > most_nested_inputs) {
    return fail(ErrorCode::internal, "keeping the last good graph: what is held lies on more than " +
                                         std::to_string(most_nested_inputs) + " earlier graphs");
  }
  Packer out;
  out.text(key);
  out.text(pack_inputs(inputs));
  out.text(pack_held(inputs));
  return write(inputs_file, out.take());
}

Result<void> LastGoodStore::save_last_good(WallTime time) {
  return write(last_good_file, format_time(time));
}

std::shared_ptr<const Responses> LastGoodStore::load_responses(std::shared_ptr<const PrivateChannels> rules,
                                                               const CachePolicy& policy,
                                                               const std::string& key) const {
  const auto bytes = read(responses_file);
  if (!bytes) return nullptr;
  Unpacker in(*bytes);
  if (in.text() != key) {
    log::info("the last good bodies were made with other settings; they are made again");
    return nullptr;
  }
  auto responses = std::make_shared<Responses>(empty_responses(std::move(rules), policy));
  std::vector<PackedGraph> graphs;
  in.list([&] {
    PackedGraph& graph = graphs.emplace_back();
    graph.arch = in.text();
    graph.channel = in.text();
    if (const std::uint64_t rule = in.number(); rule > 0) graph.rule = rule - 1;
    graph.packed = unpack_document(in);
  });
  bool whole = true;
  in.list([&] {
    const bool is_private = !responses->audiences.empty();
    AudienceDocuments& documents = responses->audiences.emplace_back();
    documents.channels = make_document(unpack_document(in), policy.channels(is_private));
    documents.problems = make_document(unpack_document(in), policy.json(is_private));
    documents.graph_data = make_document(unpack_document(in), policy.archive(is_private));
    whole = whole && documents.channels && documents.problems && documents.graph_data;
  });
  make_documents(graphs, policy);
  for (PackedGraph& graph : graphs) {
    whole = whole && graph.document && graph.rule == responses->rules->rule_of(graph.channel);
    responses->graphs[std::string(graph.arch)][std::string(graph.channel)] = {
        std::move(graph.document), graph.rule, responses->unknown.past};
  }
  if (!in.complete() || !whole || responses->audiences.size() != responses->rules->audiences().size()) {
    log::warning("ignoring the last good bodies: they do not hold together");
    return nullptr;
  }
  load_past(*responses, key);
  return responses;
}

/// Loads the earlier bodies. They are optional: without them /changes knows less.
void LastGoodStore::load_past(Responses& responses, const std::string& key) const {
  const auto bytes = read(past_file);
  if (!bytes) return;
  Unpacker in(*bytes);
  if (in.text() != key) return;
  const std::string_view past = in.text();
  if (!in.complete() || !unpack_past(past, responses))
    log::warning("ignoring the earlier bodies: they do not hold together");
}

std::optional<LastGoodStore::StoredInputs> LastGoodStore::load_inputs() const {
  const auto bytes = read(inputs_file);
  if (!bytes) return std::nullopt;
  Unpacker in(*bytes);
  StoredInputs stored{std::string(in.text()), nullptr};
  auto inputs = unpack_inputs(in.text());
  if (!inputs) {
    log::warning("ignoring the last good inputs", {{"reason", inputs.error().message}});
    return std::nullopt;
  }
  // Earlier programs kept nothing more.
  stored.inputs = in.complete() ? std::move(*inputs) : with_held(std::move(*inputs), in.text());
  return stored;
}

std::optional<WallTime> LastGoodStore::load_last_good(WallTime now) const {
  const auto text = read(last_good_file);
  if (!text) return std::nullopt;
  auto time = parse_time(*text);
  if (!time) return std::nullopt;
  if (*time <= now) return *time;
  log::warning("the time of the last good graph lies in the future; its age counts from now",
               {{"time", format_time(*time)}, {"now", format_time(now)}});
  return now;
}

}  // namespace fairway::updateservice
