// Instantiation: wrong arguments, resource locations, logging.

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "fmu_src/categories.hpp"
#include "fmu_src/resources.hpp"
#include "tests/fmu_src/fmu.hpp"

namespace mbs::test {
namespace {

namespace fs = std::filesystem;

class Instantiate : public testing::Test {
 protected:
  void* fmi2(const char* name, const char* guid, const char* location, bool logging = true,
             int type = fmi2CoSimulation) {
    // In C fmi2Type may be any number.
    const auto instantiate =
        reinterpret_cast<fmi2Component (*)(fmi2String, int, fmi2String, fmi2String,
                                           const fmi2CallbackFunctions*, fmi2Boolean, fmi2Boolean)>(
            runtime().fmi2.Instantiate);
    fmi2CallbackFunctions callbacks{log_fmi2, nullptr, nullptr, nullptr, &messages};
    messages.clear();
    return keep(instantiate(name, type, guid, location, &callbacks, fmi2False, logging), 2);
  }
  void* fmi3(const char* name, const char* guid, const char* folder, bool logging = true,
             bool event_mode = false) {
    messages.clear();
    return keep(
        runtime().fmi3.InstantiateCoSimulation(name, guid, folder, false, logging, event_mode,
                                               false, nullptr, 0, &messages, log_fmi3, nullptr),
        3);
  }
  void* keep(void* handle, int version) {
    if (handle == nullptr) return nullptr;
    EXPECT_TRUE(messages.empty()) << messages[0].text;
    version == 2 ? runtime().fmi2.FreeInstance(handle) : runtime().fmi3.FreeInstance(handle);
    return handle;
  }
  void expect_complaint(const char* part) {
    ASSERT_FALSE(messages.empty());
    EXPECT_EQ(messages.back().status, error);
    EXPECT_EQ(messages.back().category, "logStatusError");
    EXPECT_NE(messages.back().text.find(part), std::string::npos) << messages.back().text;
  }

