#include "tests/bench/dynamics/bodies.hpp"

#ifdef BENCH_SIMBODY
#include <Simbody.h>
#endif

namespace mbs::bench {

#ifdef BENCH_SIMBODY
namespace {

class Simbody final : public Code {
 public:
  explicit Simbody(const Bodies& all) : matter_(system_), forces_(system_) {
    using namespace SimTK;
    Force::UniformGravity(forces_, matter_, Vec3(0, 0, gravity));
    const auto vector = [](const Point& x) { return Vec3(x[0], x[1], x[2]); };
    for (std::size_t i = 0; i < all.links.size(); ++i) {
      const Link& link = all.links[i];
      const Inertia about_com(vector(link.inertia));
      const Vec3 com = vector(link.com);
      const Body::Rigid body(
          MassProperties(link.mass, com, about_com.shiftFromMassCenter(com, link.mass)));
      MobilizedBody parent =
          link.parent < 0
              ? MobilizedBody(matter_.Ground())
              : matter_.getMobilizedBody(mobilized_[static_cast<std::size_t>(link.parent)]);
      if (all.free && i == 0) {
        mobilized_.push_back(MobilizedBody::Free(parent, body).getMobilizedBodyIndex());
        continue;
      }
      const Rotation axis =
          link.axis == 2 ? Rotation() : Rotation(UnitVec3(CoordinateAxis(link.axis)), ZAxis);
      mobilized_.push_back(MobilizedBody::Pin(parent, Transform(axis, vector(link.at)), body,
                                              Transform(axis, Vec3(0)))
                               .getMobilizedBodyIndex());
    }
    state_ = system_.realizeTopology();
    system_.realizeModel(state_);
    for (std::size_t i = all.free ? 1 : 0; i < all.links.size(); ++i) {
      const MobilizedBody& body = matter_.getMobilizedBody(mobilized_[i]);
      q_.push_back(body.getFirstQIndex(state_));
      u_.push_back(body.getFirstUIndex(state_));
    }
  }

  void evaluate(const double* q, const double* qd, double* qdd) override {
    SimTK::Vector& Q = state_.updQ();
    for (std::size_t i = 0; i < q_.size(); ++i) Q[q_[i]] = q[i];
    SimTK::Vector& U = state_.updU();
    for (std::size_t i = 0; i < u_.size(); ++i) U[u_[i]] = qd[i];
    system_.realize(state_, SimTK::Stage::Acceleration);
    const SimTK::Vector& a = state_.getUDot();
    for (std::size_t i = 0; i < u_.size(); ++i) qdd[i] = a[u_[i]];
  }

 private:
  SimTK::MultibodySystem system_;
  SimTK::SimbodyMatterSubsystem matter_;
  SimTK::GeneralForceSubsystem forces_;
  SimTK::State state_;
  std::vector<SimTK::MobilizedBodyIndex> mobilized_;
  std::vector<int> q_, u_;
};

}  // namespace

std::unique_ptr<Code> make_simbody(const Bodies& all) {
  return std::make_unique<Simbody>(all);
}
#else
std::unique_ptr<Code> make_simbody(const Bodies&) {
  return nullptr;
}
#endif

}  // namespace mbs::bench
