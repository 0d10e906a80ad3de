// SPDX-License-Identifier: Apache-2.0

#include "release/pull.h"

#include <ranges>
#include <utility>

#include "oci/image.h"
#include "release/internal/layers.h"

namespace fairway::release {

Result<Contents> pull(oci::Registry& registry, const oci::Reference& reference, Part part,
                      const Limits& limits) {
  const auto image = oci::read_image(registry, reference, limits);
  if (!image) return fail(image.error());
  auto arch = oci::read_architecture(registry, *image, limits);
  if (!arch) return fail(arch.error());
  Layers layers(part);
  for (const oci::Descriptor& layer : std::views::reverse(image->manifest.layers)) {
    const auto push = [&layers](std::string_view piece) -> Result<void> {
      layers.push(piece);
      return {};
    };
    if (auto read = registry.stream_blob(image->reference, layer, push, limits); !read)
      return fail(read.error());
    const auto more = layers.end_layer();
    if (!more) return fail(more.error().within("reading the layer " + layer.digest));
    if (!*more) break;
  }
  return Contents{.arch = *std::move(arch), .files = layers.files()};
}

}  // namespace fairway::release
