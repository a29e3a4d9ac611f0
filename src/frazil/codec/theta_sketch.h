#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace frazil::codec {

/// A theta sketch of Apache DataSketches: how many distinct values there are, told by the least of their hashes.
/// Source: Puffin specification, "apache-datasketches-theta-v1"; the compact, ordered form of the library.
struct ThetaSketch {
  /// So many hashes are kept; DataSketches' default.
  static constexpr size_t kNominalEntries = 4096;

  std::vector<uint64_t> hashes;  ///< Ascending, without repeats, 63 bits each, all below theta.
  uint64_t theta = INT64_MAX;    ///< INT64_MAX: the hashes are those of all values.

  /// Of the least hashes of all values, ascending; one more than kNominalEntries says that there are more.
  static ThetaSketch OfLeast(std::vector<uint64_t> least);
  /// About how many distinct values there are.
  double Estimate() const;
  std::string Serialize() const;
};

}  // namespace frazil::codec
