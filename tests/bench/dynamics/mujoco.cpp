#include "tests/bench/dynamics/bodies.hpp"

#ifdef BENCH_MUJOCO
#include <mujoco/mujoco.h>

#include <cstring>
#include <sstream>
#include <stdexcept>
#endif

namespace mbs::bench {

#ifdef BENCH_MUJOCO
namespace {

constexpr int most_nested = 90;  // deeper files it refuses

class Mujoco final : public Code {
 public:
  explicit Mujoco(const Bodies& all) : children_(all.links.size()) {
    std::ostringstream text;
    text.precision(17);
    for (std::size_t i = 1; i < all.links.size(); ++i) {
      children_[static_cast<std::size_t>(all.links[i].parent)].push_back(i);
    }
    text << "<mujoco><option gravity=\"0 0 " << gravity << "\"/><worldbody>\n";
    write(all, 0, text);
    text << "</worldbody></mujoco>\n";
    const std::string xml = text.str();
    auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    mj_makeEmptyFileVFS(files.get(), "bench.xml", static_cast<int>(xml.size()));
    std::memcpy(files->filedata[mj_findFileVFS(files.get(), "bench.xml")], xml.data(), xml.size());
    char error[500] = "";
    model_ = mj_loadXML("bench.xml", files.get(), error, sizeof error);
    mj_deleteVFS(files.get());
    if (model_ == nullptr) throw std::runtime_error(error);
    data_ = mj_makeData(model_);
    for (std::size_t i = all.free ? 1 : 0; i < all.links.size(); ++i) {
      const int joint = mj_name2id(model_, mjOBJ_JOINT, ("j" + std::to_string(i)).c_str());
      q_.push_back(model_->jnt_qposadr[joint]);
      v_.push_back(model_->jnt_dofadr[joint]);
    }
  }
  ~Mujoco() override {
    mj_deleteData(data_);
    mj_deleteModel(model_);
  }

  // No more than accelerations need: neither contacts nor sensors.
  void evaluate(const double* q, const double* qd, double* qdd) override {
    for (std::size_t i = 0; i < q_.size(); ++i) {
      data_->qpos[q_[i]] = q[i];
      data_->qvel[v_[i]] = qd[i];
    }
    mj_kinematics(model_, data_);
    mj_comPos(model_, data_);
    mj_crb(model_, data_);
    mj_factorM(model_, data_);
    mj_comVel(model_, data_);
    mj_rne(model_, data_, 0, data_->qfrc_bias);
    mju_scl(data_->qfrc_smooth, data_->qfrc_bias, -1.0, model_->nv);
    mj_solveM(model_, data_, data_->qacc, data_->qfrc_smooth, 1);
    for (std::size_t i = 0; i < v_.size(); ++i) qdd[i] = data_->qacc[v_[i]];
  }

 private:
  void write(const Bodies& all, std::size_t i, std::ostream& text) const {
    const Link& link = all.links[i];
    const auto list = [&](const Point& x) { text << x[0] << " " << x[1] << " " << x[2]; };
    text << "<body pos=\"";
    list(link.at);
    text << "\"><inertial pos=\"";
    list(link.com);
    text << "\" mass=\"" << link.mass << "\" diaginertia=\"";
    list(link.inertia);
    text << "\"/>";
    if (all.free && i == 0) {
      text << "<freejoint/>";
    } else {
      const char* axes[] = {"1 0 0", "0 1 0", "0 0 1"};
      text << "<joint name=\"j" << i << "\" type=\"hinge\" axis=\"" << axes[link.axis] << "\"/>";
    }
    for (const std::size_t child : children_[i]) write(all, child, text);
    text << "</body>\n";
  }

  std::vector<std::vector<std::size_t>> children_;
  mjModel* model_ = nullptr;
  mjData* data_ = nullptr;
  std::vector<int> q_, v_;
};

}  // namespace

std::unique_ptr<Code> make_mujoco(const Bodies& all) {
  std::vector<int> depth(all.links.size(), 1);
  for (std::size_t i = 0; i < all.links.size(); ++i) {
    if (all.links[i].parent >= 0) {
      depth[i] = depth[static_cast<std::size_t>(all.links[i].parent)] + 1;
    }
    if (depth[i] > most_nested) return nullptr;
  }
  return std::make_unique<Mujoco>(all);
}
#else
std::unique_ptr<Code> make_mujoco(const Bodies&) {
  return nullptr;
}
#endif

}  // namespace mbs::bench
