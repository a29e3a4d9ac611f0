// Finds time zones by name: offsets are computed, regions read from the system's zoneinfo files (RFC 8536).

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <shared_mutex>

#include "frazil/base/error.h"
#include "frazil/types/calendar.h"
#include "frazil/types/time_zone.h"
#include "frazil/types/time_zone_rule_internal.h"

namespace frazil {
namespace {

// Java's ZoneId.SHORT_IDS.
const std::map<std::string_view, std::string_view>& ShortNames() {
  static const auto* names = new std::map<std::string_view, std::string_view>{
      {"ACT", "Australia/Darwin"},
      {"AET", "Australia/Sydney"},
      {"AGT", "America/Argentina/Buenos_Aires"},
      {"ART", "Africa/Cairo"},
      {"AST", "America/Anchorage"},
      {"BET", "America/Sao_Paulo"},
      {"BST", "Asia/Dhaka"},
      {"CAT", "Africa/Harare"},
      {"CNT", "America/St_Johns"},
      {"CST", "America/Chicago"},
      {"CTT", "Asia/Shanghai"},
      {"EAT", "Africa/Addis_Ababa"},
      {"ECT", "Europe/Paris"},
      {"EST", "-05:00"},
      {"HST", "-10:00"},
      {"IET", "America/Indiana/Indianapolis"},
      {"IST", "Asia/Kolkata"},
      {"JST", "Asia/Tokyo"},
      {"MIT", "Pacific/Apia"},
      {"MST", "-07:00"},
      {"NET", "Asia/Yerevan"},
      {"NST", "Pacific/Auckland"},
      {"PLT", "Asia/Karachi"},
      {"PNT", "America/Phoenix"},
      {"PRT", "America/Puerto_Rico"},
      {"PST", "America/Los_Angeles"},
      {"SST", "Pacific/Guadalcanal"},
      {"VST", "Asia/Ho_Chi_Minh"},
  };
  return *names;
}

bool IsDigit(char character) { return character >= '0' && character <= '9'; }
bool IsSign(char character) { return character == '+' || character == '-'; }

// Spark takes "+h:mm" and "+hh:m" too, which Java does not.
std::string PadOffset(std::string_view name) {
  std::string padded(name);
  for (size_t i = 0; i + 2 < padded.size(); ++i) {
    if (IsSign(padded[i]) && IsDigit(padded[i + 1]) && padded[i + 2] == ':') {
      padded.insert(i + 1, "0");
      break;
    }
  }
  if (padded.size() >= 5) {
    const size_t at = padded.size() - 5;
    if (IsSign(padded[at]) && IsDigit(padded[at + 1]) && IsDigit(padded[at + 2]) && padded[at + 3] == ':' &&
        IsDigit(padded[at + 4])) {
      padded.insert(at + 4, "0");
    }
  }
  return padded;
}

// Z, +h, +hh, +hh:mm, +hhmm, +hh:mm:ss, +hhmmss; at most 18 hours.
std::optional<int32_t> ParseOffset(std::string_view text) {
  if (text == "Z") return 0;
  if (text.size() < 2 || !IsSign(text[0])) return std::nullopt;
  std::string digits;
  const bool colons = text.size() == 6 || text.size() == 9;
  for (size_t i = 1; i < text.size(); ++i) {
    if (colons && (i == 3 || i == 6)) {
      if (text[i] != ':') return std::nullopt;
    } else if (IsDigit(text[i])) {
      digits += text[i];
    } else {
      return std::nullopt;
    }
  }
  if (digits.size() == 1) digits.insert(0, "0");
  if (digits.size() != 2 && digits.size() != 4 && digits.size() != 6) return std::nullopt;
  digits.resize(6, '0');
  const auto part = [&](size_t at) { return (digits[at] - '0') * 10 + (digits[at + 1] - '0'); };
  const int32_t seconds = part(0) * 3600 + part(2) * 60 + part(4);
  if (part(2) > 59 || part(4) > 59 || seconds > 18 * 3600) return std::nullopt;
  return text[0] == '-' ? -seconds : seconds;
}

std::string OffsetName(int32_t offset) {
  if (offset == 0) return "Z";
  const int32_t magnitude = offset < 0 ? -offset : offset;
  std::string name = offset < 0 ? "-" : "+";
  const auto append = [&](int32_t value) {
    name += static_cast<char>('0' + value / 10);
    name += static_cast<char>('0' + value % 10);
  };
  append(magnitude / 3600);
  name += ':';
  append(magnitude / 60 % 60);
  if (magnitude % 60 != 0) {
    name += ':';
    append(magnitude % 60);
  }
  return name;
}

Error UnknownZone(std::string_view name) {
  return Error::Of(ExceptionClass::kDateTime, "INVALID_TIMEZONE", {{"timeZone", std::string(name)}});
}

// Letters, digits and ~/._+-, as Java's region names, and nothing that leaves the folder or names another database.
bool IsRegionName(std::string_view name) {
  if (name.size() < 2 || !std::isalpha(static_cast<unsigned char>(name[0]))) return false;
  for (const char character : name) {
    if (std::isalnum(static_cast<unsigned char>(character)) == 0 &&
        std::string_view("~/._+-").find(character) == std::string_view::npos) {
      return false;
    }
  }
  return name.find("..") == std::string_view::npos && !name.starts_with("posix/") && !name.starts_with("right/") &&
         name != "posixrules" && name != "localtime";
}

std::optional<std::string> ReadZoneFile(std::string_view name) {
  const char* configured = std::getenv("TZDIR");
  const std::string folder = configured != nullptr ? configured : "/usr/share/zoneinfo";
  const std::string path = folder + "/" + std::string(name);
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

}  // namespace

/// Builds zones from names and from the bytes of zoneinfo files.
class TimeZoneReader {
 public:
  static std::shared_ptr<const TimeZone> ByName(std::string_view name) {
    std::string wanted = PadOffset(name);
    if (const auto alias = ShortNames().find(wanted); alias != ShortNames().end()) wanted = alias->second;
    if (wanted.size() <= 1 || IsSign(wanted[0])) {
      const auto offset = ParseOffset(wanted);
      return offset ? TimeZone::Fixed(OffsetName(*offset), *offset) : nullptr;
    }
    for (const std::string_view prefix : {"UTC", "GMT", "UT"}) {
      if (!wanted.starts_with(prefix)) continue;
      if (wanted.size() == prefix.size()) return TimeZone::Fixed(wanted, 0);
      if (!IsSign(wanted[prefix.size()])) continue;
      const auto offset = ParseOffset(std::string_view(wanted).substr(prefix.size()));
      if (!offset) return nullptr;
      return TimeZone::Fixed(std::string(prefix) + (*offset == 0 ? "" : OffsetName(*offset)), *offset);
    }
    if (!IsRegionName(wanted)) return nullptr;
    const auto bytes = ReadZoneFile(wanted);
    return bytes ? Parse(wanted, *bytes) : nullptr;
  }

