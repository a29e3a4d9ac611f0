// Files of a folder as a streaming source: each file is read once, in the order of their times.
// Source: FileStreamSource of Spark, whose options, offsets and log (sources/N) these are.

#include <algorithm>
#include <set>

#include "frazil/base/byte_text.h"
#include "frazil/base/integer_text.h"
#include "frazil/base/json.h"
#include "frazil/base/logging.h"
#include "frazil/base/text.h"
#include "frazil/plan/unresolved_plan.h"
#include "frazil/storage/folder.h"
#include "frazil/streaming/source_kinds.h"
#include "frazil/tables/files/batch_file_log.h"
#include "frazil/tables/files/file_listing.h"

namespace frazil::streaming {
namespace {

constexpr int64_t kNoBatch = -1;

/// A file as the log of the source has it.
struct SeenFile {
  std::string path;  ///< As storage::LocalPath gives it.
  int64_t modified_ms = 0;
  int64_t batch = 0;  ///< Of the source's own log, not of the query.
};

struct FileLimits {
  std::optional<int64_t> files, bytes;
  bool latest_first = false;
};

enum class CleanUp : uint8_t { kOff, kDelete, kArchive };

Offset OffsetOf(int64_t batch) { return "{\"logOffset\":" + std::to_string(batch) + "}"; }

Result<int64_t> BatchOf(const std::optional<Offset>& offset) {
  if (!offset) return kNoBatch;
  const auto bare = ParseInteger<int64_t>(*offset);
  if (bare) return *bare;
  const auto object = ParseJson(*offset);
  const auto* batch = object.ok() ? object->Find("logOffset") : nullptr;
  const auto number = batch == nullptr ? std::nullopt : ParseInteger<int64_t>(batch->text);
  if (!number) return Error::Plain(ExceptionClass::kSpark, "The offset '" + *offset + "' is none of a folder of files");
  return *number;
}

std::string EntryOf(const SeenFile& file) {
  JsonValue entry;
  entry.kind = JsonValue::Kind::kObject;
  const std::string uri = (storage::SchemeOf(file.path).empty() ? "file://" : "") + UriPathEncode(file.path);
  entry.members.emplace_back("path", JsonValue::OfString(uri));
  entry.members.emplace_back("timestamp", JsonValue::OfNumber(std::to_string(file.modified_ms)));
  entry.members.emplace_back("batchId", JsonValue::OfNumber(std::to_string(file.batch)));
  return entry.Write();
}

Result<SeenFile> ReadEntry(const std::string& text) {
  FRAZIL_ASSIGN_OR_RETURN(auto entry, ParseJson(text));
  const auto *path = entry.Find("path"), *time = entry.Find("timestamp"), *batch = entry.Find("batchId");
  if (path == nullptr || time == nullptr || batch == nullptr)
    return Error::Plain(ExceptionClass::kSpark, "An entry of a file source's log cannot be read: " + text);
  return SeenFile{storage::LocalPath(PercentDecode(path->text)), ParseInteger<int64_t>(time->text).value_or(0),
                  ParseInteger<int64_t>(batch->text).value_or(0)};
}

class FileSource : public Source {
 public:
  FileSource(SourceDescription about, std::string folder, storage::ObjectStorePtr log_store,
             storage::ObjectStorePtr store, FileLimits limits, tables::ListingOptions listing)
      : about_(std::move(about)),
        log_store_(std::move(log_store)),
        log_(*log_store_, std::move(folder)),
        store_(std::move(store)),
        limits_(limits),
        listing_(std::move(listing)) {}

  /// Reads what was seen before.
  Status Load() {
    FRAZIL_ASSIGN_OR_RETURN(auto entries, log_.Entries());
    for (const auto& text : entries) {
      FRAZIL_ASSIGN_OR_RETURN(auto file, ReadEntry(text));
      last_batch_ = std::max(last_batch_, file.batch);
      Remember(std::move(file));
    }
    FRAZIL_ASSIGN_OR_RETURN(auto latest, log_.Latest());
    last_batch_ = std::max(last_batch_, latest.value_or(kNoBatch));
    return {};
  }

  void CleanUpWith(CleanUp clean_up, std::string archive) {
    clean_up_ = clean_up;
    archive_ = std::move(archive);
  }

  std::string description() const override {
    return "FileStreamSource[" + std::string(storage::SchemeOf(about_.path).empty() ? "file:" : "") + about_.path + "]";
  }

