// rewrite_manifests: the same files, listed in fewer manifests, each for files that lie together.

#include <algorithm>

#include "frazil/base/text.h"
#include "frazil/base/uuid.h"
#include "frazil/tables/iceberg/errors.h"
#include "frazil/tables/iceberg/manifest_writer.h"
#include "frazil/tables/iceberg/metadata_update.h"
#include "frazil/tables/iceberg/procedures_internal.h"
#include "frazil/tables/iceberg/snapshot_producer.h"
#include "frazil/tables/iceberg/spark_schema.h"

namespace frazil::tables::iceberg {
namespace {

/// One run; files written for attempts that lost are deleted at its end.
class ManifestRewrite {
 public:
  /// `sort_by`: partition fields by whose values files are put together; empty: all of them.
  ManifestRewrite(const IcebergTable& table, std::optional<int32_t> spec_id, std::vector<std::string> sort_by)
      : table_(table),
        wanted_spec_(spec_id),
        sort_by_(std::move(sort_by)),
        snapshot_id_(NewSnapshotId()),
        uuid_(RandomUuidText()) {}

  Result<RowSet> Run() {
    auto committed = ChangeTable(table_, [&](const TableMetadata& base) { return Apply(base); });
    if (!committed.ok() && committed.error().kind == ErrorKind::kUnknownCommit) return std::move(committed).error();
    const Snapshot* saved = committed.ok() ? (*committed)->FindSnapshot(snapshot_id_) : nullptr;
    std::vector<std::string> unused;
    for (const auto& path : written_) {
      if (saved == nullptr || last_.count(path) == 0) unused.push_back(path);
    }
    table_.operations()->DeleteQuietly(unused);
    if (!committed.ok()) return std::move(committed).error();
    DataTypePtr schema = DataType::Struct({{"rewritten_manifests_count", DataType::Integer(), false},
                                           {"added_manifests_count", DataType::Integer(), false}});
    return RowSet{std::move(schema),
                  {{Value(saved == nullptr ? int64_t{0} : rewritten_), Value(saved == nullptr ? int64_t{0} : added_)}}};
  }

 private:
  Result<std::optional<TableMetadata>> Apply(const TableMetadata& base) {
    rewritten_ = added_ = 0;
    last_.clear();
    int32_t spec_id = wanted_spec_.value_or(base.default_spec_id);
    if (base.FindSpec(spec_id) == nullptr) return IllegalArgument("Invalid spec id " + std::to_string(spec_id));
    FRAZIL_ASSIGN_OR_RETURN(sort_fields_, SortFields(base, *base.FindSpec(spec_id)));
    const Snapshot* parent = base.current_snapshot();
    if (parent == nullptr) return std::optional<TableMetadata>();
    FRAZIL_ASSIGN_OR_RETURN(auto before, table_.operations()->ReadManifests(base, *parent));
    std::vector<ManifestFile> manifests;
    for (ManifestContent content : {ManifestContent::kData, ManifestContent::kDeletes}) {
      FRAZIL_RETURN_IF_ERROR(Rewrite(base, *before, content, spec_id, &manifests));
    }
    if (rewritten_ == 0) return std::optional<TableMetadata>();

    SnapshotSummary summary;
    summary.Set("manifests-created", std::to_string(added_));
    summary.Set("manifests-kept", std::to_string(static_cast<int64_t>(manifests.size()) - added_));
    summary.Set("manifests-replaced", std::to_string(rewritten_));
    summary.Set("entries-processed", "0");
    Snapshot snapshot = NewSnapshot(base, parent, snapshot_id_, "replace", summary.Build(parent));
    snapshot.manifest_list = NewPath(
        base, "snap-" + std::to_string(snapshot_id_) + "-" + std::to_string(++attempt_) + "-" + uuid_ + ".avro");
    FRAZIL_ASSIGN_OR_RETURN(std::string list, ListManifests(base, std::move(manifests), &snapshot));
    FRAZIL_RETURN_IF_ERROR(table_.operations()->store().WriteNew(snapshot.manifest_list, list));
    TableMetadata next = base;
    FRAZIL_RETURN_IF_ERROR(AddSnapshot(&next, std::move(snapshot)));
    FRAZIL_RETURN_IF_ERROR(SetBranchSnapshot(&next, snapshot_id_, kMainBranch, true));
    return std::optional<TableMetadata>(std::move(next));
  }

  /// A field of the spec that files are sorted by: its place, and the type of its values.
  struct SortField {
    size_t index = 0;
    DataTypePtr type;
  };

  Result<std::vector<SortField>> SortFields(const TableMetadata& base, const PartitionSpec& spec) const {
    std::vector<SortField> result;
    std::vector<std::string> missing;
    for (const auto& name : sort_by_) {
      size_t index = 0;
      while (index < spec.fields.size() && spec.fields[index].name != name) ++index;
      if (index == spec.fields.size()) {
        missing.push_back(name);
        continue;
      }
      auto type = ToSparkType(*PartitionFieldType(spec.fields[index], *base.SchemaForSpec(spec)));
      if (!type.ok()) return Error::Unsupported("rewrite_manifests with sort_by the partition field " + name);
      result.push_back({index, *std::move(type)});
    }
    if (missing.empty()) return result;
    return IllegalArgument("Cannot set manifest sorting because specified field(s) [" + Join(missing, ", ") +
                           "] were not found in current partition spec. Spec ID " + std::to_string(spec.spec_id));
  }