 private:
  struct Counts {
    uint32_t is_utc, is_standard, leap, time, type, character;
  };

  TimeZoneReader(std::string_view bytes, TimeZone* zone) : bytes_(bytes), zone_(zone) {}

  static std::shared_ptr<const TimeZone> Parse(const std::string& name, std::string_view bytes) {
    std::shared_ptr<TimeZone> zone(new TimeZone());
    zone->name_ = name;
    TimeZoneReader reader(bytes, zone.get());
    return reader.ReadAll() ? zone : nullptr;
  }

  bool ReadInteger(size_t size, int64_t* value) {
    if (bytes_.size() - at_ < size) return false;
    uint64_t bits = 0;
    for (size_t i = 0; i < size; ++i) bits = (bits << 8) | static_cast<unsigned char>(bytes_[at_++]);
    *value = size == 4 ? static_cast<int32_t>(bits) : static_cast<int64_t>(bits);
    return true;
  }

  bool ReadHeader(Counts* counts) {
    constexpr size_t kCountsOffset = 20;
    if (bytes_.size() - at_ < 44 || bytes_.substr(at_, 4) != "TZif" || bytes_[at_ + 4] < '2') return false;
    at_ += kCountsOffset;
    for (uint32_t* count :
         {&counts->is_utc, &counts->is_standard, &counts->leap, &counts->time, &counts->type, &counts->character}) {
      int64_t value = 0;
      if (!ReadInteger(4, &value) || value < 0 || value > 1'000'000) return false;
      *count = static_cast<uint32_t>(value);
    }
    return true;
  }

  static size_t BlockSize(const Counts& counts, size_t time_size) {
    return counts.time * (time_size + 1) + counts.type * 6 + counts.character + counts.leap * (time_size + 4) +
           counts.is_standard + counts.is_utc;
  }