  Result<std::optional<Offset>> NextOffset(const std::optional<Offset>& start, bool all,
                                           commands::CommandContext&) override {
    // What the log has beyond the query's offsets was found by a run that ended before it wrote its own.
    FRAZIL_ASSIGN_OR_RETURN(const int64_t begin, KnownBatchOf(start));
    FRAZIL_ASSIGN_OR_RETURN(auto fresh, NewFiles());
    auto end = fresh.begin();
    int64_t bytes = 0;
    for (; end != fresh.end(); ++end) {
      if (all) continue;
      if (limits_.files && end - fresh.begin() >= *limits_.files) break;
      bytes += end->size;
      if (limits_.bytes && bytes > *limits_.bytes && end != fresh.begin()) break;
    }
    if (end != fresh.begin()) {
      std::vector<std::string> entries;
      std::vector<SeenFile> taken;
      for (auto file = fresh.begin(); file != end; ++file) {
        taken.push_back({file->path, file->modified_micros / 1000, last_batch_ + 1});
        entries.push_back(EntryOf(taken.back()));
      }
      FRAZIL_ASSIGN_OR_RETURN(bool added, log_.Add(last_batch_ + 1, entries));
      if (!added) {
        return Error::Of(ExceptionClass::kSpark, "CONCURRENT_STREAM_LOG_UPDATE",
                         {{"batchId", std::to_string(last_batch_ + 1)}});
      }
      ++last_batch_;
      for (auto& file : taken) Remember(std::move(file));
    }
    if (last_batch_ == begin) return start;
    return std::optional<Offset>(OffsetOf(last_batch_));
  }

  Result<SourceRows> Rows(const std::optional<Offset>& start, const Offset& end,
                          commands::CommandContext& context) override {
    FRAZIL_ASSIGN_OR_RETURN(const int64_t begin, BatchOf(start));
    FRAZIL_ASSIGN_OR_RETURN(const int64_t last, KnownBatchOf(end));
    plan::DataSourcePlan files;
    files.format = about_.format;
    files.schema = about_.schema->Json();
    for (const auto& [key, value] : about_.options) {
      if (key != "path" && key != "paths") files.options[key] = value;
    }
    if (!files.options.contains("basepath")) files.options["basepath"] = about_.path;
    for (const auto& file : seen_) {
      if (file.batch > begin && file.batch <= last) files.paths.push_back(file.path);
    }
    SourceRows rows;
    if (files.paths.empty()) {
      auto none = std::make_shared<plan::LocalRelationPlan>();
      none->schema = about_.schema;
      rows.stream.rows = std::move(none);
      rows.count = 0;
      return rows;
    }
    FRAZIL_ASSIGN_OR_RETURN(auto opened, context.OpenDataSource(files));
    if (opened.scan->schema()->fields().size() == about_.schema->fields().size() &&
        std::equal(opened.scan->schema()->fields().begin(), opened.scan->schema()->fields().end(),
                   about_.schema->fields().begin(), [](const StructField& left, const StructField& right) {
                     return left.name == right.name && left.type->EqualsIgnoreNullability(*right.type);
                   })) {
      rows.stream.scan = std::move(opened);
      return rows;
    }
    // Partition folders put their columns last; the query has them where its schema has them.
    auto columns = std::make_shared<plan::ToSchemaPlan>();
    columns->child = std::make_shared<plan::DataSourcePlan>(std::move(files));
    columns->schema = about_.schema;
    rows.stream.rows = std::move(columns);
    return rows;
  }

  Status StopAtPresent(commands::CommandContext&) override {
    FRAZIL_ASSIGN_OR_RETURN(auto fresh, NewFiles());
    present_.emplace();
    for (const auto& file : fresh) present_->insert(file.path);
    return {};
  }

  std::optional<Offset> newest() const override {
    return last_batch_ == kNoBatch ? std::nullopt : std::optional<Offset>(OffsetOf(last_batch_));
  }

  Status Committed(const Offset& end, commands::CommandContext&) override {
    if (clean_up_ == CleanUp::kOff) return {};
    FRAZIL_ASSIGN_OR_RETURN(const int64_t last, BatchOf(end));
    for (const auto& file : seen_) {
      if (file.batch <= cleaned_ || file.batch > last) continue;
      Status done = clean_up_ == CleanUp::kDelete ? store_->Delete(file.path) : Archive(file.path);
      // As in Spark what could not be cleaned up stays, and the query goes on.
      if (!done.ok())
        Log(LogLevel::kWarn, "A file that a stream has read could not be cleaned up",
            {{"path", file.path}, {"error", done.error().message}});
    }
    cleaned_ = std::max(cleaned_, last);
    return {};
  }

 private:
  void Remember(SeenFile file) {
    known_.insert(file.path);
    seen_.push_back(std::move(file));
  }

  /// The batch of an offset of the query. Error where the source's own log has lost it: its next batch would have the
  /// same number, and its files would be taken for read.
  Result<int64_t> KnownBatchOf(const std::optional<Offset>& offset) const {
    FRAZIL_ASSIGN_OR_RETURN(const int64_t batch, BatchOf(offset));
    if (batch <= last_batch_) return batch;
    return Error::Plain(ExceptionClass::kSpark,
                        "batch " + std::to_string(batch) + " doesn't exist in the log " + log_.folder());
  }

