// What the history tells of a write: operation, parameters, metrics. Names: those of Delta's DeltaOperations.

#include <algorithm>
#include <map>

#include "frazil/base/clock.h"
#include "frazil/base/text.h"
#include "frazil/tables/delta/delta_write.h"

namespace frazil::tables::delta {
namespace {

/// Statements that change rows, or rewrite files with the same rows.
bool IsRowChange(const std::string& operation) {
  return operation == "delete" || operation == "update" || operation == "merge" || operation == "rewrite";
}

int64_t LiveRows(const FileAction& file) {
  return std::max<int64_t>(file.record_count - (file.deletion_vector ? file.deletion_vector->cardinality : 0), 0);
}

}  // namespace

/// What a change does to files. A file that gets another deletion vector is neither added nor removed.
struct DeltaWrite::Figures {
  int64_t added_files = 0, added_rows = 0, added_bytes = 0;
  int64_t removed_files = 0, removed_rows = 0, removed_bytes = 0;
  int64_t vectors_added = 0, vectors_removed = 0, vectors_updated = 0;
};

DeltaWrite::Figures DeltaWrite::FiguresOf(const std::vector<FileAction>& files) {
  Figures figures;
  std::map<std::string, const FileAction*> removed;
  for (const auto& file : files) {
    if (file.is_removed) removed[file.path] = &file;
  }
  for (const auto& file : files) {
    if (file.is_removed) continue;
    auto former = removed.find(file.path);
    if (former == removed.end()) {
      ++figures.added_files;
      figures.added_rows += LiveRows(file);
      figures.added_bytes += std::max<int64_t>(file.size, 0);
      continue;
    }
    const bool had_vector = former->second->deletion_vector.has_value();
    if (file.deletion_vector) ++figures.vectors_added;
    if (had_vector) ++figures.vectors_removed;
    if (had_vector && file.deletion_vector) ++figures.vectors_updated;
    removed.erase(former);
  }
  for (const auto& [path, file] : removed) {
    ++figures.removed_files;
    figures.removed_rows += LiveRows(*file);
    figures.removed_bytes += std::max<int64_t>(file->size, 0);
    if (file->deletion_vector) ++figures.vectors_removed;
  }
  return figures;
}

void DeltaWrite::DescribeRowChange(const Figures& figures, Change* change) const {
  const std::string& operation = options_.operation;
  const auto text = [](const std::string& value) { return JsonString(value); };
  auto& parameters = change->parameters;
  const auto metric = [&](const char* name, int64_t value) {
    change->metrics.emplace_back(name, std::to_string(value));
  };
  if (options_.summary.contains("truncates")) {
    change->operation = "TRUNCATE";
    metric("numRemovedFiles", figures.removed_files);
    metric("executionTimeMs", std::max<int64_t>(NowMicros() - row_figures_.started_micros, 0) / 1000);
    return;
  }
  const bool is_merge = operation == "merge", is_update = operation == "update", is_rewrite = operation == "rewrite";
  change->operation = is_merge ? "MERGE" : is_update ? "UPDATE" : is_rewrite ? "OPTIMIZE" : "DELETE";
  const bool purges = options_.summary.contains("applyPurge");
  if (purges) change->operation = "REORG";
  std::vector<std::string> predicates;
  if (!options_.filter_text.empty()) {
    predicates.push_back(options_.filter_text);
  } else if (operation == "delete") {
    predicates.emplace_back("true");
  }
  parameters.emplace_back("predicate", ListParameter(predicates));
  for (const char* name : {"matchedPredicates", "notMatchedPredicates", "notMatchedBySourcePredicates"}) {
    if (auto told = options_.summary.find(name); told != options_.summary.end())
      parameters.emplace_back(name, text(told->second));
  }
  if (auto clustering = options_.summary.find("clusterBy"); clustering != options_.summary.end())
    parameters.emplace_back("clusterBy", text(clustering->second));
  auto order = options_.summary.find("zOrderBy");
  if (order != options_.summary.end()) parameters.emplace_back("zOrderBy", text(order->second));
  if (purges) parameters.emplace_back("applyPurge", "true");
  if (is_rewrite && !purges) parameters.emplace_back("auto", "false");

  const auto change_files = static_cast<int64_t>(change->change_files.size());
  const int64_t updated = counts_.updated.value_or(0), inserted = counts_.inserted.value_or(0);
  const int64_t copied = std::max<int64_t>(figures.added_rows - inserted - updated, 0);
  const int64_t now = NowMicros(), started = row_figures_.started_micros;
  const auto time = [&](const char* name, int64_t micros) { metric(name, std::max<int64_t>(micros, 0) / 1000); };
  if (!is_rewrite) {
    time("executionTimeMs", now - started);
    time("scanTimeMs", row_figures_.found_micros - started - row_figures_.source_micros);
    time("rewriteTimeMs", now - row_figures_.found_micros);
  }
  if (is_merge) {
    const int64_t updated_without = row_figures_.updated_without_source;
    const int64_t deleted_without = row_figures_.deleted_without_source;
    time("materializeSourceTimeMs", row_figures_.source_micros);
    metric("numTargetRowsMatchedUpdated", updated - updated_without);
    metric("numTargetRowsNotMatchedBySourceUpdated", updated_without);
    metric("numTargetRowsMatchedDeleted", counts_.deleted.value_or(0) - deleted_without);
    metric("numTargetRowsNotMatchedBySourceDeleted", deleted_without);
    metric("numSourceRows", counts_.source.value_or(0));
    metric("numTargetRowsInserted", inserted);
    metric("numTargetRowsUpdated", updated);
    metric("numTargetRowsDeleted", counts_.deleted.value_or(0));
    metric("numTargetRowsCopied", copied);
    metric("numTargetFilesAdded", figures.added_files);
    metric("numTargetFilesRemoved", figures.removed_files);
    metric("numTargetBytesAdded", figures.added_bytes);
    metric("numTargetBytesRemoved", figures.removed_bytes);
    metric("numTargetChangeFilesAdded", change_files);
    metric("numTargetDeletionVectorsAdded", figures.vectors_added);
    metric("numTargetDeletionVectorsRemoved", figures.vectors_removed);
    metric("numTargetDeletionVectorsUpdated", figures.vectors_updated);
    metric("numOutputRows", figures.added_rows);
    return;
  }
  metric("numRemovedFiles", figures.removed_files);
  metric("numRemovedBytes", figures.removed_bytes);
  metric("numAddedFiles", figures.added_files);
  metric("numAddedBytes", figures.added_bytes);
  metric("numDeletionVectorsRemoved", figures.vectors_removed);
  if (is_rewrite) {
    std::vector<int64_t> sizes;
    for (const auto& file : change->files) {
      if (!file.is_removed) sizes.push_back(file.size);
    }
    if (sizes.empty()) return;
    std::sort(sizes.begin(), sizes.end());
    metric("minFileSize", sizes.front());
    metric("p25FileSize", sizes[sizes.size() / 4]);
    metric("p50FileSize", sizes[sizes.size() / 2]);
    metric("p75FileSize", sizes[sizes.size() * 3 / 4]);
    metric("maxFileSize", sizes.back());
    return;
  }
  metric("numDeletionVectorsAdded", figures.vectors_added);
  metric("numDeletionVectorsUpdated", figures.vectors_updated);
  metric("numAddedChangeFiles", change_files);
  if (is_update) {
    metric("numUpdatedRows", updated);
  } else {
    metric("numDeletedRows", counts_.deleted.value_or(std::max<int64_t>(figures.removed_rows - figures.added_rows, 0)));
  }
  metric("numCopiedRows", copied);
}

void DeltaWrite::Describe(Change* change) const {
  const auto text = [](const std::string& value) { return JsonString(value); };
  const Figures figures = FiguresOf(change->files);
  auto& parameters = change->parameters;
  const auto metric = [&](const char* name, int64_t value) {
    change->metrics.emplace_back(name, std::to_string(value));
  };
  if (auto found = options_.options.find("usermetadata"); found != options_.options.end())
    change->user_metadata = found->second;
  const std::string& operation = options_.operation;
  bool creates = staged_ != nullptr && (operation.empty() || operation == "create");
  if (creates) {
    bool selects = operation == "create";
    const bool is_clone = staged_->cloned != nullptr, is_conversion = !staged_->definition.adopted_files.empty();
    if (is_clone || is_conversion) {
      change->operation = is_clone ? "CLONE" : "CONVERT";
      if (is_clone) {
        parameters.emplace_back("source", text("delta.`" + staged_->cloned_location + "`"));
        parameters.emplace_back("sourceVersion", std::to_string(staged_->cloned->version));
        parameters.emplace_back("isShallow", "\"true\"");
      } else {
        parameters.emplace_back("numFiles", std::to_string(figures.added_files));
        parameters.emplace_back("partitionedBy", ListParameter(metadata_.partition_columns));
        parameters.emplace_back("collectStats", "\"false\"");
        metric("numConvertedFiles", figures.added_files);
      }
      return;
    }
    change->operation =
        std::string(staged_->replace ? "CREATE OR REPLACE TABLE" : "CREATE TABLE") + (selects ? " AS SELECT" : "");
    parameters.emplace_back("partitionBy", ListParameter(metadata_.partition_columns));
    std::vector<std::string> clustering;
    for (const auto& column : staged_->definition.clustering_columns) clustering.push_back(Join(column, "."));
    parameters.emplace_back("clusterBy", ListParameter(clustering));
    parameters.emplace_back("description", metadata_.description ? text(*metadata_.description) : "null");
    parameters.emplace_back("isManaged", text(staged_->definition.is_external ? "false" : "true"));
    std::string properties;
    for (const auto& [key, value] : metadata_.configuration)
      properties += (properties.empty() ? "" : ",") + JsonString(key) + ":" + JsonString(value);
    parameters.emplace_back("properties", text("{" + properties + "}"));
    if (!selects) return;
  } else if (IsRowChange(operation)) {
    DescribeRowChange(figures, change);
    return;
  } else {
    change->operation = "WRITE";
    bool appends = options_.mode == WriteMode::kAppend;
    parameters.emplace_back("mode", text(appends ? "Append" : "Overwrite"));
    // Of a table that is there Spark tells what the statement says of partitions, which is mostly nothing.
    parameters.emplace_back(
        "partitionBy", ListParameter(staged_ != nullptr ? metadata_.partition_columns : std::vector<std::string>()));
    if (!appends && !options_.filter_text.empty()) parameters.emplace_back("predicate", text(options_.filter_text));
    if (options_.mode == WriteMode::kOverwriteDynamic)
      parameters.emplace_back("isDynamicPartitionOverwrite", "\"true\"");
  }
  metric("numFiles", figures.added_files);
  metric("numOutputRows", figures.added_rows);
  metric("numOutputBytes", figures.added_bytes);
  if (figures.removed_files > 0) {
    metric("numRemovedFiles", figures.removed_files);
    metric("numRemovedBytes", figures.removed_bytes);
  }
}

}  // namespace frazil::tables::delta
