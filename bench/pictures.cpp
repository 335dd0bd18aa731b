#include "pictures.h"

#include <fmt/format.h>

#include <cstring>
#include <fstream>
#include <optional>
#include <random>

namespace braid::bench {

namespace {

struct Image {
  int width = 0, height = 0;
  std::vector<char> rgb;
};

std::size_t bytes_of(int width, int height) {
  return static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3;
}

std::optional<Image> read_ppm(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string magic;
  Image image;
  int depth = 0;
  file >> magic >> image.width >> image.height >> depth;
  file.get();
  if (!file || magic != "P6" || depth != 255 || image.width < 1 || image.height < 1) return std::nullopt;
  image.rgb.resize(bytes_of(image.width, image.height));
  file.read(image.rgb.data(), static_cast<std::streamsize>(image.rgb.size()));
  if (!file) return std::nullopt;
  return image;
}

Frame frame_of(SlotPool& pool, int width, int height) {
  Frame frame;
  frame.width = width;
  frame.height = height;
  frame.stride = 3 * width;
  frame.pixels = *pool.take();
  return frame;
}

}  // namespace

Result<std::vector<Frame>> read_pictures(const std::string& folder) {
  std::vector<Image> images;
  while (auto image = read_ppm(fmt::format("{}/{}.ppm", folder, images.size())))
    images.push_back(std::move(*image));
  if (images.empty()) return fail(ErrorCode::kBadInput, fmt::format("no picture 0.ppm in {}", folder));
  const auto [width, height] = std::pair(images[0].width, images[0].height);
  SlotPool pool(bytes_of(width, height), images.size());
  std::vector<Frame> frames;
  for (const Image& image : images) {
    if (image.width != width || image.height != height)
      return fail(ErrorCode::kBadInput, fmt::format("pictures in {} differ in size", folder));
    frames.push_back(frame_of(pool, width, height));
    std::memcpy(frames.back().pixels.data(), image.rgb.data(), image.rgb.size());
  }
  return frames;
}

std::vector<Frame> draw_pictures(int count, int width, int height) {
  constexpr int kBlock = 40;  // px
  SlotPool pool(bytes_of(width, height), static_cast<std::size_t>(count));
  std::vector<Frame> frames;
  for (int i = 0; i < count; ++i) {
    frames.push_back(frame_of(pool, width, height));
    std::mt19937 random(static_cast<std::uint32_t>(i));
    std::vector<std::uint8_t> colours(3 * static_cast<std::size_t>(width / kBlock + 1));
    for (int y = 0; y < height; ++y) {
      if (y % kBlock == 0)
        for (auto& colour : colours) colour = static_cast<std::uint8_t>(random());
      std::uint8_t* row = frames.back().pixels.data() + static_cast<std::ptrdiff_t>(y) * 3 * width;
      for (int x = 0; x < width; ++x) std::memcpy(row + 3 * x, colours.data() + 3 * (x / kBlock), 3);
    }
  }
  return frames;
}

}  // namespace braid::bench
