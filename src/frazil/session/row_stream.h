#pragma once

#include <deque>
#include <memory>

#include "frazil/engine/engine.h"

namespace frazil::session {

/// A stream of batches that are in memory already. Without any, the client still gets the schema.
class BatchStream : public engine::ResultStream {
 public:
  BatchStream(DataTypePtr schema, std::deque<std::unique_ptr<ArrowBatch>> batches)
      : schema_(std::move(schema)), batches_(std::move(batches)) {}
  const DataTypePtr& schema() const override { return schema_; }
  Result<std::unique_ptr<ArrowBatch>> Next() override {
    if (batches_.empty()) return std::unique_ptr<ArrowBatch>();
    auto batch = std::move(batches_.front());
    batches_.pop_front();
    return batch;
  }

 private:
  DataTypePtr schema_;
  std::deque<std::unique_ptr<ArrowBatch>> batches_;
};

}  // namespace frazil::session