  /// NULLs first, as in Iceberg's order of partitions.
  bool IsBefore(const ManifestEntry& left, const ManifestEntry& right) const {
    for (const auto& field : sort_fields_) {
      const Value& a = left.file->partition[field.index];
      const Value& b = right.file->partition[field.index];
      if (a.is_null() || b.is_null()) {
        if (a.is_null() != b.is_null()) return a.is_null();
        continue;
      }
      if (const int order = CompareValues(*field.type, a, b); order != 0) return order < 0;
    }
    return false;
  }

  /// Appends the manifests of one content as they are afterwards.
  Status Rewrite(const TableMetadata& base, const std::vector<ManifestFile>& before, ManifestContent content,
                 int32_t spec_id, std::vector<ManifestFile>* result) {
    std::vector<const ManifestFile*> chosen;
    int64_t bytes = 0;
    for (const auto& manifest : before) {
      if (manifest.content == content && manifest.spec_id == spec_id) {
        chosen.push_back(&manifest);
        bytes += manifest.length;
      }
    }
    int64_t target = std::max<int64_t>(1, base.PropertyAsLong("commit.manifest.target-size-bytes", 8 * 1024 * 1024));
    int64_t wanted = (bytes + target - 1) / target;
    if (chosen.size() <= 1 && wanted <= 1) chosen.clear();
    for (const auto& manifest : before) {
      if (manifest.content == content && std::find(chosen.begin(), chosen.end(), &manifest) == chosen.end())
        result->push_back(manifest);
    }
    if (chosen.empty()) return {};
    std::vector<std::pair<std::string, ManifestEntry>> entries;
    const PartitionSpec& spec = *base.FindSpec(spec_id);
    for (const ManifestFile* manifest : chosen) {
      FRAZIL_ASSIGN_OR_RETURN(ManifestEntries read, table_.operations()->ReadEntries(base, *manifest));
      for (const auto& entry : *read) {
        if (entry.status == EntryStatus::kDeleted) continue;
        entries.emplace_back(SpecPartitionPath(spec, *base.SchemaForSpec(spec), entry.file->partition), entry);
      }
    }
    std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    if (!sort_fields_.empty()) {
      std::stable_sort(entries.begin(), entries.end(),
                       [&](const auto& a, const auto& b) { return IsBefore(a.second, b.second); });
    }
    rewritten_ += static_cast<int64_t>(chosen.size());
    size_t each =
        (entries.size() + static_cast<size_t>(wanted) - 1) / static_cast<size_t>(std::max<int64_t>(wanted, 1));
    for (size_t from = 0; from < entries.size(); from += each) {
      std::string path = NewPath(base, "optimized-m-" + RandomUuidText() + ".avro");
      FRAZIL_ASSIGN_OR_RETURN(auto writer, ManifestWriter::Make(base, spec_id, content, snapshot_id_, path));
      for (size_t i = from; i < std::min(entries.size(), from + each); ++i)
        FRAZIL_RETURN_IF_ERROR(writer->Existing(entries[i].second));
      FRAZIL_ASSIGN_OR_RETURN(auto output, writer->Finish());
      FRAZIL_RETURN_IF_ERROR(table_.operations()->store().WriteNew(path, output.data));
      result->push_back(std::move(output.manifest));
      ++added_;
    }
    return {};
  }

  std::string NewPath(const TableMetadata& base, const std::string& name) {
    std::string path = TableOperations::MetadataPath(base, name);
    written_.push_back(path);
    last_.insert(path);
    return path;
  }

  const IcebergTable& table_;
  const std::optional<int32_t> wanted_spec_;
  const std::vector<std::string> sort_by_;
  std::vector<SortField> sort_fields_;  ///< Those of sort_by_ in the spec.
  const int64_t snapshot_id_;
  const std::string uuid_;
  int64_t attempt_ = 0;
  int64_t rewritten_ = 0, added_ = 0;
  std::vector<std::string> written_;
  std::set<std::string> last_;  ///< Those of the last attempt.
};

Result<RowSet> RewriteManifests(const Table& table, const std::vector<Value>& arguments) {
  std::vector<std::string> sort_by;
  if (!arguments[2].is_null()) {
    for (const auto& name : arguments[2].list()) {
      if (!name.is_null()) sort_by.push_back(name.string());
    }
  }
  std::optional<int32_t> spec_id;
  if (!arguments[1].is_null()) spec_id = static_cast<int32_t>(arguments[1].integer());
  return ManifestRewrite(Iceberg(table), spec_id, std::move(sort_by)).Run();
}

}  // namespace

std::vector<TableProcedure> ManifestProcedures() {
  return {{"rewrite_manifests",
           {{"use_caching", DataType::Boolean()},
            {"spec_id", DataType::Integer()},
            {"sort_by", DataType::Array(DataType::String(), true)}},
           RewriteManifests}};
}

}  // namespace frazil::tables::iceberg
