#pragma once

#include <set>

#include "frazil/analysis/analysis_context.h"

namespace frazil::analysis {

/// The scans that a micro-batch has in the place of streaming sources, as plan::ReadsStream takes them.
inline std::set<const void*> BoundScans(const AnalysisContext& context) {
  std::set<const void*> scans;
  for (const auto& [place, stream] : context.bound_streams) {
    if (stream.scan.scan != nullptr) scans.insert(stream.scan.scan.get());
  }
  return scans;
}

}  // namespace frazil::analysis
