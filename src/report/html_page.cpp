#include "report/html_page.h"

#include <fmt/format.h>

namespace cartan::report {
namespace {

constexpr const char* style = R"css(
body { font: 15px/1.5 Helvetica, Arial, sans-serif; color: #222; max-width: 1720px; margin: 0 auto; padding: 1em 2em 4em; }
h1 { font-size: 1.7em; } h2 { margin-top: 2.2em; border-bottom: 2px solid #222; } h3 { margin: 2em 0 .5em; }
h3 span { font-size: .7em; font-weight: normal; padding: .1em .5em; border-radius: .7em; }
table { border-collapse: collapse; margin: .7em 0; } caption { text-align: left; padding: .2em 0; font-style: italic; }
th, td { border: 1px solid #ccc; padding: .2em .6em; text-align: left; vertical-align: top; } th { background: #f2f2f2; }
tr.document td { background: #e6eef5; font-weight: bold; }
.good { background: #dcf1e8; } .bad { background: #fbe3d3; } .near { background: #fdf3d8; } .none { color: #666; }
.computed { background: #dcf1e8; } .missing { background: #eee; color: #666; } .failed { background: #fbe3d3; }
.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 500px), 1fr)); gap: 1em; } figure { margin: 0; }
p, figcaption, .notes { max-width: 110ch; }
.parameters { display: grid; grid-template-columns: repeat(auto-fill, minmax(15em, 1fr)); gap: .1em 1.5em; }
.parameters span { overflow-wrap: anywhere; border-bottom: 1px solid #eee; }
figure svg { width: 100%; height: auto; border: 1px solid #eee; } figcaption { font-size: .9em; color: #333; }
pre { background: #f7f7f7; padding: .6em; overflow-x: auto; font-size: .85em; } details { margin: .4em 0; }
iframe { width: 100%; height: 640px; border: 1px solid #ccc; }
.notes { background: #f6f8fa; padding: .6em .6em .6em 2em; border-left: 3px solid #0072b2; }
@media print { details { display: none; } }
)css";

}  // namespace

std::string html_page(const std::string& title, const std::string& body) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
      "<title>{}</title><style>{}</style></head>\n<body>\n{}</body></html>\n",
      escape_markup(title), style, body);
}

std::string html_figure(const Chart& chart, const std::string& caption) {
  return fmt::format("<figure>{}<figcaption>{}</figcaption></figure>\n", chart_svg(chart),
                     escape_markup(caption));
}

}  // namespace cartan::report
