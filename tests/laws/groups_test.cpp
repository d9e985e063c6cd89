// Every group obeys the group laws: one line each.
#include "group_laws.h"
#include "lie/product.h"
#include "lie/r3.h"
#include "lie/se3.h"
#include "lie/so3.h"
#include "lie/so3r3.h"

namespace {

using cartan::lie::R3;
using cartan::lie::S3;
using cartan::lie::SE3;
using cartan::lie::SO3;
using cartan::lie::SO3R3;

template <class S>
using Mixed = cartan::lie::Product<SO3<S>, R3<S>, SE3<S>, S3<S>>;
template <class S>
using ThreeBodies = cartan::lie::Power<SE3<S>, 3>;
template <class S>
using Nested = cartan::lie::Product<cartan::lie::Power<SO3R3<S>, 2>, S3<S>>;

CARTAN_TEST_GROUP(SO3)
CARTAN_TEST_GROUP(S3)
CARTAN_TEST_GROUP(R3)
CARTAN_TEST_GROUP(SE3)
CARTAN_TEST_GROUP(SO3R3)
CARTAN_TEST_GROUP(Mixed)
CARTAN_TEST_GROUP(ThreeBodies)
CARTAN_TEST_GROUP(Nested)

}  // namespace