  Result<std::vector<tables::ListedFile>> NewFiles() {
    std::vector<tables::ListedFile> fresh;
    auto listing = tables::ListFiles(*store_, {about_.path}, listing_);
    if (!listing.ok()) {
      // The folder may come later.
      if (listing.error().condition == "PATH_NOT_FOUND") return fresh;
      return std::move(listing).error();
    }
    for (auto& file : listing->files) {
      const std::string path = storage::LocalPath(file.path);
      if (known_.contains(path) || (present_ && !present_->contains(path))) continue;
      file.path = path;
      fresh.push_back(std::move(file));
    }
    std::stable_sort(fresh.begin(), fresh.end(), [&](const auto& left, const auto& right) {
      return limits_.latest_first ? left.modified_micros > right.modified_micros
                                  : left.modified_micros < right.modified_micros;
    });
    return fresh;
  }

  Status Archive(const std::string& path) {
    // The file keeps its whole path below the archive, as in Spark.
    const std::string target = storage::JoinPath(archive_, path.substr(path.find_first_not_of('/')));
    FRAZIL_RETURN_IF_ERROR(store_->CreateFolder(target.substr(0, target.rfind('/'))));
    return store_->Rename(path, target);
  }

  const SourceDescription about_;
  const storage::ObjectStorePtr log_store_;
  tables::BatchFileLog log_;
  const storage::ObjectStorePtr store_;
  const FileLimits limits_;
  const tables::ListingOptions listing_;
  CleanUp clean_up_ = CleanUp::kOff;
  std::string archive_;
  std::vector<SeenFile> seen_;
  std::set<std::string> known_;
  std::optional<std::set<std::string>> present_;  ///< AvailableNow: nothing but these.
  int64_t last_batch_ = kNoBatch;
  int64_t cleaned_ = kNoBatch;
};

Result<std::optional<int64_t>> PositiveOption(const SourceDescription& about, const std::string& key,
                                              const std::string& name) {
  const auto found = about.options.find(key);
  if (found == about.options.end()) return std::optional<int64_t>();
  const auto number = ParseInteger<int64_t>(found->second);
  if (!number || *number <= 0) {
    return Error::Plain(ExceptionClass::kIllegalArgument,
                        "Invalid value '" + found->second + "' for option '" + name + "', must be a positive integer");
  }
  return number;
}

}  // namespace

Result<std::unique_ptr<Source>> MakeFileSource(const SourceDescription& description, const std::string& folder,
                                               commands::CommandContext& context) {
  FileLimits limits;
  FRAZIL_ASSIGN_OR_RETURN(limits.files, PositiveOption(description, "maxfilespertrigger", "maxFilesPerTrigger"));
  FRAZIL_ASSIGN_OR_RETURN(limits.bytes, PositiveOption(description, "maxbytespertrigger", "maxBytesPerTrigger"));
  const auto option = [&](const char* key) -> std::string {
    const auto found = description.options.find(key);
    return found == description.options.end() ? std::string() : found->second;
  };
  const std::string latest_first = option("latestfirst");
  limits.latest_first = EqualsIgnoreCase(latest_first, "true");
  if (description.options.contains("latestfirst") && !limits.latest_first && !EqualsIgnoreCase(latest_first, "false")) {
    return Error::Plain(ExceptionClass::kIllegalArgument,
                        "Invalid value '" + latest_first + "' for option 'latestFirst', must be 'true' or 'false'");
  }
  FRAZIL_ASSIGN_OR_RETURN(auto log_store, context.stores().StoreFor(folder, context.execution().store_settings));
  FRAZIL_ASSIGN_OR_RETURN(auto store, context.stores().StoreFor(description.path, context.execution().store_settings));
  FRAZIL_ASSIGN_OR_RETURN(auto zone, TimeZone::Find(context.settings().time_zone));
  FRAZIL_ASSIGN_OR_RETURN(auto listing, tables::ReadListingOptions(description.options, zone));
  auto source = std::make_unique<FileSource>(description, folder, std::move(log_store), std::move(store), limits,
                                             std::move(listing));
  const std::string clean_up = AsciiLower(option("cleansource"));
  if (clean_up == "delete") {
    source->CleanUpWith(CleanUp::kDelete, "");
  } else if (clean_up == "archive") {
    const std::string archive = option("sourcearchivedir");
    if (archive.empty())
      return Error::Plain(ExceptionClass::kIllegalArgument,
                          "Archive mode must be used with 'sourceArchiveDir' option.");
    source->CleanUpWith(CleanUp::kArchive, storage::FolderOf(archive));
  } else if (!clean_up.empty() && clean_up != "off") {
    return Error::Plain(ExceptionClass::kIllegalArgument,
                        "Invalid mode for clean source option " + clean_up + ". Must be one of archive,delete,off");
  }
  FRAZIL_RETURN_IF_ERROR(source->Load());
  return std::unique_ptr<Source>(std::move(source));
}

}  // namespace frazil::streaming
