#include "frazil/analysis/show_string.h"

#include <algorithm>

#include "frazil/analysis/analyzer_internal.h"
#include "frazil/base/text.h"
#include "frazil/plan/make_logical.h"

namespace frazil::analysis {
namespace {

// Code points of a UTF-8 text; malformed bytes count one each.
std::vector<uint32_t> CodePoints(std::string_view text, std::vector<size_t>* starts = nullptr) {
  std::vector<uint32_t> points;
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const size_t length = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
    uint32_t point = length == 1 ? lead : lead & (0xFFU >> (length + 1));
    for (size_t j = 1; j < length && i + j < text.size(); ++j)
      point = (point << 6) | (static_cast<unsigned char>(text[i + j]) & 0x3FU);
    if (starts != nullptr) starts->push_back(i);
    points.push_back(point);
    i += length;
  }
  return points;
}

// The characters that Spark counts as two columns wide.
bool IsFullWidth(uint32_t point) {
  return (point >= 0x1100 && point <= 0x115F) || (point >= 0x2E80 && point <= 0x303E) ||
         (point >= 0x3041 && point <= 0xA4CF) || (point >= 0xAC00 && point <= 0xD7A3) ||
         (point >= 0xF900 && point <= 0xFAFF) || (point >= 0xFE30 && point <= 0xFE6F) ||
         (point >= 0xFF00 && point <= 0xFF60) || (point >= 0xFFE0 && point <= 0xFFE6);
}

size_t Width(std::string_view text) {
  size_t width = 0;
  for (const uint32_t point : CodePoints(text)) width += IsFullWidth(point) ? 2 : 1;
  return width;
}

std::string Truncated(const std::string& text, int limit) {
  if (limit <= 0) return text;
  std::vector<size_t> starts;
  const size_t length = CodePoints(text, &starts).size();
  const auto most = static_cast<size_t>(limit);
  if (length <= most) return text;
  // Too short for dots: cut off.
  if (most < 4) return text.substr(0, starts[most]);
  return text.substr(0, starts[most - 3]) + "...";
}

// Control characters as Spark escapes them.
std::string EscapedControls(std::string_view text) {
  std::string escaped;
  for (const char at : text) {
    switch (at) {
      case '\n':
        escaped += "\\n";
        break;
      case '\r':
        escaped += "\\r";
        break;
      case '\t':
        escaped += "\\t";
        break;
      case '\f':
        escaped += "\\f";
        break;
      case '\b':
        escaped += "\\b";
        break;
      case '\v':
        escaped += "\\v";
        break;
      case '\a':
        escaped += "\\a";
        break;
      default:
        escaped += at;
    }
  }
  return escaped;
}

std::string EscapedHtml(std::string_view text) {
  std::string escaped;
  for (const char at : text) {
    switch (at) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += at;
    }
  }
  return escaped;
}

std::vector<std::vector<std::string>> Cells(const RowSet& rows, const ShowOptions& options, bool* has_more) {
  std::vector<std::vector<std::string>> cells;
  const auto limit = static_cast<size_t>(std::max(0, options.num_rows));
  std::vector<std::string> header;
  for (const auto& field : rows.schema->fields())
    header.push_back(EscapedControls(field.name));  // Spark cuts cells, never names.
  cells.push_back(std::move(header));
  for (size_t i = 0; i < rows.rows.size() && i < limit; ++i) {
    std::vector<std::string> row;
    for (const auto& value : rows.rows[i])
      row.push_back(
          Truncated(value.is_null() ? std::string("NULL") : EscapedControls(value.string()), options.truncate));
    cells.push_back(std::move(row));
  }
  *has_more = rows.rows.size() > limit;
  return cells;
}

std::string MoreLine(int num_rows) {
  return "only showing top " + std::to_string(num_rows) + (num_rows == 1 ? " row" : " rows");
}

std::string Padding(size_t width, std::string_view text, char fill = ' ') {
  const size_t used = Width(text);
  return std::string(width > used ? width - used : 0, fill);
}

}  // namespace

