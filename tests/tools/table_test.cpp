#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tools/report/table.hpp"

namespace mbs {
namespace {

class TableTest : public testing::Test {
 protected:
  std::filesystem::path path_ = std::filesystem::path(testing::TempDir()) / "mbs_table_test.csv";
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
  write("time,F [furlong]\n0,1\n");
  EXPECT_NE(failure().find(":1: 'furlong' is no unit"), std::string::npos);
  write("time\n0\n");
  EXPECT_NE(failure().find("at least one name"), std::string::npos);
  write("");
  EXPECT_NE(failure().find("has no rows"), std::string::npos);
  std::filesystem::remove(path_);
  EXPECT_NE(failure().find("cannot read"), std::string::npos);
}

TEST_F(TableTest, AFileThatCannotBeWrittenIsAnError) {
  EXPECT_THROW(write_file("/nowhere/at/all.csv", "x"), std::runtime_error);
}

}  // namespace
}  // namespace mbs
