// Tables whose history can be read bit by bit (Iceberg, Delta) as streaming sources.

#include "frazil/analysis/analyzer.h"
#include "frazil/streaming/metadata_log.h"
#include "frazil/streaming/source_kinds.h"
#include "frazil/tables/micro_batches.h"

namespace frazil::streaming {
namespace {

class TableSource : public Source {
 public:
  TableSource(SourceDescription about, std::string name, MetadataLog first_places)
      : about_(std::move(about)), name_(std::move(name)), first_places_(std::move(first_places)) {}

  std::string description() const override { return name_; }

  Result<std::optional<Offset>> InitialOffset(commands::CommandContext& context) override {
    // Where a stream began is kept: the oldest snapshot at another time may be another one.
    FRAZIL_ASSIGN_OR_RETURN(auto kept, first_places_.Get(0));
    if (kept) return kept;
    FRAZIL_ASSIGN_OR_RETURN(auto table, Load(context));
    FRAZIL_ASSIGN_OR_RETURN(auto first, BatchesOf(*table).FirstPlace(about_.options));
    if (first) FRAZIL_RETURN_IF_ERROR(first_places_.Add(0, *first).status());
    return first;
  }

  Result<std::optional<Offset>> NextOffset(const std::optional<Offset>& start, bool all,
                                           commands::CommandContext& context) override {
    std::optional<Offset> begin = start;
    if (!begin) {
      FRAZIL_ASSIGN_OR_RETURN(begin, InitialOffset(context));
      if (!begin) return begin;
    }
    FRAZIL_ASSIGN_OR_RETURN(auto table, Load(context));
    FRAZIL_ASSIGN_OR_RETURN(Offset next, BatchesOf(*table).NextPlace(*begin, all, about_.options));
    newest_ = next;
    if (next == *begin) return start;
    return std::optional<Offset>(std::move(next));
  }

  Result<SourceRows> Rows(const std::optional<Offset>& start, const Offset& end,
                          commands::CommandContext& context) override {
    std::optional<Offset> begin = start;
    if (!begin) {
      FRAZIL_ASSIGN_OR_RETURN(begin, InitialOffset(context));
    }
    FRAZIL_ASSIGN_OR_RETURN(auto table, Load(context));
    FRAZIL_ASSIGN_OR_RETURN(auto batch, BatchesOf(*table).Between(begin.value_or(end), end, about_.options));
    SourceRows rows;
    rows.stream.scan = {std::move(batch.scan), name_};
    rows.count = batch.rows;
    return rows;
  }

  Status StopAtPresent(commands::CommandContext& context) override {
    FRAZIL_ASSIGN_OR_RETURN(present_, Load(context));
    return {};
  }
  std::optional<Offset> newest() const override { return newest_; }

 private:
  /// The table as it is, or as it was when the source stopped at the present.
  Result<tables::TablePtr> Load(commands::CommandContext& context) {
    if (present_ != nullptr) return present_;
    FRAZIL_ASSIGN_OR_RETURN(auto table, LoadTable(about_, context));
    // It may be another one by now.
    if (dynamic_cast<const tables::MicroBatches*>(table.get()) == nullptr) return NoStream(about_);
    return table;
  }
  static const tables::MicroBatches& BatchesOf(const tables::Table& table) {
    return dynamic_cast<const tables::MicroBatches&>(table);
  }

  const SourceDescription about_;
  const std::string name_;
  MetadataLog first_places_;
  std::optional<Offset> newest_;
  tables::TablePtr present_;
};

}  // namespace

Error NoStream(const SourceDescription& description) {
  return Error::Of(
      ExceptionClass::kAnalysis, "UNSUPPORTED_FEATURE.TABLE_OPERATION",
      {{"tableName", QuoteIdentifier(description.table.empty() ? std::vector{description.path} : description.table)},
       {"operation", "either micro-batch or continuous scan"}});
}

Result<tables::TablePtr> LoadTable(const SourceDescription& description, commands::CommandContext& context) {
  if (!description.table.empty()) {
    FRAZIL_ASSIGN_OR_RETURN(auto resolved, analysis::ResolveTable(description.table, context));
    return resolved.table;
  }
  FRAZIL_ASSIGN_OR_RETURN(auto opened, context.OpenPathTable(description.format, description.path));
  return opened.table;
}

Result<std::unique_ptr<Source>> MakeTableSource(const SourceDescription& description, const std::string& folder,
                                                commands::CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto table, LoadTable(description, context));
  const auto* batches = dynamic_cast<const tables::MicroBatches*>(table.get());
  if (batches == nullptr) return NoStream(description);
  FRAZIL_ASSIGN_OR_RETURN(auto store, context.stores().StoreFor(folder, context.execution().store_settings));
  return std::unique_ptr<Source>(std::make_unique<TableSource>(
      description, batches->StreamDescription(), MetadataLog(store, storage::JoinPath(folder, "offsets"))));
}

}  // namespace frazil::streaming
