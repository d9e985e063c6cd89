#include "reproduction/report_page.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/html_page.h"

namespace cartan::reproduction {
namespace {

const char* verdict_class(Verdict verdict) {
  switch (verdict) {
    case Verdict::agrees:
      return "good";
    case Verdict::differs:
      return "bad";
    case Verdict::better:
      return "good";
    case Verdict::order:
      return "near";
    default:
      return "none";
  }
}

const char* status_word(const Record& record) {
  return record.status == RecordStatus::computed  ? "computed"
         : record.status == RecordStatus::missing ? "missing"
                                                  : "failed";
}

std::string anchor(const Record& record) {
  return "item-" + record.id;
}

// "agrees: 3, differs: 1"
std::string verdicts_in_words(const Record& record) {
  if (record.status != RecordStatus::computed) return "";
  int count[verdict_count] = {};
  for (const Row& row : record.rows) ++count[static_cast<int>(row.verdict)];
  std::string text;
  for (int k = 0; k < verdict_count; ++k)
    if (count[k] > 0)
      text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", to_string(static_cast<Verdict>(k)),
                          count[k]);
  return text;
}

std::string rows_table(const Record& record) {
  if (record.rows.empty()) return "";
  std::string text =
      "<table class=\"rows\"><tr><th>quantity</th><th>the document prints</th><th>computed "
      "here</th><th>verdict</th></tr>\n";
  for (const Row& row : record.rows) {
    text +=
        fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td class=\"{}\">{}{}</td></tr>\n",
                    escape_markup(row.quantity), escape_markup(row.printed),
                    escape_markup(row.computed), verdict_class(row.verdict), to_string(row.verdict),
                    row.remark.empty() ? "" : "; " + escape_markup(row.remark));
  }
  return text + "</table>\n";
}

std::string sheet_table(const Sheet& sheet) {
  std::string text =
      fmt::format("<table><caption>{}</caption>\n<tr>", escape_markup(sheet.caption));
  for (const std::string& cell : sheet.header)
    text += fmt::format("<th>{}</th>", escape_markup(cell));
  text += "</tr>\n";
  for (const auto& row : sheet.rows) {
    text += "<tr>";
    for (const std::string& cell : row) text += fmt::format("<td>{}</td>", escape_markup(cell));
    text += "</tr>\n";
  }
  return text + "</table>\n";
}

std::string figures_part(const Record& record) {
  if (record.figures.empty()) return "";
  std::string text = "<div class=\"figures\">\n";
  for (const Figure& figure : record.figures) text += html_figure(figure.chart, figure.caption);
  return text + "</div>\n";
}

std::string how_part(const Record& record) {
  std::string text;
  if (!record.models.empty()) {
    text += "<p class=\"models\">Model files:";
    for (const std::string& model : record.models)
      text += fmt::format(" <a href=\"models/{0}\">{0}</a>", escape_markup(model));
    text += "</p>\n";
  }
  if (record.commands.empty()) return text;
  text += fmt::format("<details><summary>{} commands, {:.1f} s</summary><pre>",
                      record.commands.size(), record.seconds);
  for (const std::string& command : record.commands) text += escape_markup(command) + "\n";
  return text + "</pre></details>\n";
}

std::string record_part(const Record& record) {
  std::string text = fmt::format(
      "<section id=\"{}\"><h3>{}: {} <span class=\"{}\">{}</span></h3>\n", anchor(record),
      record.id, escape_markup(record.title), status_word(record), status_word(record));
  if (!record.problem.empty()) text += fmt::format("<p>{}</p>\n", escape_markup(record.problem));
  text += rows_table(record);
  for (const Sheet& sheet : record.sheets) text += sheet_table(sheet);
  text += figures_part(record);
  for (const Page& page : record.pages)
    text += fmt::format("<p><a href=\"{}\">{}</a> (opens the viewer)</p>\n", page.file,
                        escape_markup(page.words));
  if (!record.notes.empty()) {
    text += "<ul class=\"notes\">\n";
    for (const std::string& note : record.notes)
      text += fmt::format("<li>{}</li>\n", escape_markup(note));
    text += "</ul>\n";
  }
  return text + how_part(record) + "</section>\n";
}

