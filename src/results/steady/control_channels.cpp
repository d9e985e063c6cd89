#include "results/steady/control_channels.h"

#include <cmath>

#include <fmt/format.h>

#include "io/csv.h"
#include "mechanics/machine/state_expression.h"
#include "results/design/ik_targets.h"
#include "results/load/parameter_slopes.h"
#include "results/load/ranges.h"
#include "results/refusal.h"

namespace cartan::results {
namespace {

class ChannelReader {
 public:
  ChannelReader(const char* command, const Model& model, const System& system)
      : command_(command), model_(model), system_(system) {}

  void read_inputs(const std::string& list, ControlChannels& channels) const {
    if (list.empty()) return;
    const std::vector<std::string> names = *split_list("[" + list + "]");
    for (const std::string& name : names) {
      const int index = model_.find_parameter(name);
      if (index < 0) {
        std::vector<std::string> known;
        for (const Parameter& p : model_.parameters) known.push_back(p.name);
        refuse(command_, fmt::format("--inputs: the model has no parameter or input '{}'{}", name,
                                     suggestion(name, known)));
      }
      channels.inputs.push_back(index);
      channels.input_names.push_back(name);
    }
    const std::string refusal = refuse_parameter_slopes(model_, system_, channels.inputs);
    if (!refusal.empty()) refuse(command_, "--inputs: " + refusal);
  }

  void read_outputs(const std::string& list, ControlChannels& channels) const {
    if (list.empty()) return;
    const std::vector<std::string> texts = *split_list("[" + list + "]");
    for (const std::string& text : texts) {
      std::shared_ptr<const StateFunction> function;
      for (const Output& output : model_.outputs)
        if (output.name == text) function = make_state_function(system_, output.value);
      std::string problem;
      if (!function) function = make_state_function(system_, model_, text, problem);
      if (!function) refuse(command_, "--outputs: " + problem);
      channels.outputs.push_back(std::move(function));
      channels.output_names.push_back(text);
    }
  }

  void read_frequencies(const std::string& text, ControlChannels& channels) const {
    if (text.empty()) return;
    if (channels.inputs.empty() || channels.outputs.empty())
      refuse(command_, "--frequency needs --inputs and --outputs: the response of which to which?");
    std::string problem;
    const std::optional<Range> range = read_range("w=" + text, model_, problem);
    if (!range)
      refuse(
          command_,
          fmt::format("--frequency: expected lin(A,B,N) or log(A,B,N) in rad/s, got '{}'", text));
    channels.frequencies = range->values;
  }

 private:
  const char* command_;
  const Model& model_;
  const System& system_;
};

Json channel_json(const ResponseChannel& channel) {
  Json re = Json::array(), im = Json::array(), size = Json::array(), phase = Json::array();
  for (const std::complex<double>& value : channel.values) {
    re.push_back(value.real());
    im.push_back(value.imag());
    size.push_back(std::abs(value));
    phase.push_back(phase_degrees(value));
  }
  Json json = {{"input", channel.input}, {"output", channel.output}};
  if (channel.harmonic) json["harmonic"] = *channel.harmonic;
  json["re"] = re;
  json["im"] = im;
  json["magnitude"] = size;
  json["phase_deg"] = phase;
  return json;
}

std::string response_table(const std::vector<double>& frequencies,
                           const std::vector<ResponseChannel>& channels) {
  std::string table = "w";
  for (const ResponseChannel& channel : channels)
    for (const char* part : {"re", "im", "magnitude", "phase_deg"})
      table += "," + quoted_cell(fmt::format("{}.{}", channel.name("/"), part));
  table += '\n';
  for (std::size_t k = 0; k < frequencies.size(); ++k) {
    append_number(table, frequencies[k]);
    for (const ResponseChannel& channel : channels) {
      const std::complex<double> value = channel.values[k];
      for (const double number :
           {value.real(), value.imag(), std::abs(value), phase_degrees(value)}) {
        table += ',';
        if (std::isfinite(number)) append_number(table, number);
      }
    }
    table += '\n';
  }
  return table;
}

}  // namespace

std::string quoted_cell(const std::string& name) {
  return name.find(',') == std::string::npos ? name : "\"" + name + "\"";
}

ControlChannels read_channels(const char* command, const Model& model, const System& system,
                              const std::string& inputs, const std::string& outputs,
                              const std::string& frequency) {
  ControlChannels channels;
  const ChannelReader reader(command, model, system);
  reader.read_inputs(inputs, channels);
  reader.read_outputs(outputs, channels);
  reader.read_frequencies(frequency, channels);
  return channels;
}

ResponseReport report_response(const std::vector<double>& frequencies,
                               const std::vector<ResponseChannel>& channels) {
  ResponseReport report;
  report.responses = Json::array();
  for (const ResponseChannel& channel : channels) report.responses.push_back(channel_json(channel));
  report.files = {{"frequency.csv", response_table(frequencies, channels)},
                  {"bode_magnitude.svg", bode_magnitude_svg(frequencies, channels)},
                  {"bode_phase.svg", bode_phase_svg(frequencies, channels)},
                  {"nyquist.svg", nyquist_svg(channels)}};
  return report;
}

}  // namespace cartan::results
