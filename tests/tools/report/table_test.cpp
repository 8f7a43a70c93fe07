#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/support/own_folder.hpp"
#include "tools/report/output_file.hpp"
#include "tools/report/table.hpp"

namespace mbs {
namespace {

class TableTest : public testing::Test {
 protected:
  std::filesystem::path path_ = std::filesystem::path(test::own_folder()) / "mbs_table_test.csv";
  void TearDown() override { std::filesystem::remove(path_); }
  void write(const std::string& text) { std::ofstream(path_) << text; }
  std::string failure() {
    try {
      read_csv(path_);
    } catch (const std::exception& error) {
      return error.what();
    }
    return "no failure";
  }
};

TEST_F(TableTest, ShowsTheColumnsInTheirUnits) {
  Table table;
  table.columns = {{"x", "mm", 1e-3, 0.0}, {"T", "degC", 1.0, 273.15}, {"n", "", 1.0, 0.0}};
  table.times = {0.0, 0.5};
  table.rows = {{0.25, 273.15, 1.0}, {-0.001, 274.15, 2.0}};
  EXPECT_EQ(to_csv(table), "time [s],x [mm],T [degC],n\n0,250,0,1\n0.5,-1,1,2\n");
}

TEST_F(TableTest, ReadsBackWhatItWrote) {
  Table table;
  table.columns = {{"force", "kN", 1e3, 0.0}};
  table.times = {0.0, 1.0 / 3.0};
  table.rows = {{2000.0}, {-8000.0}};
  write_file(path_, to_csv(table));
  const Table back = read_csv(path_);
  ASSERT_EQ(back.columns.size(), 1u);
  EXPECT_EQ(back.columns[0].name, "force");
  EXPECT_EQ(back.times, table.times);
  EXPECT_EQ(back.rows, table.rows);
}

TEST_F(TableTest, SaysWhatIsWrongAndWhere) {
  write("time,F\n0,1\n1,abc\n");
  EXPECT_NE(failure().find(":3: 'abc' is no number"), std::string::npos) << failure();
  write("time,F\n0,1\n1,2,3\n");
  EXPECT_NE(failure().find(":3: this row has 3 values, the heading has 2"), std::string::npos);
  write("time,F\n1,1\n0,2\n");
  EXPECT_NE(failure().find(":3: time runs backwards"), std::string::npos);
  write("time,F\n0,\"1\n");
  EXPECT_NE(failure().find(":2: a quote is opened and not closed"), std::string::npos) << failure();
  write("time,F [furlong]\n0,1\n");
  EXPECT_NE(failure().find(":1: 'furlong' is no unit"), std::string::npos);
  write("time\n0\n");
  EXPECT_NE(failure().find("at least one name"), std::string::npos);
  write("");
  EXPECT_NE(failure().find("has no rows"), std::string::npos);
  std::filesystem::remove(path_);
  EXPECT_NE(failure().find("cannot read"), std::string::npos);
}

TEST_F(TableTest, NamesWithSeparatorsSurvive) {
  Table table;
  for (const char* name : {"R[1,2]", "a;b", "say \"hi\"", "two\nlines", "u[1]", "v[2]"})
    table.columns.push_back({name, "", 1.0, 0.0});
  table.columns[5].unit = "kN";
  table.columns[5].factor = 1e3;
  table.times = {0.0, 1.0};
  table.rows = {{1, 2, 3, 4, 5, 6000}, {6, 5, 4, 3, 2, 1000}};
  const std::string text = to_csv(table);
  EXPECT_EQ(text.substr(0, text.find("two")), "time [s],\"R[1,2]\",\"a;b\",\"say \"\"hi\"\"\",\"");
  write(text);
  const Table back = read_csv(path_);
  ASSERT_EQ(back.columns.size(), table.columns.size());
  for (std::size_t k = 0; k < table.columns.size(); ++k) {
    EXPECT_EQ(back.columns[k].name, table.columns[k].name);
    EXPECT_EQ(back.columns[k].unit, table.columns[k].unit);
  }
  EXPECT_EQ(back.times, table.times);
  EXPECT_EQ(back.rows, table.rows);
}

TEST_F(TableTest, AnIndexIsNoUnit) {
  write("time;u[1] [kN];u[2]\n0;1;2\n");
  const Table table = read_csv(path_);
  ASSERT_EQ(table.columns.size(), 2u);
  EXPECT_EQ(table.columns[0].name, "u[1]");
  EXPECT_EQ(table.columns[0].unit, "kN");
  EXPECT_EQ(table.columns[1].name, "u[2]");
  EXPECT_EQ(table.rows[0], (std::vector<double>{1000.0, 2.0}));
}

TEST_F(TableTest, TimeMayHaveAUnit) {
  write("time [ms],u\n0,1\n500,2\n");
  EXPECT_EQ(read_csv(path_).times, (std::vector<double>{0.0, 0.5}));
  write("time [min],u\n0,1\n2,2\n");
  EXPECT_EQ(read_csv(path_).times, (std::vector<double>{0.0, 120.0}));
  write("time [mm],u\n0,1\n");
  EXPECT_NE(failure().find(":1: 'mm' is no unit of time"), std::string::npos) << failure();
}

TEST_F(TableTest, APipeIsWrittenTo) {
  std::filesystem::remove(path_);
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  const int reader = open(path_.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  write_file(path_, "some text");
  char buffer[32];
  const ssize_t count = read(reader, buffer, sizeof buffer);
  close(reader);
  ASSERT_GT(count, 0);
  EXPECT_EQ(std::string(buffer, static_cast<std::size_t>(count)), "some text");
  EXPECT_TRUE(std::filesystem::is_fifo(path_));
}

TEST_F(TableTest, ALinkIsFollowedAndTheFileKeepsItsRights) {
  const std::filesystem::path link = path_.string() + ".link";
  std::filesystem::remove(link);
  std::filesystem::create_symlink(path_.filename(), link);
  for (const char* text : {"first", "second"}) {
    write_file(link, text);
    EXPECT_TRUE(std::filesystem::is_symlink(link));
    std::ifstream file(path_);
    std::string found;
    file >> found;
    EXPECT_EQ(found, text);
    std::filesystem::permissions(path_, std::filesystem::perms(0640));
  }
  EXPECT_EQ(std::filesystem::status(path_).permissions(), std::filesystem::perms(0640));
  std::filesystem::remove(link);
}

TEST_F(TableTest, AFileThatCannotBeWrittenIsAnError) {
  EXPECT_THROW(write_file("/nowhere/at/all.csv", "x"), std::runtime_error);
}

}  // namespace
}  // namespace mbs