  bool ReadAll() {
    Counts counts{};
    if (!ReadHeader(&counts)) return false;
    at_ += BlockSize(counts, 4);  // the old block with 32-bit times
    if (at_ > bytes_.size() || !ReadHeader(&counts)) return false;
    if (counts.type == 0 || bytes_.size() - at_ < BlockSize(counts, 8)) return false;
    const size_t footer = at_ + BlockSize(counts, 8);
    if (!ReadBlock(counts)) return false;
    return ReadFooter(bytes_.substr(footer));
  }

  bool ReadBlock(const Counts& counts) {
    std::vector<int64_t> times(counts.time);
    for (auto& time : times) {
      if (!ReadInteger(8, &time)) return false;
    }
    const std::string_view indexes = bytes_.substr(at_, counts.time);
    at_ += counts.time;
    const std::string_view names = bytes_.substr(at_ + counts.type * 6, counts.character);
    for (uint32_t i = 0; i < counts.type; ++i) {
      int64_t offset = 0;
      if (!ReadInteger(4, &offset)) return false;
      const bool daylight = bytes_[at_++] != 0;
      const auto name_at = static_cast<unsigned char>(bytes_[at_++]);
      if (name_at >= names.size()) return false;
      const std::string_view rest = names.substr(name_at);
      zone_->periods_.push_back({static_cast<int32_t>(offset), daylight, std::string(rest.substr(0, rest.find('\0')))});
    }
    for (uint32_t i = 0; i < counts.time; ++i) {
      const auto period = static_cast<unsigned char>(indexes[i]);
      if (period >= counts.type) return false;
      Append(times[i], period);
    }
    return true;
  }

  void Append(int64_t utc_seconds, uint32_t period) {
    const int32_t before = zone_->periods_[zone_->transitions_.empty() ? 0 : zone_->transitions_.back().period].offset;
    const int32_t after = zone_->periods_[period].offset;
    zone_->transitions_.push_back({utc_seconds, utc_seconds + std::max(before, after), period});
  }

  uint32_t PeriodOf(int32_t offset, bool daylight, const std::string& name) {
    for (uint32_t i = 0; i < zone_->periods_.size(); ++i) {
      const auto& period = zone_->periods_[i];
      if (period.offset == offset && period.daylight == daylight && period.abbreviation == name) return i;
    }
    zone_->periods_.push_back({offset, daylight, name});
    return static_cast<uint32_t>(zone_->periods_.size() - 1);
  }

  // Lists 401 years of changes after the last one, so that any later time has its like among them.
  bool ReadFooter(std::string_view text) {
    if (text.size() < 2 || text.front() != '\n') return text.empty();
    const auto rule = TimeZoneRule::Parse(text.substr(1, text.find('\n', 1) - 1));
    if (!rule) return false;
    if (!rule->has_daylight) return true;
    const uint32_t standard = PeriodOf(rule->standard_offset, false, rule->standard_name);
    const uint32_t daylight = PeriodOf(rule->daylight_offset, true, rule->daylight_name);
    const int64_t last =
        zone_->transitions_.empty() ? -kSecondsPerDay * 146'097 : zone_->transitions_.back().utc_seconds;
    const int64_t first_year = CivilFromDays(FloorDivide(last, kSecondsPerDay)).year;
    for (int64_t year = first_year; year <= first_year + 402; ++year) {
      std::array<std::pair<int64_t, uint32_t>, 2> changes = {{
          {rule->daylight_start.LocalSeconds(year) - rule->standard_offset, daylight},
          {rule->daylight_end.LocalSeconds(year) - rule->daylight_offset, standard},
      }};
      if (changes[0].first > changes[1].first) std::swap(changes[0], changes[1]);
      for (const auto& [seconds, period] : changes) {
        if (seconds > last) Append(seconds, period);
      }
    }
    zone_->repeats_ = true;
    return true;
  }

  std::string_view bytes_;
  size_t at_ = 0;
  TimeZone* zone_;
};

Result<std::shared_ptr<const TimeZone>> TimeZone::Find(std::string_view name) {
  static std::shared_mutex mutex;
  static auto* known = new std::map<std::string, std::shared_ptr<const TimeZone>, std::less<>>();
  {
    const std::shared_lock lock(mutex);
    if (const auto found = known->find(name); found != known->end()) return found->second;
  }
  std::shared_ptr<const TimeZone> zone = TimeZoneReader::ByName(name);
  if (zone == nullptr) return UnknownZone(name);
  const std::unique_lock lock(mutex);
  return known->emplace(std::string(name), std::move(zone)).first->second;
}

}  // namespace frazil
