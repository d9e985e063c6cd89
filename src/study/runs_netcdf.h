// runs.nc: all runs of a study as one NetCDF-4 file (docs/study.md lists what is in it).
#pragma once

#include <string>

#include "study/block_store.h"
#include "study/study.h"

namespace cartan::study {

// The library must be there (NetcdfFile::missing). `record`: what study it is.
bool write_runs_netcdf(const Study& study, const BlockStore& store, const std::string& record,
                       const std::string& path, std::string& problem);

}  // namespace cartan::study
