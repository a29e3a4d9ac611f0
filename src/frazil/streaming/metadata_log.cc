#include "frazil/streaming/metadata_log.h"

#include <algorithm>

#include "frazil/base/integer_text.h"
#include "frazil/base/json.h"
#include "frazil/base/text.h"
#include "frazil/base/uuid.h"
#include "frazil/tables/files/batch_file_log.h"

namespace frazil::streaming {
namespace {

constexpr std::string_view kVersion = "v1";
constexpr std::string_view kNoOffset = "-";

Error Malformed(const std::string& what, const std::string& text) {
  return Error::Plain(ExceptionClass::kSpark, "The streaming checkpoint is damaged: " + what + " is '" + text + "'");
}

/// The lines behind the version, without empty ones at the end.
Result<std::vector<std::string>> EntryLines(const std::string& text, bool exact_version) {
  FRAZIL_ASSIGN_OR_RETURN(auto lines, tables::LogLines(text, exact_version));
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

/// 0 where the member is missing.
Result<int64_t> NumberAt(const JsonValue& object, std::string_view name) {
  const auto* value = object.Find(name);
  if (value == nullptr) return int64_t{0};
  const auto number =
      value->kind == JsonValue::Kind::kNumber ? ParseInteger<int64_t>(value->text) : std::optional<int64_t>();
  if (number) return *number;
  return Error::Plain(ExceptionClass::kSpark, "No usable value for " + std::string(name) + ": " + value->Write());
}

}  // namespace

std::string MetadataLog::PathOf(int64_t batch) const { return storage::JoinPath(folder_, std::to_string(batch)); }

Result<bool> MetadataLog::Add(int64_t batch, std::string_view text) {
  FRAZIL_ASSIGN_OR_RETURN(auto outcome, store_->WriteIfAbsent(PathOf(batch), text));
  return outcome == storage::PutOutcome::kWritten;
}

Result<std::optional<std::string>> MetadataLog::Get(int64_t batch) const {
  auto text = store_->Read(PathOf(batch));
  if (text.ok()) return std::optional<std::string>(*std::move(text));
  if (storage::IsNotFound(text.error())) return std::optional<std::string>();
  return std::move(text).error();
}

Result<std::vector<int64_t>> MetadataLog::Batches() const {
  FRAZIL_ASSIGN_OR_RETURN(auto entries, store_->List(folder_, false));
  std::vector<int64_t> batches;
  for (const auto& entry : entries) {
    if (entry.is_directory) continue;
    const auto number = ParseInteger<int64_t>(entry.path.substr(entry.path.rfind('/') + 1));
    if (number && *number >= 0) batches.push_back(*number);
  }
  std::sort(batches.begin(), batches.end());
  return batches;
}

Result<std::optional<int64_t>> MetadataLog::Latest() const {
  FRAZIL_ASSIGN_OR_RETURN(auto batches, Batches());
  if (batches.empty()) return std::optional<int64_t>();
  return std::optional<int64_t>(batches.back());
}

Status MetadataLog::RemoveBefore(int64_t batch) {
  if (!oldest_) {
    FRAZIL_ASSIGN_OR_RETURN(auto batches, Batches());
    oldest_ = batches.empty() ? batch : batches.front();
  }
  for (; *oldest_ < batch; ++*oldest_) FRAZIL_RETURN_IF_ERROR(store_->Delete(PathOf(*oldest_)));
  return {};
}

std::string BatchOffsets::Text() const {
  JsonValue about;
  about.kind = JsonValue::Kind::kObject;
  about.members.emplace_back("batchWatermarkMs", JsonValue::OfNumber(std::to_string(watermark_ms)));
  about.members.emplace_back("batchTimestampMs", JsonValue::OfNumber(std::to_string(timestamp_ms)));
  JsonValue kept;
  kept.kind = JsonValue::Kind::kObject;
  for (const auto& [key, value] : settings) kept.members.emplace_back(key, JsonValue::OfString(value));
  about.members.emplace_back("conf", std::move(kept));
  std::string text = std::string(kVersion) + "\n" + about.Write();
  for (const auto& end : ends) text += "\n" + end.value_or(std::string(kNoOffset));
  return text;
}

Result<BatchOffsets> BatchOffsets::Parse(const std::string& text) {
  FRAZIL_ASSIGN_OR_RETURN(auto lines, EntryLines(text, false));
  if (lines.empty()) return Malformed("an entry of offsets", text);
  BatchOffsets offsets;
  if (!lines[0].empty()) {
    const auto parsed = ParseJson(lines[0]);
    if (!parsed.ok()) return Malformed("an entry of offsets", text);
    const auto& about = *parsed;
    FRAZIL_ASSIGN_OR_RETURN(offsets.watermark_ms, NumberAt(about, "batchWatermarkMs"));
    FRAZIL_ASSIGN_OR_RETURN(offsets.timestamp_ms, NumberAt(about, "batchTimestampMs"));
    if (const auto* kept = about.Find("conf"); kept != nullptr) {
      for (const auto& [key, value] : kept->members) offsets.settings[key] = value.text;
    }
  }
  for (size_t i = 1; i < lines.size(); ++i) {
    offsets.ends.push_back(lines[i] == kNoOffset ? std::nullopt : std::optional<Offset>(lines[i]));
  }
  return offsets;
}

std::string BatchCommit::Text() const {
  return std::string(kVersion) + "\n{\"nextBatchWatermarkMs\":" + std::to_string(next_watermark_ms) + "}";
}

Result<BatchCommit> BatchCommit::Parse(const std::string& text) {
  if (text.empty()) return Error::Plain(ExceptionClass::kSpark, "Incomplete log file in the offset commit log");
  FRAZIL_ASSIGN_OR_RETURN(auto lines, EntryLines(text, true));
  BatchCommit commit;
  if (lines.empty() || lines[0].empty()) return commit;
  const auto about = ParseJson(lines[0]);
  if (!about.ok()) return Malformed("an entry of commits", text);
  FRAZIL_ASSIGN_OR_RETURN(commit.next_watermark_ms, NumberAt(*about, "nextBatchWatermarkMs"));
  return commit;
}

Result<std::string> CheckpointQueryId(storage::ObjectStore& store, const std::string& folder) {
  const std::string path = storage::JoinPath(folder, "metadata");
  const std::string fresh = RandomUuidText();
  auto text = store.Read(path);
  if (!text.ok()) {
    if (!storage::IsNotFound(text.error())) return std::move(text).error();
    FRAZIL_ASSIGN_OR_RETURN(auto outcome, store.WriteIfAbsent(path, "{\"id\":\"" + fresh + "\"}"));
    if (outcome == storage::PutOutcome::kWritten) return fresh;
    text = store.Read(path);
    if (!text.ok()) return std::move(text).error();
  }
  const auto metadata = ParseJson(*text);
  const auto* id = metadata.ok() ? metadata->Find("id") : nullptr;
  if (id == nullptr || !Uuid::Parse(id->text)) return tables::InLogFile(path, Malformed("the file metadata", *text));
  return id->text;
}

}  // namespace frazil::streaming
