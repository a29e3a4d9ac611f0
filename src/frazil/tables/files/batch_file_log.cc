#include "frazil/tables/files/batch_file_log.h"

#include <algorithm>

#include "frazil/base/byte_text.h"
#include "frazil/base/integer_text.h"
#include "frazil/base/json.h"
#include "frazil/base/text.h"

namespace frazil::tables {
namespace {

constexpr int64_t kCompactInterval = 10;
constexpr std::string_view kVersion = "v1";
constexpr std::string_view kCompact = ".compact";

bool IsCompact(int64_t batch) { return (batch + 1) % kCompactInterval == 0; }

}  // namespace

Result<std::vector<BatchFileLog::LogFile>> BatchFileLog::Files() const {
  FRAZIL_ASSIGN_OR_RETURN(auto entries, store_.List(folder_, false));
  std::vector<LogFile> files;
  for (const auto& entry : entries) {
    std::string name = entry.path.substr(entry.path.rfind('/') + 1);
    LogFile file;
    file.is_compact = name.ends_with(kCompact);
    if (file.is_compact) name.resize(name.size() - kCompact.size());
    const auto batch = ParseInteger<int64_t>(name);
    if (entry.is_directory || !batch || *batch < 0) continue;
    file.batch = *batch;
    file.path = entry.path;
    files.push_back(std::move(file));
  }
  std::sort(files.begin(), files.end(), [](const LogFile& left, const LogFile& right) {
    return std::pair(left.batch, left.is_compact) < std::pair(right.batch, right.is_compact);
  });
  const auto compact = std::find_if(files.rbegin(), files.rend(), [](const LogFile& file) { return file.is_compact; });
  if (compact != files.rend()) files.erase(files.begin(), compact.base() - 1);
  if (files.empty()) return files;
  std::vector<LogFile> whole;
  for (int64_t batch = files.front().is_compact ? files.front().batch : 0; auto& file : files) {
    for (; batch < file.batch; ++batch)
      whole.push_back({batch, false, storage::JoinPath(folder_, std::to_string(batch))});
    whole.push_back(std::move(file));
    ++batch;
  }
  return whole;
}

Result<std::optional<int64_t>> BatchFileLog::Latest() const {
  FRAZIL_ASSIGN_OR_RETURN(auto files, Files());
  return files.empty() ? std::optional<int64_t>() : files.back().batch;
}

Result<std::vector<std::string>> BatchFileLog::Entries() const {
  FRAZIL_ASSIGN_OR_RETURN(auto files, Files());
  std::vector<std::string> entries;
  for (const auto& file : files) {
    auto text = store_.Read(file.path);
    if (!text.ok() && storage::IsNotFound(text.error())) {
      return Error::Plain(ExceptionClass::kSpark,
                          file.path + " doesn't exist (latestId: " + std::to_string(files.back().batch) +
                              ", compactInterval: " + std::to_string(kCompactInterval) + ")");
    }
    if (!text.ok()) return std::move(text).error();
    auto lines = LogLines(*text);
    if (!lines.ok()) return InLogFile(file.path, std::move(lines).error());
    for (auto& line : *lines) {
      if (line.empty()) continue;
      const auto entry = ParseJson(line);
      if (!entry.ok() || entry->Find("path") == nullptr) {
        return InLogFile(file.path, Error::Plain(ExceptionClass::kSpark, "No usable value for path: " + line));
      }
      entries.push_back(std::move(line));
    }
  }
  return entries;
}

Result<bool> BatchFileLog::Add(int64_t batch, const std::vector<std::string>& entries) {
  const bool compact = IsCompact(batch);
  std::string text(kVersion);
  if (compact) {
    FRAZIL_ASSIGN_OR_RETURN(auto former, Entries());
    for (const auto& entry : former) text += "\n" + entry;
  }
  for (const auto& entry : entries) text += "\n" + entry;
  const std::string path =
      storage::JoinPath(folder_, std::to_string(batch) + (compact ? std::string(kCompact) : std::string()));
  FRAZIL_ASSIGN_OR_RETURN(auto outcome, store_.WriteIfAbsent(path, text));
  if (outcome == storage::PutOutcome::kAlreadyExists) return false;
  // A reader that has listed the log before still finds what it needs: only what two compact files cover goes.
  if (compact) {
    for (int64_t old = std::max<int64_t>(0, batch - 2 * kCompactInterval); old + kCompactInterval < batch; ++old) {
      const std::string name = std::to_string(old) + (IsCompact(old) ? std::string(kCompact) : std::string());
      FRAZIL_RETURN_IF_ERROR(store_.Delete(storage::JoinPath(folder_, name)));
    }
  }
  return true;
}

Result<std::vector<std::string>> LogLines(std::string_view text, bool exact_version) {
  if (text.empty()) return Error::Plain(ExceptionClass::kSpark, "Incomplete log file");
  auto lines = Split(text, '\n');
  if (lines[0] != kVersion) {
    const auto version = lines[0].starts_with('v') ? ParseInteger<int32_t>(lines[0].substr(1)) : std::nullopt;
    if (!version || *version <= 0) return Error::Of("MALFORMED_LOG_FILE", {{"text", lines[0]}});
    return exact_version ? Error::Of("INVALID_LOG_VERSION.EXACT_MATCH_VERSION",
                                     {{"matchVersion", "1"}, {"version", std::to_string(*version)}})
                         : Error::Of("INVALID_LOG_VERSION.MAX_SUPPORTED_VERSION",
                                     {{"maxSupportedVersion", "1"}, {"version", std::to_string(*version)}});
  }
  lines.erase(lines.begin());
  return lines;
}

Error InLogFile(const std::string& path, Error error) {
  return Error::Plain(ExceptionClass::kSpark, "Failed to read log file " +
                                                  std::string(storage::SchemeOf(path).empty() ? "file:" : "") + path +
                                                  ". " + error.message)
      .CausedBy(std::move(error));
}

std::string SinkLogEntry(const std::string& path, int64_t size, int64_t modified_ms) {
  JsonValue entry;
  entry.kind = JsonValue::Kind::kObject;
  const auto number = [&](const char* name, int64_t value) {
    entry.members.emplace_back(name, JsonValue::OfNumber(std::to_string(value)));
  };
  const std::string uri = (storage::SchemeOf(path).empty() ? "file://" : "") + UriPathEncode(path);
  entry.members.emplace_back("path", JsonValue::OfString(uri));
  number("size", size);
  entry.members.emplace_back("isDir", JsonValue::OfBoolean(false));
  number("modificationTime", modified_ms);
  number("blockReplication", 1);
  number("blockSize", 32 * 1024 * 1024);
  entry.members.emplace_back("action", JsonValue::OfString("add"));
  return entry.Write();
}

Result<std::set<std::string>> CommittedSinkFiles(storage::ObjectStore& store, const std::string& folder) {
  FRAZIL_ASSIGN_OR_RETURN(auto entries, BatchFileLog(store, folder).Entries());
  std::set<std::string> paths;
  for (const auto& text : entries) {
    FRAZIL_ASSIGN_OR_RETURN(auto entry, ParseJson(text));
    const auto* path = entry.Find("path");
    const auto* action = entry.Find("action");
    std::string file = storage::LocalPath(PercentDecode(path->text));
    if (action != nullptr && action->text == "delete") {
      paths.erase(file);
    } else {
      paths.insert(std::move(file));
    }
  }
  return paths;
}

}  // namespace frazil::tables
