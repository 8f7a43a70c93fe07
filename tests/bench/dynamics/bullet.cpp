#include "tests/bench/dynamics/bodies.hpp"

#ifdef BENCH_BULLET
#include <BulletDynamics/Featherstone/btMultiBody.h>
#endif

namespace mbs::bench {

#ifdef BENCH_BULLET
namespace {

// Its base is the free body, or fixed without meaning.
class Bullet final : public Code {
 public:
  explicit Bullet(const Bodies& all) : free_(all.free) {
    const auto vector = [](const Point& x) { return btVector3(x[0], x[1], x[2]); };
    const Link& first = all.links.front();
    const int links = all.hinges(), skip = all.free ? 1 : 0;
    base_mass_ = all.free ? first.mass : 1.0;
    body_ = std::make_unique<btMultiBody>(
        links, base_mass_, all.free ? vector(first.inertia) : btVector3(1, 1, 1), !all.free, false);
    for (int i = 0; i < links; ++i) {
      const Link& link = all.links[static_cast<std::size_t>(i + skip)];
      btVector3 parent_com(0, 0, 0);
      if (link.parent >= 0)
        parent_com = vector(all.links[static_cast<std::size_t>(link.parent)].com);
      btVector3 axis(0, 0, 0);
      axis[link.axis] = 1;
      body_->setupRevolute(i, link.mass, vector(link.inertia), link.parent - skip,
                           btQuaternion(0, 0, 0, 1), axis, vector(link.at) - parent_com,
                           vector(link.com), true);
      masses_.push_back(link.mass);
    }
    body_->finalizeMultiDof();
    body_->setCanSleep(false);
    body_->setLinearDamping(0);
    body_->setAngularDamping(0);
    body_->useGlobalVelocities(false);
    body_->setUseGyroTerm(true);
    body_->setMaxCoordinateVelocity(1e300);
  }

  void evaluate(const double* q, const double* qd, double* qdd) override {
    const int n = body_->getNumLinks();
    body_->setBaseVel(btVector3(0, 0, 0));
    body_->setBaseOmega(btVector3(0, 0, 0));
    for (int i = 0; i < n; ++i) {
      const btScalar angle = q[i], rate = qd[i];
      body_->setJointPosMultiDof(i, &angle);
      body_->setJointVelMultiDof(i, &rate);
    }
    body_->clearForcesAndTorques();
    if (free_) body_->addBaseForce(btVector3(0, 0, gravity * base_mass_));
    for (int i = 0; i < n; ++i)
      body_->addLinkForce(i, btVector3(0, 0, gravity * masses_[static_cast<std::size_t>(i)]));
    // It adds dt a to the velocities.
    constexpr double dt = 1.0;
    body_->computeAccelerationsArticulatedBodyAlgorithmMultiDof(dt, r_, v_, m_, false, false,
                                                                false);
    for (int i = 0; i < n; ++i) qdd[i] = (body_->getJointVelMultiDof(i)[0] - qd[i]) / dt;
  }

 private:
  bool free_;
  double base_mass_ = 1.0;
  std::unique_ptr<btMultiBody> body_;
  std::vector<double> masses_;
  btAlignedObjectArray<btScalar> r_;
  btAlignedObjectArray<btVector3> v_;
  btAlignedObjectArray<btMatrix3x3> m_;
};

}  // namespace

std::unique_ptr<Code> make_bullet(const Bodies& all) {
  return std::make_unique<Bullet>(all);
}
#else
std::unique_ptr<Code> make_bullet(const Bodies&) {
  return nullptr;
}
#endif

}  // namespace mbs::bench
