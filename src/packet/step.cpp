#include "braid/packet/step.h"

#include <algorithm>

namespace braid {

int StepPlan::count(RowKind kind) const {
  return static_cast<int>(
      std::count_if(rows.begin(), rows.end(), [&](const Row& row) { return row.kind == kind; }));
}

}  // namespace braid