  Fmu fmu{rig_text};
  std::string token = fmu.description.token, uri = fmu.uri(), path = fmu.resources.path();
  std::vector<Message> messages;
};

TEST_F(Instantiate, ReportsTheVersions) {
  EXPECT_STREQ(runtime().fmi2.GetVersion(), "2.0");
  EXPECT_STREQ(runtime().fmi2.GetTypesPlatform(), "default");
  EXPECT_STREQ(runtime().fmi3.GetVersion(), "3.0");
}

TEST_F(Instantiate, RefusesUnknownTypes) {
  for (const int type : {2, -1}) {
    EXPECT_FALSE(fmi2("a", token.c_str(), uri.c_str(), true, type));
    expect_complaint("fmuType");
  }
  EXPECT_TRUE(fmi2("a", token.c_str(), uri.c_str(), true, fmi2ModelExchange));
}

TEST_F(Instantiate, RefusesWrongArgumentsOfFmi2) {
  EXPECT_TRUE(fmi2("a", token.c_str(), uri.c_str()));
  EXPECT_FALSE(fmi2(nullptr, token.c_str(), uri.c_str()));
  expect_complaint("no name");
  EXPECT_FALSE(fmi2("", token.c_str(), uri.c_str()));
  expect_complaint("no name");
  EXPECT_FALSE(fmi2("a", nullptr, uri.c_str()));
  expect_complaint("no token");
  EXPECT_FALSE(fmi2("a", "{another}", uri.c_str()));
  expect_complaint("{another}");
  EXPECT_TRUE(fmi2("a", token.c_str(), uri.c_str(), true, fmi2ModelExchange));
  for (const char* wrong : {"file:///there/is/no/such/folder", "http://example.org/x", "",
                            "file:", "file://elsewhere/x", "relative/path", "file:///a%00b", "%"}) {
    EXPECT_FALSE(fmi2("a", token.c_str(), wrong)) << wrong;
    expect_complaint("model.mbs.xml");
  }
  EXPECT_FALSE(fmi2("a", token.c_str(), nullptr));
  EXPECT_EQ(runtime().fmi2.Instantiate("a", fmi2CoSimulation, token.c_str(), uri.c_str(), nullptr,
                                       fmi2False, fmi2True),
            nullptr);
  fmi2CallbackFunctions silent{};
  void* handle = runtime().fmi2.Instantiate("a", fmi2CoSimulation, token.c_str(), uri.c_str(),
                                            &silent, fmi2False, fmi2True);
  ASSERT_NE(handle, nullptr);
  EXPECT_EQ(runtime().fmi2.DoStep(handle, 0.0, 1.0, fmi2True), fmi2Error);  // without a logger
  runtime().fmi2.FreeInstance(handle);
  runtime().fmi2.FreeInstance(nullptr);
}

TEST_F(Instantiate, RefusesWrongArgumentsOfFmi3) {
  EXPECT_TRUE(fmi3("a", token.c_str(), path.c_str()));
  EXPECT_TRUE(fmi3("a", token.c_str(), (path + "/").c_str()));
  EXPECT_FALSE(fmi3(nullptr, token.c_str(), path.c_str()));
  expect_complaint("no name");
  EXPECT_FALSE(fmi3("a", nullptr, path.c_str()));
  expect_complaint("no token");
  EXPECT_FALSE(fmi3("a", "", path.c_str()));
  expect_complaint("is not that of this FMU");
  EXPECT_FALSE(fmi3("a", token.c_str(), nullptr));
  EXPECT_FALSE(fmi3("a", token.c_str(), "/there/is/no/such/folder/"));
  expect_complaint("/there/is/no/such/folder/");
  EXPECT_TRUE(fmi3("a", token.c_str(), path.c_str(), true, true));
  EXPECT_EQ(
      runtime().fmi3.InstantiateScheduledExecution("a", token.c_str(), path.c_str(), false, true,
                                                   &messages, log_fmi3, nullptr, nullptr, nullptr),
      nullptr);
  expect_complaint("scheduled execution");
  void* silent =
      runtime().fmi3.InstantiateCoSimulation("a", token.c_str(), path.c_str(), false, true, false,
                                             false, nullptr, 0, nullptr, nullptr, nullptr);
  ASSERT_NE(silent, nullptr);
  EXPECT_EQ(runtime().fmi3.ExitInitializationMode(silent), fmi3Error);
  runtime().fmi3.FreeInstance(silent);
  runtime().fmi3.FreeInstance(nullptr);
}

TEST_F(Instantiate, AcceptsAllFormsOfTheUri) {
  const Fmu odd(rig_text, "a b%20c \xc3\xa4");  // a space, a percent sign, an umlaut
  const std::string folder = odd.resources.path();
  std::string encoded, all_encoded;
  for (const char c : folder) {
    char code[4];
    std::snprintf(code, sizeof code, "%%%02x", static_cast<unsigned char>(c));
    encoded +=
        c == ' ' || c == '%' || static_cast<unsigned char>(c) > 127 ? code : std::string(1, c);
    all_encoded += c == '/' ? "/" : code;
  }
  for (const std::string& form :
       {"file://" + encoded, "file://" + encoded + "/", "file:" + encoded,
        "file://localhost" + encoded, "FILE://" + encoded, "file://" + all_encoded})
    EXPECT_TRUE(fmi2("a", odd.description.token.c_str(), form.c_str())) << form;
  EXPECT_TRUE(fmi2("a", token.c_str(), path.c_str())) << "a plain path is taken too";
  EXPECT_TRUE(fmi3("a", odd.description.token.c_str(), folder.c_str()));
}

TEST_F(Instantiate, DecodesUris) {
  EXPECT_EQ(directory_from_uri("file:///a/b%20c%2Fd"), "/a/b c/d");
  EXPECT_EQ(directory_from_uri("file:/a%zz%4"), "/a%zz%4");
  EXPECT_EQ(directory_from_uri("file://localhost/a"), "/a");
  EXPECT_THROW(directory_from_uri("file://localhost"), std::runtime_error);
  EXPECT_THROW(directory_from_uri("file:a"), std::runtime_error);
  EXPECT_THROW(directory_from_uri(""), std::runtime_error);
}

TEST_F(Instantiate, FindsResourcesNextToTheLibrary) {
  const Folder folder("fmu");
  folder.put("resources/model.mbs.xml", rig_text);
  const std::string library = folder.put("binaries/linux64/Rig.so", "");
  fs::copy_file(runtime_file(), library, fs::copy_options::overwrite_existing);
  for (int i = 0; i < 3; ++i) {  // opened and closed again
    const Runtime unpacked(library);
    for (const char* uri_given : {static_cast<const char*>(nullptr), "", "file:///nowhere"}) {
      std::vector<Message> said;
      fmi2CallbackFunctions callbacks{log_fmi2, nullptr, nullptr, nullptr, &said};
      void* handle = unpacked.fmi2.Instantiate("a", fmi2CoSimulation, token.c_str(), uri_given,
                                               &callbacks, fmi2False, fmi2True);
      ASSERT_NE(handle, nullptr);
      EXPECT_EQ(unpacked.fmi2.ExitInitializationMode(handle), fmi2Error);  // throws and catches
      unpacked.fmi2.FreeInstance(handle);
    }
  }
}

TEST_F(Instantiate, ReportsABrokenModelWithItsPlace) {
  const Folder folder;
  folder.put("model.mbs.xml", "<mbs name='x' version='1' planar='xy'>\n<bodi/></mbs>");
  EXPECT_FALSE(fmi3("a", "t", folder.path().c_str()));
  expect_complaint("model.mbs.xml:2:");
  for (const char* text : {"", "rubbish", "\x7f\x45\x4c\x46\0\1", "<mbs"}) {
    folder.put("model.mbs.xml", text);
    EXPECT_FALSE(fmi3("a", "t", folder.path().c_str())) << text;
  }
}

TEST_F(Instantiate, LogsNothingWhenLoggingIsOff) {
  EXPECT_FALSE(fmi2("a", "wrong", uri.c_str(), false));
  EXPECT_TRUE(messages.empty());
  EXPECT_FALSE(fmi3("a", "wrong", path.c_str(), false));
  EXPECT_TRUE(messages.empty());
  for (const int version : {2, 3}) {
    Instance instance(fmu, version, false);
    EXPECT_EQ(instance.step(0.0, 1.0), error);
    EXPECT_EQ(instance.reset(), ok);
    EXPECT_EQ(instance.start(), ok);
    EXPECT_TRUE(instance.messages.empty());
  }
}

TEST_F(Instantiate, SwitchesSingleCategories) {
  for (const int version : {2, 3}) {
    Instance instance(fmu, version, false);
    const auto switch_on = [&](bool on, std::vector<const char*> names) {
      return version == 2 ? int(runtime().fmi2.SetDebugLogging(instance.handle, on, names.size(),
                                                               names.data()))
                          : int(runtime().fmi3.SetDebugLogging(instance.handle, on, names.size(),
                                                               names.data()));
    };
    const auto count_of_an_error = [&] {
      const std::size_t before = instance.messages.size();
      EXPECT_EQ(instance.set("x", 1.0), error);
      return instance.messages.size() - before;
    };
    EXPECT_EQ(count_of_an_error(), 0u);
    EXPECT_EQ(switch_on(true, {"logStatusWarning"}), ok);
    EXPECT_EQ(count_of_an_error(), 0u);
    EXPECT_EQ(switch_on(true, {"logStatusError"}), ok);
    EXPECT_EQ(count_of_an_error(), 1u);
    EXPECT_EQ(switch_on(false, {}), ok);
    EXPECT_EQ(count_of_an_error(), 0u);
    EXPECT_EQ(switch_on(true, {}), ok);
    EXPECT_EQ(count_of_an_error(), 1u);
    EXPECT_EQ(switch_on(false, {"logStatusError", "noSuchThing", nullptr}), warning);
    EXPECT_EQ(count_of_an_error(), 0u);
    EXPECT_EQ(switch_on(true, {"logAll"}), ok);
    EXPECT_EQ(count_of_an_error(), 1u);
    std::set<std::string_view> declared;
    for (const LogCategory& c : version == 2 ? log_categories_fmi2() : log_categories_fmi3())
      declared.insert(c.name);
    EXPECT_EQ(instance.start(), ok);
    for (const Message& message : instance.messages)
      EXPECT_TRUE(declared.contains(message.category)) << message.category;
  }
}

// FMI 2.0.5, 2.1.5; FMI 3.0.2, 2.3.1: #r12# and #12# stand for variables.
TEST_F(Instantiate, WritesNumberSignsTwice) {
  const Folder folder;
  folder.put("model.mbs.xml",
             "<mbs name='x' version='1' planar='xy'><output name='a#4#' value='b'/></mbs>");
  EXPECT_FALSE(fmi2("a", "t", ("file://" + folder.path()).c_str()));
  expect_complaint("a##4##");
  EXPECT_FALSE(fmi3("a", "t", folder.path().c_str()));
  expect_complaint("a##4##");
}

TEST_F(Instantiate, NeverUsesUserTextAsAFormat) {
  EXPECT_FALSE(fmi2("%s%n%s", "%s%s%n%d", uri.c_str()));
  expect_complaint("%s%s%n%d");
}

}  // namespace
}  // namespace mbs::test