std::string ShowString(const RowSet& rows, const ShowOptions& options) {
  bool has_more = false;
  const auto cells = Cells(rows, options, &has_more);
  const size_t columns = cells[0].size();
  constexpr size_t kLeastWidth = 3;
  std::string text;
  if (!options.vertical) {
    std::vector<size_t> widths(columns, kLeastWidth);
    for (const auto& row : cells) {
      for (size_t i = 0; i < columns; ++i) widths[i] = std::max(widths[i], Width(row[i]));
    }
    std::string line = "+";
    for (const size_t width : widths) line += std::string(width, '-') + "+";
    if (columns == 0) line += "+";
    line += "\n";
    for (size_t row = 0; row < cells.size(); ++row) {
      if (row == 0) text += line;
      text += "|";
      for (size_t i = 0; i < columns; ++i) {
        const auto padding = Padding(widths[i], cells[row][i]);
        text += (options.truncate > 0 ? padding + cells[row][i] : cells[row][i] + padding) + "|";
      }
      if (columns == 0) text += "|";
      text += "\n";
      if (row == 0) text += line;
    }
    text += line;
  } else {
    size_t name_width = kLeastWidth, value_width = kLeastWidth;
    for (const auto& name : cells[0]) name_width = std::max(name_width, Width(name));
    for (size_t row = 1; row < cells.size(); ++row) {
      for (const auto& cell : cells[row]) value_width = std::max(value_width, Width(cell));
    }
    for (size_t row = 1; row < cells.size(); ++row) {
      // "-RECORD 0----..." as wide as the lines below.
      const std::string title = "-RECORD " + std::to_string(row - 1);
      text += title + Padding(name_width + value_width + 5, title, '-') + "\n";
      for (size_t i = 0; i < columns; ++i) {
        text += " " + cells[0][i] + Padding(name_width, cells[0][i]) + " | " + cells[row][i] +
                Padding(value_width, cells[row][i]) + " \n";
      }
    }
  }
  if (options.vertical && cells.size() == 1) {
    text += "(0 rows)\n";
  } else if (has_more) {
    text += MoreLine(options.num_rows) + "\n";
  }
  return text;
}

std::string HtmlString(const RowSet& rows, const ShowOptions& options) {
  bool has_more = false;
  const auto cells = Cells(rows, options, &has_more);
  std::string text = "<table border='1'>\n";
  for (size_t row = 0; row < cells.size(); ++row) {
    const std::string tag = row == 0 ? "th" : "td";
    text += "<tr>";
    for (const auto& cell : cells[row]) text += "<" + tag + ">" + EscapedHtml(cell) + "</" + tag + ">";
    text += "</tr>\n";
  }
  text += "</table>\n";
  if (has_more) text += MoreLine(options.num_rows) + "\n";
  return text;
}

RowSet ShownRows(const plan::Plan& plan, const RowSet& cells) {
  const bool html = plan.kind == plan::PlanKind::kHtmlString;
  ShowOptions options;
  if (html) {
    options.num_rows = plan.As<plan::HtmlStringPlan>().num_rows;
    options.truncate = plan.As<plan::HtmlStringPlan>().truncate;
  } else {
    const auto& show = plan.As<plan::ShowStringPlan>();
    options.num_rows = show.num_rows;
    options.truncate = show.truncate;
    options.vertical = show.vertical;
  }
  RowSet result;
  result.schema = DataType::Struct({StructField(html ? "html_string" : "show_string", DataType::String(), false)});
  result.rows.push_back({Value(html ? HtmlString(cells, options) : ShowString(cells, options))});
  return result;
}

namespace {

bool IsShownByCast(const DataType& type) {
  return type.id() != TypeId::kBinary && type.id() != TypeId::kArray && type.id() != TypeId::kMap &&
         type.id() != TypeId::kStruct;
}

}  // namespace

