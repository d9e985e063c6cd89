// What the report says about one table or figure of a source document.
#pragma once

#include <string>
#include <vector>

#include "report/chart.h"

namespace cartan::reproduction {

enum class Verdict {
  agrees,   // what is printed is what comes out, as far as it is printed
  better,   // an error that is smaller here
  order,    // the same order of magnitude, which is all that can be asked (rounding, chaos, times)
  differs,  // the document is wrong, or its figure cannot be had with what it says
  silent,   // nothing printed to compare with: lost in the scan, or never given
  shorter,  // quick mode: the run is too short to compare
  own,      // something the document does not have: a check by other means
};
const char* to_string(Verdict verdict);
constexpr int verdict_count = 7;

// Two sizes of errors: within a factor of five, smaller, or larger here.
Verdict compare_errors(double printed, double computed);
inline Verdict agrees_if(bool good) {
  return good ? Verdict::agrees : Verdict::differs;
}
// Two results that are said to be alike.
Verdict compare_alike(double a, double b);

struct Row {
  std::string quantity, printed, computed;
  Verdict verdict = Verdict::silent;
  std::string remark = {};
};

// A table of the document with our figures beside it.
struct Sheet {
  std::string caption;
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
};

struct Figure {
  Chart chart;
  std::string caption;  // can be read alone
};

struct Page {  // a file beside the report
  std::string file, words;
};

enum class RecordStatus { computed, missing, failed };

struct Record {
  std::string id, document, title;
  RecordStatus status = RecordStatus::computed;
  std::string problem;  // why it is missing or has failed
  std::vector<Row> rows;
  std::vector<Sheet> sheets;
  std::vector<Figure> figures;
  std::vector<Page> pages;
  std::vector<std::string> notes;     // where the document is wrong or silent, with the argument
  std::vector<std::string> models;    // names of the files in models/
  std::vector<std::string> commands;  // as a user types them
  double seconds = 0;
};

}  // namespace cartan::reproduction
