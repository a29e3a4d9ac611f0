#pragma once

#include <deque>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "frazil/storage/large_objects.h"
#include "frazil/storage/object_store.h"
#include "frazil/storage/s3/s3_client.h"

namespace frazil::storage {

/// Writes an object in one request where it is small, else in parts, several at a time ("Multipart upload"). Without
/// Finish the parts are given up.
class S3Upload : public ObjectWriter {
 public:
  S3Upload(std::shared_ptr<S3Client> client, S3Location location);
  ~S3Upload() override;

  Status Append(std::string_view data) override;
  Status Finish() override;

 private:
  Status Begin();
  /// Sends the buffer as the next part; waits while too many are under way.
  Status SendPart();
  Status WaitForOldest();
  Status Complete();
  void GiveUp();
  int64_t PartSize() const;

  std::shared_ptr<S3Client> client_;
  S3Location location_;
  std::string buffer_;
  std::string upload_id_;
  int64_t length_ = 0;
  std::vector<std::string> tags_;  ///< ETag of each part that is done.
  std::deque<std::future<Result<std::string>>> under_way_;
  int parts_sent_ = 0;
  bool ended_ = false;
};

/// The whole object by one PUT.
Status PutObject(S3Client& client, const S3Location& location, std::string_view data);

}  // namespace frazil::storage
