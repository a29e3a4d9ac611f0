#include "frazil/storage/s3/s3_upload.h"

#include "frazil/base/integer_text.h"
#include "frazil/base/logging.h"
#include "frazil/net/xml.h"
#include "frazil/storage/interrupt.h"

namespace frazil::storage {
namespace {

constexpr size_t kPartsUnderWay = 4;

}  // namespace

Status PutObject(S3Client& client, const S3Location& location, std::string_view data) {
  S3Request request;
  request.method = "PUT";
  request.location = location;
  request.body = data;
  request.writes_object = true;
  FRAZIL_RETURN_IF_ERROR(client.SendChecked(request));
  return {};
}

S3Upload::S3Upload(std::shared_ptr<S3Client> client, S3Location location)
    : client_(std::move(client)), location_(std::move(location)) {}

S3Upload::~S3Upload() {
  if (!ended_) GiveUp();
}

// An upload has at most 10,000 parts: later ones are larger, for up to some terabytes.
int64_t S3Upload::PartSize() const { return client_->options().part_size * (1 + parts_sent_ / 1000); }

Status S3Upload::Append(std::string_view data) {
  while (!data.empty()) {
    const auto room = static_cast<size_t>(PartSize()) - buffer_.size();
    buffer_.append(data.substr(0, room));
    length_ += static_cast<int64_t>(std::min(room, data.size()));
    data.remove_prefix(std::min(room, data.size()));
    // A full part waits until more comes: the last one goes with the end.
    if (!data.empty()) FRAZIL_RETURN_IF_ERROR(SendPart());
  }
  return {};
}

Status S3Upload::Begin() {
  S3Request request;
  request.method = "POST";
  request.location = location_;
  request.query = {{"uploads", ""}};
  request.writes_object = true;
  FRAZIL_ASSIGN_OR_RETURN(auto response, client_->SendChecked(request));
  FRAZIL_ASSIGN_OR_RETURN(auto document, net::ParseXml(response.body));
  upload_id_ = document.TextOf("UploadId");
  if (upload_id_.empty()) return Error::Storage("No upload id in the answer for " + location_.ToString());
  return {};
}

Status S3Upload::SendPart() {
  if (upload_id_.empty()) FRAZIL_RETURN_IF_ERROR(Begin());
  while (under_way_.size() >= kPartsUnderWay) FRAZIL_RETURN_IF_ERROR(WaitForOldest());
  const int number = ++parts_sent_;
  auto send = [client = client_, location = location_, upload_id = upload_id_, number, data = std::move(buffer_),
               interrupted = InterruptScope::Current()]() -> Result<std::string> {
    InterruptScope scope(interrupted);
    S3Request request;
    request.method = "PUT";
    request.location = location;
    request.query = {{"partNumber", std::to_string(number)}, {"uploadId", upload_id}};
    request.body = data;
    FRAZIL_ASSIGN_OR_RETURN(auto response, client->SendChecked(request));
    const auto* tag = response.FindHeader("ETag");
    if (tag == nullptr) return Error::Storage("No ETag in the answer for a part of " + location.ToString());
    return *tag;
  };
  buffer_.clear();
  under_way_.push_back(std::async(std::launch::async, std::move(send)));
  return {};
}

Status S3Upload::WaitForOldest() {
  auto done = under_way_.front().get();
  under_way_.pop_front();
  FRAZIL_ASSIGN_OR_RETURN(auto tag, std::move(done));
  tags_.push_back(std::move(tag));
  return {};
}

Status S3Upload::Finish() {
  if (upload_id_.empty()) {
    ended_ = true;
    return PutObject(*client_, location_, buffer_);
  }
  FRAZIL_RETURN_IF_ERROR(SendPart());
  while (!under_way_.empty()) FRAZIL_RETURN_IF_ERROR(WaitForOldest());
  FRAZIL_RETURN_IF_ERROR(Complete());
  ended_ = true;
  return {};
}

Status S3Upload::Complete() {
  std::string body = "<CompleteMultipartUpload>";
  for (size_t i = 0; i < tags_.size(); ++i) {
    body += "<Part><PartNumber>" + std::to_string(i + 1) + "</PartNumber><ETag>" + net::EscapeXml(tags_[i]) +
            "</ETag></Part>";
  }
  body += "</CompleteMultipartUpload>";
  S3Request request;
  request.method = "POST";
  request.location = location_;
  request.query = {{"uploadId", upload_id_}};
  request.body = body;
  request.only_once = true;
  FRAZIL_ASSIGN_OR_RETURN(auto sent, client_->Send(request));
  if (sent.response.ok() && sent.response.body.find("<Error") == std::string::npos) return {};
  if (sent.earlier_unknown) {
    // An attempt whose answer was lost may have completed the upload; then there is none of this id any more.
    S3Request look;
    look.method = "HEAD";
    look.location = location_;
    look.reads_object = true;
    auto found = client_->SendChecked(look);
    const auto* length = found.ok() ? found->FindHeader("Content-Length") : nullptr;
    if (length != nullptr && ParseInteger<int64_t>(*length) == length_) return {};
  }
  return client_->ErrorOf(request, sent.response);
}

void S3Upload::GiveUp() {
  ended_ = true;
  for (auto& part : under_way_) part.wait();
  if (upload_id_.empty()) return;
  S3Request request;
  request.method = "DELETE";
  request.location = location_;
  request.query = {{"uploadId", upload_id_}};
  InterruptScope not_interrupted({});
  auto sent = client_->SendChecked(request);
  if (!sent.ok() && !IsNotFound(sent.error()))
    Log(LogLevel::kWarn, "An upload could not be given up",
        {{"path", location_.ToString()}, {"error", sent.error().message}});
}

}  // namespace frazil::storage
