// Files that were damaged, or made to do harm: an error, soon, and never a crash.

#include <ctime>
#include <fstream>
#include <random>

#include "tests/model/model_test.hpp"
#include "tests/support/own_folder.hpp"

namespace mbs::test {
namespace {

// CPU time of this process: other work on the machine does not count.
class ProcessorTime {
 public:
  double seconds() const {
    return static_cast<double>(std::clock() - start_) / static_cast<double>(CLOCKS_PER_SEC);
  }

 private:
  std::clock_t start_ = std::clock();
};

Diagnostics tried(const std::string& text, const ReadLimits& limits = {}) {
  Diagnostics d;
  read_model_text(text, "x.mbs.xml", d, {}, limits);
  d.text();
  return d;
}

// An FMU's model goes another way, through a file. It is refused for the same reasons
// and what comes out can be read.
Diagnostics built(const std::string& text) {
  const std::string path = own_folder() + "hostile.mbs.xml";
  std::ofstream(path, std::ios::binary) << text;
  Diagnostics d;
  const std::string resolved = read_resolved(path, d).text;
  EXPECT_EQ(tried(text).ok(), d.ok()) << d.text();
  EXPECT_EQ(resolved.empty(), !d.ok());
  if (d.ok()) {
    EXPECT_TRUE(tried(resolved).ok()) << tried(resolved).text();
  }
  return d;
}

std::string valid() {
  return contents(folder() + "/models/slider_crank.mbs.xml");
}

TEST(Hostile, EveryTruncationIsRefused) {
  const std::string text = valid();
  ASSERT_GT(text.size(), 1000u);
  std::size_t end = text.rfind("</mbs>");
  for (std::size_t n = 0; n < end; n += 3) {
    EXPECT_FALSE(tried(text.substr(0, n)).ok()) << n << " bytes were a whole model";
  }
}

TEST(Hostile, FlippedBytesAreHandled) {
  for (const std::string name : {"slider_crank", "hanging_chain"}) {
    const std::string text = contents(folder() + "/models/" + name + ".mbs.xml");
    std::mt19937 random(4);
    int refused = 0;
    for (int k = 0; k < 1500; ++k) {
      std::string damaged = text;
      for (auto n = 1 + random() % 3; n > 0; --n) {
        damaged[random() % damaged.size()] ^= static_cast<char>(1u << (random() % 8));
      }
      refused += !built(damaged).ok();
    }
    EXPECT_GT(refused, 750);
  }
}

TEST(Hostile, ExchangedPartsAreHandled) {
  const std::string text = contents(folder() + "/models/hanging_chain.mbs.xml");
  std::mt19937 random(5);
  int refused = 0;
  for (int k = 0; k < 1000; ++k) {
    std::string damaged = text;
    const std::size_t from = random() % text.size(), to = random() % text.size();
    damaged.replace(to, random() % 20, text.substr(from, random() % 40));
    refused += !built(damaged).ok();
  }
  EXPECT_GT(refused, 500);
}

TEST(Hostile, RandomExpressionsAreHandled) {
  const char* keywords[] = {"1",  "2 m", "x", "time", "(", ")", "+",   "-",   "*",   "/", "^",
                            "if", ",",   "[", "]",    ".", "<", "and", "not", "sin", "r", "0"};
  std::mt19937 random(6);
  for (int k = 0; k < 5000; ++k) {
    std::string text;
    for (auto n = 1 + random() % 14; n > 0; --n) {
      text += std::string(keywords[random() % std::size(keywords)]) + (random() % 2 ? " " : "");
    }
    for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at + 4)) {
      text.replace(at, 1, "&lt;");
    }
    tried(planar("<parameter name='r' value='" + text + "'/><output name='o' value='" + text +
                 "'/><body name='" + text + "' mass='" + text + "'/>"));
  }
}

TEST(Hostile, DeepElementsAreRefused) {
  std::string open, close;
  for (int k = 0; k < 200000; ++k) {
    open += "<repeat index='i' count='1'>";
    close += "</repeat>";
  }
  const Diagnostics d = built(planar(open + close));
  EXPECT_NE(d.text().find("nested 65 deep, at most 64"), std::string::npos) << d.text();
}

std::string repeated(const std::string& piece, int count) {
  std::string text;
  for (int k = 0; k < count; ++k) text += piece;
  return text;
}

