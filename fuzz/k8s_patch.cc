// SPDX-License-Identifier: Apache-2.0

// Whatever the document and the patch: no crash, nothing that grows without bounds, and patches made of two
// documents make the one of the other. The input is a list of a document and a patch.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/json.h"
#include "k8s/equality.h"
#include "k8s/internal/patch/apply_document.h"
#include "k8s/patch/json_patch.h"
#include "k8s/patch/merge_patch.h"
#include "k8s/patch/strategic_patch.h"

namespace {

using namespace fairway;
using namespace fairway::k8s;

void require(bool condition) {
  if (!condition) std::abort();
}

/// Checks that the result of a patch can be written and read again.
void check(const Result<json::Value>& result) {
  if (!result) return require(!result.error().message.empty());
  const auto again = json::parse(json::to_text(*result));
  require(again && equal(*again, *result));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 32'768) return 0;
  const auto input = json::parse(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!input || !input->is_array() || input->as_array().size() != 2) return 0;
  const auto again = json::parse(json::to_text(*input));
  require(again && equal(*again, *input));
  const json::Value &document = input->as_array()[0], &patch = input->as_array()[1];

  check(apply_json_patch(document, patch));
  const auto made = apply_json_patch(document, json::Value(json_patch_between(document, patch)));
  require(made && equal(*made, patch));

  const auto merged = apply_merge_patch(document, patch);
  check(merged);
  if (merged) {
    require(equal(*apply_merge_patch(*merged, patch), *merged));
    if (document.is_object() && merged->is_object()) {
      // What is merged has no nulls but those that the document had.
      const auto between = merge_patch_between(document.get_object(), merged->get_object());
      require(between && equal(*apply_merge_patch(document, json::Value(*between)), *merged));
    }
  }

  for (const GroupKind& kind :
       {GroupKind{"", "Pod"}, GroupKind{"apps", "Deployment"}, GroupKind{"policy", "PodDisruptionBudget"}}) {
    check(apply_strategic_patch(document, patch, *PatchSchema::of(kind)));
  }
  if (document.is_object()) {
    const Dynamic applied = apply_document(Dynamic(document.as_object()));
    require(apply_document(applied).to_text() == applied.to_text());
  }
  return 0;
}