std::string overview(const std::vector<ReproducedDocument>& documents) {
  std::string text =
      "<table class=\"overview\"><tr><th>item</th><th>what</th><th>status</th><th>comparison with "
      "the document</th><th>time</th></tr>\n";
  for (const ReproducedDocument& one : documents) {
    text += fmt::format("<tr class=\"document\"><td colspan=\"5\">{}: {}</td></tr>\n",
                        one.document->number, escape_markup(one.document->title));
    for (const Record& record : one.records)
      text += fmt::format(
          "<tr><td><a href=\"#{}\">{}</a></td><td>{}</td><td class=\"{}\">{}</td><td>{}</td>"
          "<td>{}</td></tr>\n",
          anchor(record), record.id, escape_markup(record.title), status_word(record),
          status_word(record), verdicts_in_words(record),
          record.status == RecordStatus::computed ? fmt::format("{:.1f} s", record.seconds) : "");
  }
  return text + "</table>\n";
}

}  // namespace

std::string report_page(const std::vector<ReproducedDocument>& documents,
                        const ReportFacts& facts) {
  int computed = 0, missing = 0, failed = 0, differing = 0;
  for (const ReproducedDocument& one : documents)
    for (const Record& record : one.records) {
      computed += record.status == RecordStatus::computed;
      missing += record.status == RecordStatus::missing;
      failed += record.status == RecordStatus::failed;
      for (const Row& row : record.rows) differing += row.verdict == Verdict::differs;
    }
  std::string body = fmt::format(
      "<h1>The source documents, reproduced</h1>\n"
      "<p>cartan {}, {}, {}; {} mode, {:.0f} s. {} items computed, {} missing, {} failed. {} "
      "printed figures differ from what comes out; each says why.</p>\n"
      "<p>For every table and figure: what the document prints, what was computed here, how they "
      "compare, and where the document is wrong or silent. The numbers come from commands that can "
      "be typed again and are listed under each item; items without commands, times and counts "
      "that the program of the report takes itself, say so.</p>\n",
      facts.version, facts.date, escape_markup(facts.machine), facts.quick ? "quick" : "full",
      facts.seconds, computed, missing, failed, differing);
  body += overview(documents);
  for (const ReproducedDocument& one : documents) {
    body += fmt::format("<h2 id=\"document-{}\">{}: {}</h2>\n", one.document->number,
                        one.document->number, escape_markup(one.document->title));
    for (const Record& record : one.records) body += record_part(record);
  }
  return html_page("The source documents, reproduced", body);
}

std::string report_json(const std::vector<ReproducedDocument>& documents,
                        const ReportFacts& facts) {
  using Json = nlohmann::ordered_json;
  Json items = Json::array();
  for (const ReproducedDocument& one : documents)
    for (const Record& record : one.records) {
      Json rows = Json::array();
      for (const Row& row : record.rows)
        rows.push_back({{"quantity", row.quantity},
                        {"printed", row.printed},
                        {"computed", row.computed},
                        {"verdict", to_string(row.verdict)},
                        {"remark", row.remark}});
      items.push_back({{"id", record.id},
                       {"title", record.title},
                       {"status", status_word(record)},
                       {"problem", record.problem},
                       {"rows", std::move(rows)},
                       {"figures", record.figures.size()},
                       {"animations", record.pages.size()},
                       {"notes", record.notes},
                       {"commands", record.commands.size()},
                       {"seconds", record.seconds}});
    }
  return Json{{"version", facts.version},
              {"quick", facts.quick},
              {"seconds", facts.seconds},
              {"items", std::move(items)}}
             .dump(1, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

}  // namespace cartan::reproduction