// A subsystem in place is looked at even where it is never expanded.
TEST(Hostile, DeepElementsThatAreNeverExpandedAreRefused) {
  const int n = 200000;
  const std::string deep = repeated("<a>", n) + repeated("</a>", n);
  for (const std::string& inside : {deep, "<body name='b' mass='1'>" + deep + "</body>"}) {
    const Diagnostics d =
        built(planar("<repeat index='i' count='0'><use name='u'><mbs name='x' version='1' "
                     "planar='xy'>" +
                     inside + "</mbs></use></repeat>"));
    EXPECT_NE(d.text().find("there is no element <a>"), std::string::npos);
  }
  const std::string open = "<use name='u'><mbs name='x' version='1' planar='xy'>";
  const Diagnostics d = built(planar("<repeat index='i' count='0'>" + repeated(open, n) +
                                     repeated("</mbs></use>", n) + "</repeat>"));
  EXPECT_NE(d.text().find("nested more than 640 deep [limit-nesting]"), std::string::npos)
      << d.text();
}

// Neither is its file, which is left out then.
TEST(Hostile, DeepFilesThatAreNeverExpandedAreLeftOut) {
  const std::string folder = own_folder();
  std::ofstream(folder + "deep.mbs.xml")
      << planar(repeated("<a>", 200000) + repeated("</a>", 200000));
  std::ofstream(folder + "uses_deep.mbs.xml")
      << planar("<repeat index='i' count='0'><use name='u' file='deep.mbs.xml'/></repeat>");
  Diagnostics d;
  const std::string resolved = read_resolved(folder + "uses_deep.mbs.xml", d).text;
  EXPECT_TRUE(d.ok()) << d.text();
  EXPECT_EQ(resolved.find("<use"), std::string::npos);
  EXPECT_TRUE(tried(resolved).ok());
}

TEST(Hostile, OutputsOfEachAreCounted) {
  const std::string text = planar(
      "<repeat index='i' count='1000'><repeat index='j' count='900'><particle name='p'/></repeat>"
      "</repeat>"
      "<output name='o' each='p' quantity='position' component='x'/>"
      "<output name='q' each='p' quantity='position' component='y'/>");
  EXPECT_NE(tried(text).text().find("more than 1000000 elements"), std::string::npos);
}

// Texts are copied in every pass.
TEST(Hostile, LongTextsInManyPassesAreRefused) {
  const std::string text = std::string(100000, 'a');
  EXPECT_NE(tried(planar("<repeat index='i' count='200000'><state name='s' start='0' der='0/(1 s)' "
                         "doc='" +
                         text + "'/></repeat>"))
                .text()
                .find("[limit-text]"),
            std::string::npos);
  EXPECT_NE(tried(planar("<repeat index='i' count='5000'><particle name='" + text + "'/></repeat>"))
                .text()
                .find("[limit-text]"),
            std::string::npos);
}

// Which default counts is found once for each place, not once for each pass.
TEST(Hostile, LongClassesAreReadInTime) {
  const ProcessorTime spent;
  EXPECT_TRUE(tried(planar("<default class='c'><particle mass='2'/></default>"
                           "<repeat index='i' count='20000'><particle name='p' class='" +
                           repeated("c ", 300000) + "'/></repeat>"))
                  .ok());
  EXPECT_LT(spent.seconds(), 10.0);
}

TEST(Hostile, DeepExpressionsAreRefused) {
  const int n = 100000;
  for (const auto& [open, close] : {std::pair<std::string, std::string>{"(", ")"},
                                    {"-", ""},
                                    {"not ", ""},
                                    {"2^", ""},
                                    {"sin(", ")"},
                                    {"x[", "]"},
                                    {"if(1>0,", ",1)"}}) {
    std::string text;
    for (int k = 0; k < n; ++k) text += open;
    text += "1";
    for (int k = 0; k < n; ++k) text += close;
    const Diagnostics d = tried(planar("<output name='o' value='" + text + "'/>"));
    EXPECT_NE(d.text().find("deeper than 100 levels"), std::string::npos) << open << d.text();
  }
  std::string within = std::string(95, '(') + "1" + std::string(95, ')');
  EXPECT_TRUE(tried(planar("<output name='o' value='" + within + "'/>")).ok());
}

TEST(Hostile, LongExpressionsAreRefused) {
  std::string sum = "time", constants = "1";
  for (int k = 0; k < 600; ++k) sum += "+time";
  for (int k = 0; k < 600; ++k) constants += "+1";
  EXPECT_NE(tried(planar("<output name='o' value='" + sum + "'/>"))
                .text()
                .find("[limit-expression-length]"),
            std::string::npos);
  EXPECT_TRUE(tried(planar("<output name='o' value='" + constants + "'/>")).ok());
  for (int k = 0; k < 100000; ++k) constants += "+1";
  EXPECT_NE(tried(planar("<output name='o' value='" + constants + "'/>"))
                .text()
                .find("more than 2048 parts"),
            std::string::npos);
}

