#include "frazil/commands/file_footers.h"

#include <algorithm>
#include <future>

#include "frazil/codec/parquet_footer.h"
#include "frazil/tables/stored_files.h"

namespace frazil::commands {
namespace {

codec::FileColumn FileColumnOf(const tables::ScanColumn& column) {
  codec::FileColumn result;
  result.name = column.name;
  result.type = column.type;
  result.field_id = column.field_id;
  result.children = FileColumnsOf(column.children);
  return result;
}

}  // namespace

std::vector<codec::FileColumn> FileColumnsOf(const std::vector<tables::ScanColumn>& columns) {
  std::vector<codec::FileColumn> result;
  for (const auto& column : columns) result.push_back(FileColumnOf(column));
  return result;
}

Status ForEachFile(size_t count, size_t threads, const std::function<Status(size_t)>& work) {
  std::vector<std::future<Status>> readers;
  for (size_t first = 0; first < std::min(threads, count); ++first) {
    readers.push_back(std::async(std::launch::async, [&, first]() -> Status {
      for (size_t i = first; i < count; i += threads) FRAZIL_RETURN_IF_ERROR(work(i));
      return {};
    }));
  }
  Status all;
  for (auto& reader : readers) {
    Status part = reader.get();
    if (all.ok()) all = std::move(part);
  }
  return all;
}

Status KeepFilesToPurge(const tables::TableScan& scan, tables::ScanPlan* plan, CommandContext& context) {
  constexpr size_t kReaders = 8;
  if (plan->files.empty()) return {};
  storage::ObjectStorePtr store;
  if (const auto* stored = dynamic_cast<const tables::StoredFiles*>(&scan)) {
    store = stored->file_store();
  } else {
    FRAZIL_ASSIGN_OR_RETURN(store, context.stores().StoreFor(plan->files[0].path, context.execution().store_settings));
  }
  const auto wanted = FileColumnsOf(plan->columns);
  std::vector<char> is_kept(plan->files.size(), 0);
  FRAZIL_RETURN_IF_ERROR(ForEachFile(plan->files.size(), kReaders, [&](size_t i) -> Status {
    const auto& file = plan->files[i];
    is_kept[i] = file.deleted_positions != nullptr ? 1 : 0;
    if (is_kept[i] != 0) return {};
    FRAZIL_ASSIGN_OR_RETURN(const auto reader, store->Open(file.path));
    FRAZIL_ASSIGN_OR_RETURN(const bool has_others,
                            codec::HasOtherColumns(*reader, file.path, wanted, plan->match_by_field_id));
    is_kept[i] = has_others ? 1 : 0;
    return {};
  }));
  size_t i = 0;
  std::erase_if(plan->files, [&](const auto&) { return is_kept[i++] == 0; });
  return {};
}

}  // namespace frazil::commands
