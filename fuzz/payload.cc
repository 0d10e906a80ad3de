// SPDX-License-Identifier: Apache-2.0

// Release images: whatever their layers and manifests hold, reading, selecting and planning them ends, stays
// within its limits, and makes a plan that can be carried out.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>

#include "payload/manifest.h"
#include "payload/plan.h"
#include "payload/selection.h"
#include "release/internal/layers.h"

namespace {

using namespace fairway;

constexpr release::LayerLimits limits{
    .file_bytes = 4096, .all_bytes = 16384, .unpacked_bytes = std::uint64_t{1} << 20};

/// Checks that the steps of a plan have unique names, and that each comes after those that it needs.
void check(const payload::Plan& plan) {
  std::set<std::string> names;
  for (const payload::PlanStep& step : plan.steps) {
    for (const std::string& need : step.needs)
      if (!names.contains(need)) std::abort();
    if (!names.insert(step.name).second) std::abort();
    if (step.action != payload::Action::join && step.manifest >= plan.manifests.size()) std::abort();
  }
  if (plan.total() != plan.manifests.size()) std::abort();
}

void plan_of(const release::Files& files) {
  static_cast<void>(payload::read_image_references(files, "4.7.4"));
  auto manifests = payload::read_manifests(files);
  if (!manifests) return;
  for (const payload::Manifest& manifest : *manifests) {
    const auto id = manifest.id();
    if (id.kind.empty() || id.name.empty() || id.name.contains('/') || manifest.place().empty()) std::abort();
  }
  auto selected = payload::select(*std::move(manifests), {});
  if (!selected) return;
  for (const auto mode : {payload::Mode::initializing, payload::Mode::updating, payload::Mode::reconciling})
    check(payload::make_plan("4.7.4", selected->manifests, mode));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  if (data[0] % 2 == 0) {
    // Two files, whose names are of a level that the input names.
    const std::string level = std::to_string(data[1] % 3);
    const std::size_t half = data[1] < 128 ? bytes.size() : bytes.size() / 2;
    plan_of({{"0000_" + level + "_a_1.yaml", std::string(bytes.substr(0, half))},
             {"0000_1_b_1.yaml", std::string(bytes.substr(half))},
             {std::string(release::image_references_file), std::string(bytes)}});
    return 0;
  }
  const auto part = data[0] % 4 == 1 ? release::Part::metadata : release::Part::all;
  release::Layers layers(part, limits);
  const std::size_t piece = data[1] == 0 ? bytes.size() + 1 : data[1];
  for (std::size_t at = 0; at < bytes.size(); at += piece)
    static_cast<void>(layers.push(bytes.substr(at, piece)));
  if (!layers.end_layer()) return 0;
  std::size_t kept = 0;
  for (const auto& [name, text] : layers.files()) {
    if (name.empty() || name.contains('/')) std::abort();
    kept += text.size();
  }
  if (kept > limits.all_bytes) std::abort();
  plan_of(layers.files());
  return 0;
}