TEST(Hostile, AbsurdRepeatsAreRefused) {
  const ProcessorTime spent;
  EXPECT_NE(tried(planar("<repeat index='i' count='1e9'><particle name='p'/></repeat>"))
                .text()
                .find("1e+09 passes, at most 1000000"),
            std::string::npos);
  const std::string nested =
      "<repeat index='i' count='1e6'><repeat index='j' count='1e6'>"
      "<particle name='p'/></repeat></repeat>";
  EXPECT_NE(built(planar(nested)).text().find("[limit-elements]"), std::string::npos);
  const std::string empty =
      "<repeat index='i' count='1e6'><repeat index='j' count='1e6'/></repeat>";
  EXPECT_NE(built(planar(empty)).text().find("[limit-elements]"), std::string::npos);
  EXPECT_LT(spent.seconds(), 60.0);
}

TEST(Hostile, ExponentialSubsystemsAreRefused) {
  // Each level holds the one below twice: 2^40 bodies.
  std::string text = "<mbs name='A' version='1' planar='xy'><particle name='p'/></mbs>";
  for (int k = 0; k < 18; ++k) {
    text = "<mbs name='A' version='1' planar='xy'><repeat index='i' count='9'><use name='a'>" +
           text + "</use></repeat></mbs>";
  }
  EXPECT_NE(built(text).text().find("[limit-text]"), std::string::npos);
}

TEST(Hostile, TooManyErrorsEndTheReading) {
  std::string text;
  for (int k = 0; k < 100000; ++k) text += "<bdy/>";
  const Diagnostics d = tried(planar(text));
  EXPECT_EQ(d.errors(), 200);
  EXPECT_NE(d.text().find("what follows was not looked at"), std::string::npos);
}

TEST(Hostile, BigFileIsNotParsed) {
  ReadLimits limits;
  limits.file_bytes = 1000;
  const Diagnostics d = tried(std::string(1001, ' '), limits);
  EXPECT_EQ(d.text(),
            "x.mbs.xml: error: the file has 1001 bytes, at most 1000 are read "
            "[limit-file-size]\n");
}

TEST(Hostile, DocumentTypesAndEntitiesAreInert) {
  const std::string lol =
      "<!DOCTYPE m [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;&a;'><!ENTITY c SYSTEM '/etc/passwd'>]>";
  EXPECT_NE(tried(lol + planar("<particle name='p'/>")).text().find("no document type"),
            std::string::npos);
  EXPECT_NE(
      tried(planar("<particle name='p' mass='&c;'/>")).text().find("unexpected character '&'"),
      std::string::npos);
}

TEST(Hostile, LongChainOfParametersBackwardsIsRefused) {
  std::string text;
  for (int k = 100000; k > 0; --k) {
    text += "<parameter name='p" + std::to_string(k) + "' value='p" + std::to_string(k - 1) + "'/>";
  }
  const ProcessorTime spent;
  Diagnostics d;
  read_model_text(planar(text + "<parameter name='p0' value='1'/>"), "x.mbs.xml", d);
  EXPECT_NE(d.text().find("[limit-parameter-chain]"), std::string::npos) << d.text();
  // All of it is one line of 5 MB: finding columns must not take a walk through it each time.
  EXPECT_LT(spent.seconds(), 30.0);
}

TEST(Hostile, DegenerateBytesAreRefused) {
  for (const std::string& text :
       {std::string(), std::string(" \n"), std::string("\0\0\0\0", 4),
        std::string("\xff\xfe<\0", 4),
        std::string("\x7f"
                    "ELF"),
        std::string("PK\3\4"), std::string("<"), std::string("<>"), std::string("<mbs"),
        std::string("</mbs>"), std::string("<!--"), std::string("<?xml"),
        std::string("<mbs/><mbs/>"), std::string("<mbs a='1' a='2'/>"), std::string("mbs"),
        std::string("<mbs name='x' version=''/>"), std::string("<mbs name='' version='1'/>"),
        std::string("<mbs name='x' version='99999999999999999999'/>"),
        std::string("<mbs name='x' version='1'>text</mbs>")}) {
    EXPECT_FALSE(tried(text).ok()) << text;
  }
}

}  // namespace
}  // namespace mbs::test