// A value as df.show() prints it: as CAST to STRING does, but NULL within nested values in upper case and binary as [0A
// FF]. Source: Spark's ToPrettyString.
Result<ExpressionPtr> Analyzer::PrettyText(const ExpressionPtr& value) {
  const auto& type = value->type;
  if (IsShownByCast(*type)) return MakeCast(value, DataType::String(), EvalMode::kAnsi);
  const auto text = [](std::string literal) { return MakeLiteral(DataType::String(), Value(std::move(literal))); };
  const auto bind = [this](const char* name, std::vector<ExpressionPtr> arguments) -> Result<ExpressionPtr> {
    const auto* definition = functions::FindFunction(name);
    if (definition == nullptr) return UnresolvedRoutine({name});
    functions::FunctionCall call;
    call.name = name;
    call.arguments = std::move(arguments);
    call.argument_names.resize(call.arguments.size());
    call.settings = &settings_;
    return functions::BindFunction(*definition, call);
  };
  const auto or_null = [&](const ExpressionPtr& part) -> Result<ExpressionPtr> {
    FRAZIL_ASSIGN_OR_RETURN(auto shown, PrettyText(part));
    return bind("coalesce", {shown, text("NULL")});
  };
  if (type->id() == TypeId::kBinary) {
    FRAZIL_ASSIGN_OR_RETURN(auto digits, bind("hex", {value}));
    FRAZIL_ASSIGN_OR_RETURN(auto spaced, bind("regexp_replace", {digits, text("(..)(?!$)"), text("$1 ")}));
    return bind("concat", {text("["), spaced, text("]")});
  }
  if (type->id() == TypeId::kStruct) {
    std::vector<ExpressionPtr> parts{text("{")};
    for (const auto& field : type->fields()) {
      FRAZIL_ASSIGN_OR_RETURN(auto member, ExtractField(value, field.name));
      FRAZIL_ASSIGN_OR_RETURN(auto shown, or_null(member));
      if (parts.size() > 1) parts.push_back(text(", "));
      parts.push_back(std::move(shown));
    }
    parts.push_back(text("}"));
    FRAZIL_ASSIGN_OR_RETURN(auto joined, bind("concat", std::move(parts)));
    auto is_null = MakeCall("is_null", {value}, DataType::Boolean(), false);
    return MakeCall("if", {is_null, MakeNull(DataType::String()), joined}, DataType::String(), true);
  }
  // Arrays, and maps as arrays of their entries.
  const bool is_map = type->id() == TypeId::kMap;
  ExpressionPtr list = value;
  if (is_map) {
    FRAZIL_ASSIGN_OR_RETURN(list, bind("map_entries", {value}));
  }
  auto variable = std::make_shared<LambdaVariableExpression>();
  variable->id = context_.NextId();
  variable->name = "element";
  variable->type = list->type->element_type();
  variable->nullable = list->type->contains_null();
  auto lambda = std::make_shared<LambdaExpression>();
  lambda->parameters.push_back(variable);
  if (is_map) {
    FRAZIL_ASSIGN_OR_RETURN(auto key, ExtractField(variable, "key"));
    FRAZIL_ASSIGN_OR_RETURN(auto key_text, or_null(key));
    FRAZIL_ASSIGN_OR_RETURN(auto item, ExtractField(variable, "value"));
    FRAZIL_ASSIGN_OR_RETURN(auto item_text, or_null(item));
    FRAZIL_ASSIGN_OR_RETURN(lambda->body, bind("concat", {key_text, text(" -> "), item_text}));
  } else {
    FRAZIL_ASSIGN_OR_RETURN(lambda->body, or_null(variable));
  }
  lambda->type = lambda->body->type;
  auto shown = MakeCall("transform", {list, lambda}, DataType::Array(DataType::String()), list->nullable);
  FRAZIL_ASSIGN_OR_RETURN(auto joined, bind("array_join", {shown, text(", ")}));
  return bind("concat", {text(is_map ? "{" : "["), joined, text(is_map ? "}" : "]")});
}

// The cells' texts, of one row more than is shown.
Result<Relation> Analyzer::AnalyzeShow(const plan::PlanPtr& child_plan, int num_rows) {
  FRAZIL_ASSIGN_OR_RETURN(auto child, AnalyzePlan(child_plan));
  auto exact = Exact(child);
  auto limited = plan::MakeLimit(exact, static_cast<int64_t>(std::max(0, num_rows)) + 1);
  std::vector<ExpressionPtr> expressions;
  std::vector<Attribute> output;
  for (const auto& column : exact->output) {
    FRAZIL_ASSIGN_OR_RETURN(auto text, PrettyText(MakeColumn(column)));
    expressions.push_back(std::move(text));
    output.push_back(NewAttribute(column.name, DataType::String(), true));
  }
  return RelationOf(plan::MakeProject(limited, std::move(expressions), std::move(output)));
}

}  // namespace frazil::analysis
