#include "frazil/catalogs/rest/metadata_changes.h"

#include <algorithm>

namespace frazil::catalogs {
namespace {

const Json kNone;

const Json& Of(const Json& metadata, const char* name) {
  const Json* found = Member(metadata, name);
  return found == nullptr ? kNone : *found;
}

/// The items of a list of the metadata by their id.
std::map<int64_t, const Json*> ById(const Json& metadata, const char* list, const char* id) {
  std::map<int64_t, const Json*> result;
  const Json& items = Of(metadata, list);
  if (!items.is_array()) return result;
  for (const auto& item : items) {
    if (auto number = NumberMember(item, id)) result[*number] = &item;
  }
  return result;
}

/// Collects updates, and each requirement once.
class Body {
 public:
  explicit Body(const Json& base) : base_(base) {}

  void Update(Json update) { updates_.push_back(std::move(update)); }

  void Require(Json requirement) {
    if (std::find(requirements_.begin(), requirements_.end(), requirement) == requirements_.end())
      requirements_.push_back(std::move(requirement));
  }

  /// A number of the base must be what it was; new tables have none.
  void RequireNumber(const char* type, const char* field, const char* member) {
    if (base_.is_null()) return;
    if (auto number = NumberMember(base_, member)) Require({{"type", type}, {field, *number}});
  }

  /// No branch may have moved.
  void RequireBranches() {
    const Json& refs = Of(base_, "refs");
    if (!refs.is_object()) return;
    for (const auto& [name, ref] : refs.items()) {
      if (TextMember(ref, "type") == "branch") RequireRef(name);
    }
  }

  void RequireRef(const std::string& name) {
    if (base_.is_null()) return;
    const Json* ref = Member(Of(base_, "refs"), name);
    const Json* snapshot = ref == nullptr ? nullptr : Member(*ref, "snapshot-id");
    Require(
        {{"type", "assert-ref-snapshot-id"}, {"ref", name}, {"snapshot-id", snapshot == nullptr ? Json() : *snapshot}});
  }

  Json Take() { return {{"requirements", std::move(requirements_)}, {"updates", std::move(updates_)}}; }

