#include "pipeline/load_fitting.h"

#include "pipeline/pipeline_run.h"
#include "pipeline/poster.h"
#include "watch/source_specs.h"

namespace braid::serve {

Result<PipelinePlan> load_fitting_pipeline(const std::string& file, const std::vector<std::string>& sources,
                                           bool memory) {
  auto plan = load_pipeline(file);
  if (!plan) return plan;
  const auto specs = parse_sources(sources);
  if (!specs) return tl::unexpected(specs.error());
  std::vector<std::string> names;
  names.reserve(specs->size());
  for (const ingest::SourceSpec& spec : *specs) names.push_back(spec.name);
  Status fits = check_plan_sources(*plan, names);
  if (fits) fits = check_secrets(*plan);
  if (fits) fits = check_plan_needs(*plan, memory);
  if (fits) fits = make_folders(*plan);
  if (!fits) return tl::unexpected(fits.error());
  return plan;
}

}  // namespace braid::serve
