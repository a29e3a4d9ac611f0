#pragma once

#include "frazil/types/arrow_c.h"

namespace frazil {

/// A view of a batch of a table that keeps the whole table alive: for readers that take a batch over, and tables that
/// have it too.
inline ArrowBatch ShareBatch(const ArrowTablePtr& table, const ArrowBatch& batch) {
  ArrowArray view = batch.array();
  view.private_data = new ArrowTablePtr(table);
  view.release = [](ArrowArray* array) {
    delete static_cast<ArrowTablePtr*>(array->private_data);
    array->release = nullptr;
  };
  return ArrowBatch(&view);
}

}  // namespace frazil