 private:
  const Json& base_;
  Json requirements_ = Json::array();
  Json updates_ = Json::array();
};

/// Schemas, specs or sort orders: those that are new, and which one counts.
void Versions(const Json& base, const Json& next, const char* list, const char* id, const char* current,
              const std::function<Json(const Json&)>& add, const std::function<Json(int64_t)>& choose, Body* body,
              const std::function<void()>& added, const std::function<void()>& chosen) {
  const auto known = ById(base, list, id);
  int64_t last_added = -1;
  for (const auto& [number, item] : ById(next, list, id)) {
    if (known.contains(number)) continue;
    body->Update(add(*item));
    added();
    last_added = number;
  }
  const auto now = NumberMember(next, current);
  if (!now || (!base.is_null() && now == NumberMember(base, current))) return;
  // -1: the one that was added last, whatever number the service gives it.
  body->Update(choose(*now == last_added ? -1 : *now));
  chosen();
}

void Properties(const Json& base, const Json& next, Body* body) {
  const Settings before = TextMembers(&Of(base, "properties")), after = TextMembers(&Of(next, "properties"));
  Json set = Json::object(), removed = Json::array();
  for (const auto& [key, value] : after) {
    auto found = before.find(key);
    if (found == before.end() || found->second != value) set[key] = value;
  }
  for (const auto& [key, value] : before) {
    if (!after.contains(key)) removed.push_back(key);
  }
  if (!set.empty()) body->Update({{"action", "set-properties"}, {"updates", std::move(set)}});
  if (!removed.empty()) body->Update({{"action", "remove-properties"}, {"removals", std::move(removed)}});
}

void Snapshots(const Json& base, const Json& next, Body* body) {
  const auto before = ById(base, "snapshots", "snapshot-id"), after = ById(next, "snapshots", "snapshot-id");
  // In the order in which they came, which is the order of the list.
  const Json& all = Of(next, "snapshots");
  for (size_t i = 0; all.is_array() && i < all.size(); ++i) {
    auto id = NumberMember(all[i], "snapshot-id");
    if (id && !before.contains(*id)) body->Update({{"action", "add-snapshot"}, {"snapshot", all[i]}});
  }
  const Json& refs_before = Of(base, "refs");
  const Json& refs_after = Of(next, "refs");
  if (refs_after.is_object()) {
    for (const auto& [name, ref] : refs_after.items()) {
      const Json* old = Member(refs_before, name);
      if (old != nullptr && *old == ref) continue;
      Json update = ref;
      update["action"] = "set-snapshot-ref";
      update["ref-name"] = name;
      body->Update(std::move(update));
      body->RequireRef(name);
    }
  }
  if (refs_before.is_object()) {
    for (const auto& [name, ref] : refs_before.items()) {
      if (Member(refs_after, name) != nullptr) continue;
      body->Update({{"action", "remove-snapshot-ref"}, {"ref-name", name}});
      body->RequireRef(name);
    }
  }
  Json gone = Json::array();
  for (const auto& [id, snapshot] : before) {
    if (!after.contains(id)) gone.push_back(id);
  }
  if (!gone.empty()) body->Update({{"action", "remove-snapshots"}, {"snapshot-ids", std::move(gone)}});
}

/// Statistics files of snapshots; `set` and `remove` are the names of the updates, `member` that of what is set.
void Statistics(const Json& base, const Json& next, const char* list, const char* set, const char* remove,
                const char* member, Body* body) {
  const auto before = ById(base, list, "snapshot-id"), after = ById(next, list, "snapshot-id");
  for (const auto& [id, file] : after) {
    auto old = before.find(id);
    if (old != before.end() && *old->second == *file) continue;
    Json update = {{"action", set}, {member, *file}};
    if (std::string_view(member) == "statistics") update["snapshot-id"] = id;
    body->Update(std::move(update));
  }
  for (const auto& [id, file] : before) {
    if (!after.contains(id)) body->Update({{"action", remove}, {"snapshot-id", id}});
  }
}

void Removed(const Json& base, const Json& next, const char* list, const char* id, const char* action,
             const char* member, Body* body) {
  const auto after = ById(next, list, id);
  Json gone = Json::array();
  for (const auto& [number, item] : ById(base, list, id)) {
    if (!after.contains(number)) gone.push_back(number);
  }
  if (gone.empty()) return;
  body->Update({{"action", action}, {member, std::move(gone)}});
  body->RequireBranches();
}

}  // namespace

Json CommitBody(const Json& base, const Json& next) {
  Body body(base);
  const bool is_new = base.is_null();
  if (is_new) {
    body.Require({{"type", "assert-create"}});
    body.Update({{"action", "assign-uuid"}, {"uuid", TextMember(next, "table-uuid")}});
  } else if (!TextMember(base, "table-uuid").empty()) {
    body.Require({{"type", "assert-table-uuid"}, {"uuid", TextMember(base, "table-uuid")}});
  }
  const auto version = NumberMember(next, "format-version");
  if (version && (is_new || version != NumberMember(base, "format-version")))
    body.Update({{"action", "upgrade-format-version"}, {"format-version", *version}});

  Versions(
      base, next, "schemas", "schema-id", "current-schema-id",
      [&](const Json& schema) -> Json {
        return {{"action", "add-schema"}, {"schema", schema}, {"last-column-id", Of(next, "last-column-id")}};
      },
      [](int64_t id) -> Json {
        return {{"action", "set-current-schema"}, {"schema-id", id}};
      },
      &body, [&] { body.RequireNumber("assert-last-assigned-field-id", "last-assigned-field-id", "last-column-id"); },
      [&] { body.RequireNumber("assert-current-schema-id", "current-schema-id", "current-schema-id"); });
  Versions(
      base, next, "partition-specs", "spec-id", "default-spec-id",
      [](const Json& spec) -> Json {
        return {{"action", "add-spec"}, {"spec", spec}};
      },
      [](int64_t id) -> Json {
        return {{"action", "set-default-spec"}, {"spec-id", id}};
      },
      &body,
      [&] {
        body.RequireNumber("assert-last-assigned-partition-id", "last-assigned-partition-id", "last-partition-id");
      },
      [&] { body.RequireNumber("assert-default-spec-id", "default-spec-id", "default-spec-id"); });
  Versions(
      base, next, "sort-orders", "order-id", "default-sort-order-id",
      [](const Json& order) -> Json {
        return {{"action", "add-sort-order"}, {"sort-order", order}};
      },
      [](int64_t id) -> Json {
        return {{"action", "set-default-sort-order"}, {"sort-order-id", id}};
      },
      &body, [] {},
      [&] { body.RequireNumber("assert-default-sort-order-id", "default-sort-order-id", "default-sort-order-id"); });

  if (TextMember(next, "location") != TextMember(base, "location"))
    body.Update({{"action", "set-location"}, {"location", TextMember(next, "location")}});
  Properties(base, next, &body);
  Snapshots(base, next, &body);
  Statistics(base, next, "statistics", "set-statistics", "remove-statistics", "statistics", &body);
  Statistics(base, next, "partition-statistics", "set-partition-statistics", "remove-partition-statistics",
             "partition-statistics", &body);
  if (!is_new) {
    Removed(base, next, "partition-specs", "spec-id", "remove-partition-specs", "spec-ids", &body);
    Removed(base, next, "schemas", "schema-id", "remove-schemas", "schema-ids", &body);
  }
  return body.Take();
}

bool IsApplied(const Json& base, const Json& next, const Json& current) {
  if (base.is_null() && TextMember(current, "table-uuid") != TextMember(next, "table-uuid")) return false;
  const auto before = ById(base, "snapshots", "snapshot-id"), there = ById(current, "snapshots", "snapshot-id");
  bool adds_snapshots = false;
  for (const auto& [id, snapshot] : ById(next, "snapshots", "snapshot-id")) {
    if (before.contains(id)) continue;
    adds_snapshots = true;
    if (!there.contains(id)) return false;
  }
  if (adds_snapshots) return true;
  if (base.is_null()) return true;
  // Each change by itself: what it would still need, and whether that is the same as what `next` needed from `base`.
  const Json wanted = CommitBody(base, next)["updates"], missing = CommitBody(current, next)["updates"];
  return std::none_of(wanted.begin(), wanted.end(), [&](const Json& update) {
    return std::find(missing.begin(), missing.end(), update) != missing.end();
  });
}

}  // namespace frazil::catalogs
