// SPDX-License-Identifier: Apache-2.0

#include "payload/manifest.h"

#include <optional>
#include <utility>

#include "base/json_unambiguous.h"
#include "base/text.h"
#include "k8s/documents.h"
#include "k8s/names.h"

namespace fairway::payload {

namespace {

constexpr std::size_t max_manifests = 20'000;
constexpr std::size_t max_problems = 10;
constexpr int max_list_depth = 4;

std::string place_of(const std::string& file, int document, int line) {
  return printable(file) + ", document " + std::to_string(document) + " (line " + std::to_string(line) + ")";
}

/// Returns why an object could not be applied, whatever its kind; empty: nothing is wrong with it.
std::string fault_of(const k8s::Dynamic& object) {
  const std::string_view api_version = object.api_version();
  if (api_version.empty()) return "it has no apiVersion";
  const auto version = k8s::GroupVersion::parse(api_version);
  if (!version) return version.error().message;
  for (const std::string& part : {version->group, version->version, std::string(object.kind())}) {
    if (!part.empty() && !k8s::check_path_segment(part).empty()) return "its apiVersion or kind is no name";
  }
  if (object.kind().empty()) return "it has no kind";
  if (object.name().empty()) {
    return object.generate_name().empty() ? "it has no metadata.name"
                                          : "it has metadata.generateName; a release names its objects";
  }
  if (const auto faults = k8s::check_path_segment(object.name()); !faults.empty()) {
    return "metadata.name \"" + printable(object.name()) + "\": " + faults.front();
  }
  if (object.namespace_name().empty()) return "";
  const auto faults = k8s::check_dns_label(object.namespace_name());
  if (faults.empty()) return "";
  return "metadata.namespace \"" + printable(object.namespace_name()) + "\": " + faults.front();
}

class Reader {
 public:
  void read(const std::string& file, const std::string& text) {
    auto documents = k8s::read_documents(text);
    if (!documents) {
      problems_.push_back(printable(file) + ": " + documents.error().message);
      return;
    }
    int number = 0;
    for (k8s::Document& document : *documents) {
      ++number;
      take(file, number, document.line, std::move(document.value), 0);
      if (ended()) return;
    }
  }

  bool ended() const { return problems_.size() >= max_problems || too_many_; }

  Result<std::vector<Manifest>> finish() {
    if (too_many_) {
      return fail(ErrorCode::too_large,
                  "the release has more than " + std::to_string(max_manifests) + " manifests");
    }
    if (!problems_.empty()) return fail(ErrorCode::invalid, join(problems_, "; "));
    return std::move(manifests_);
  }

 private:
  void take(const std::string& file, int number, int line, json::Value value, int depth) {
    if (value.is_null()) return;
    const auto refuse = [&](const std::string& why) {
      problems_.push_back(place_of(file, number, line) + ": " + why);
    };
    if (!value.is_object()) return refuse("it is no object");
    json::Object& object = value.as_object();
    const auto kind = json::find_string(value, "kind");
    json::Value* const items = object.if_contains("items");
    if (kind && kind->ends_with("List") && items != nullptr && items->is_array()) {
      if (depth >= max_list_depth) return refuse("its Lists are nested too deeply");
      for (json::Value& item : items->as_array()) {
        take(file, number, line, std::move(item), depth + 1);
        if (ended()) return;
      }
      return;
    }
    Manifest manifest{
        .file = file, .document = number, .line = line, .object = k8s::Dynamic(std::move(object))};
    if (const std::string fault = fault_of(manifest.object); !fault.empty()) return refuse(fault);
    manifests_.push_back(std::move(manifest));
    too_many_ = manifests_.size() > max_manifests;
  }

  std::vector<Manifest> manifests_;
  std::vector<std::string> problems_;
  bool too_many_ = false;
};

}  // namespace

ObjectId ObjectId::of(const k8s::Dynamic& object) {
  return {object.group_version_kind().group, std::string(object.kind()), std::string(object.namespace_name()),
          std::string(object.name())};
}

std::string ObjectId::to_string() const {
  const std::string whole = namespace_name.empty() ? name : namespace_name + "/" + name;
  return to_lower(kind) + " \"" + whole + "\"";
}

std::string Manifest::place() const {
  return place_of(file, document, line);
}

Result<std::vector<Manifest>> read_manifests(const release::Files& files) {
  Reader reader;
  for (const auto& [name, text] : files) {
    if (release::is_manifest_file(name)) reader.read(name, text);
    if (reader.ended()) break;
  }
  return reader.finish();
}

Result<std::map<std::string, std::string>> read_image_references(const release::Files& files,
                                                                 std::string_view version) {
  std::map<std::string, std::string> images;
  const auto file = files.find(std::string(release::image_references_file));
  if (file == files.end()) return images;
  const std::string doing = "reading " + file->first;
  auto document = json::parse_unambiguous(file->second);
  if (!document) return fail(document.error().within(doing));
  if (json::find_string(*document, "kind") != "ImageStream" ||
      json::find_string(*document, "apiVersion") != "image.openshift.io/v1") {
    return fail(ErrorCode::invalid, doing + ": it is no ImageStream of image.openshift.io/v1");
  }
  const k8s::Dynamic stream(std::move(document->as_object()));
  if (!stream.name().empty() && stream.name() != version) {
    return fail(ErrorCode::conflict, doing + ": it is of the release \"" + printable(stream.name()) +
                                         "\", and the release's metadata of " + std::string(version));
  }
  for (const k8s::View& tag : stream.items("spec.tags")) {
    if (tag.text("name").empty() || tag.text("from.name").empty()) {
      return fail(ErrorCode::invalid, doing + ": a tag has no name, or no image (from.name)");
    }
    const auto [at, added] =
        images.emplace(std::string(tag.text("name")), std::string(tag.text("from.name")));
    if (!added)
      return fail(ErrorCode::invalid, doing + ": the tag \"" + printable(at->first) + "\" is there twice");
  }
  return images;
}

}  // namespace fairway::payload
