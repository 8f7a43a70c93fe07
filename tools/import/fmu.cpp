#include "tools/import/fmu.hpp"

#include <array>
#include <cctype>
#include <utility>

#include "tools/import/native.hpp"

namespace mbs::import {
namespace {

constexpr const char* description_name = "modelDescription.xml";

// Throws ImportError with all problems at once.
void refuse_problems(const std::string& file, const ModelDescription& description) {
  if (description.problems.empty()) return;
  std::string text = file + ": " + description_name + " cannot be used";
  for (const Problem& problem : description.problems)
    text += "\n  line " + std::to_string(problem.line) + ": " + problem.what;
  throw ImportError(text);
}

template <class Functions>
class LoadedFmu final : public Fmu {
 public:
  using Make = std::unique_ptr<Instance> (*)(std::shared_ptr<const LoadedLibrary<Functions>>,
                                             const ModelDescription&, const std::filesystem::path&,
                                             const InstanceOptions&);

  LoadedFmu(ModelDescription description, std::filesystem::path folder, Make make)
      : description_(std::move(description)),
        folder_(std::move(folder)),
        make_(make),
        library_(
            std::make_shared<const LoadedLibrary<Functions>>(find_library(folder_, description_))) {
  }

  const ModelDescription& description() const override { return description_; }
  const std::filesystem::path& folder() const override { return folder_; }
  std::unique_ptr<Instance> instantiate(const InstanceOptions& options) override {
    return make_(library_, description(), folder(), options);
  }

 private:
  ModelDescription description_;
  std::filesystem::path folder_;
  Make make_;
  std::shared_ptr<const LoadedLibrary<Functions>> library_;
};

// Owns the folder into which it was unpacked.
class UnpackedAndLoaded final : public Fmu {
 public:
  explicit UnpackedAndLoaded(UnpackedFmu unpacked)
      : folder_(std::move(unpacked.folder)),
        fmu_(load_fmu(std::move(unpacked.description), folder_.path())) {}
  const ModelDescription& description() const override { return fmu_->description(); }
  const std::filesystem::path& folder() const override { return fmu_->folder(); }
  std::unique_ptr<Instance> instantiate(const InstanceOptions& options) override {
    return fmu_->instantiate(options);
  }

 private:
  TemporaryFolder folder_;  // removed after the library is closed
  std::unique_ptr<Fmu> fmu_;
};

}  // namespace

std::string_view to_text(Status status) {
  constexpr std::array<std::string_view, 6> keywords = {"ok",    "warning", "discard",
                                                        "error", "fatal",   "pending"};
  return keywords[static_cast<std::size_t>(status)];
}

ModelDescription read_description(const std::filesystem::path& file, const ArchiveLimits& limits) {
  const XmlFile xml(description_name, read_from_archive(file, description_name, limits));
  ModelDescription description = read_model_description(xml);
  refuse_problems(file.string(), description);
  return description;
}

UnpackedFmu unpack_fmu(const std::filesystem::path& file, const ArchiveLimits& limits) {
  ModelDescription description = read_description(file, limits);
  if (!description.co_simulation)
    throw ImportError(file.string() + ": is no co-simulation FMU (" + description_name +
                      " has no <CoSimulation>)");
  if (!is_c_identifier(description.co_simulation->model_identifier))
    throw ImportError(file.string() + ": modelIdentifier=\"" +
                      description.co_simulation->model_identifier + "\" is no C identifier");
  TemporaryFolder folder = unpack_archive(file, limits);
  if (description.version == FmiVersion::fmi2) {
    // FMI 2 always passes the location of the resources, and FMUs check whether the folder exists.
    std::error_code ignored;
    std::filesystem::create_directory(folder.path() / "resources", ignored);
  }
  return {std::move(folder), std::move(description)};
}

std::unique_ptr<Fmu> load_fmu(ModelDescription description, std::filesystem::path folder) {
  if (description.version == FmiVersion::fmi2)
    return std::make_unique<LoadedFmu<Functions2>>(std::move(description), std::move(folder),
                                                   &instantiate2);
  return std::make_unique<LoadedFmu<Functions3>>(std::move(description), std::move(folder),
                                                 &instantiate3);
}

std::unique_ptr<Fmu> open_fmu(const std::filesystem::path& file, const ArchiveLimits& limits) {
  UnpackedFmu unpacked = unpack_fmu(file, limits);
  try {
    return std::make_unique<UnpackedAndLoaded>(std::move(unpacked));
  } catch (const ImportError& error) {
    throw ImportError(file.string() + ": " + error.what());
  }
}

std::string message_text(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    std::size_t taken = 1;
    if (text.starts_with("##")) {
      text.remove_prefix(1);
    } else if (text.front() == '#') {
      const std::size_t begin = text.find_first_of("ribs", 1) == 1 ? 2 : 1;
      const std::size_t end = text.find_first_not_of("0123456789", begin);
      if (end != text.npos && end > begin && text[end] == '#') taken = end + 1;
    }
    result += text.substr(0, taken);
    text.remove_prefix(taken);
  }
  return result;
}

ImportError refusal(const ModelDescription& description, const std::vector<LogMessage>& messages) {
  std::string text = "the FMU '" + description.model_name + "' refused to be instantiated";
  if (messages.empty()) text += " and logged no reason";
  for (const LogMessage& message : messages) text += "\n  " + message.text;
  return ImportError(text);
}

void require_model_exchange(const ModelDescription& description) {
  const auto& exchange = description.model_exchange;
  if (!exchange)
    throw ImportError("the FMU '" + description.model_name +
                      "' is not for model exchange (its modelDescription.xml has no "
                      "<ModelExchange>)");
  if (exchange->model_identifier != description.co_simulation->model_identifier)
    throw ImportError("the FMU '" + description.model_name + "' has a library '" +
                      exchange->model_identifier +
                      "' of its own for model exchange, which is not loaded");
}

std::string resource_path(const std::filesystem::path& folder) {
  return (folder / "resources" / "").string();
}

std::string resource_uri(const std::filesystem::path& folder) {
  constexpr std::string_view plain = "-._~/";
  std::string uri = "file://";
  for (const char c : (folder / "resources").string()) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x80 && std::isalnum(byte)) || plain.find(c) != std::string_view::npos) {
      uri += c;
    } else {
      constexpr std::string_view digits = "0123456789ABCDEF";
      uri += {'%', digits[byte >> 4], digits[byte & 15]};
    }
  }
  return uri;
}

Status get_value(Instance& instance, const Variable& variable, std::size_t count, Value& value) {
  const References reference(&variable.reference, 1);
  if (is_real(variable.type)) {
    Reals reals(count);
    const Status status = instance.get_real(reference, reals, variable.type);
    value = std::move(reals);
    return status;
  }
  if (is_text(variable.type)) {
    Strings strings(count);
    const Status status = instance.get_text(variable.type, reference, strings);
    value = std::move(strings);
    return status;
  }
  Integers integers(count);
  const Status status = instance.get_integer(variable.type, reference, integers);
  value = std::move(integers);
  return status;
}

Status set_value(Instance& instance, const Variable& variable, const Value& value) {
  const References reference(&variable.reference, 1);
  if (const auto* reals = std::get_if<Reals>(&value))
    return instance.set_real(reference, *reals, variable.type);
  if (const auto* strings = std::get_if<Strings>(&value))
    return instance.set_text(variable.type, reference, *strings);
  return instance.set_integer(variable.type, reference, std::get<Integers>(value));
}

}  // namespace mbs::import
