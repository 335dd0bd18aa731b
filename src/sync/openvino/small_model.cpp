#include "openvino/small_model.h"

namespace braid::sync {

ov::CompiledModel compile_small(ov::Core& core, const std::shared_ptr<const ov::Model>& model) {
  return core.compile_model(model, "CPU", ov::inference_num_threads(1), ov::num_streams(1),
                            ov::hint::enable_cpu_pinning(false),
                            ov::hint::inference_precision(ov::element::f32));
}

bool holds(const ov::Output<const ov::Node>& port, ov::element::Type type, const ov::Shape& shape) {
  return port.get_element_type() == type && port.get_partial_shape() == ov::PartialShape(shape);
}

bool holds_one(const ov::Output<const ov::Node>& port, ov::element::Type type) {
  return port.get_element_type() == type && port.get_partial_shape().is_static() &&
         ov::shape_size(port.get_shape()) == 1;
}

}  // namespace braid::sync
