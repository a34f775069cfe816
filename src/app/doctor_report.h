// What `tribar doctor` found, as text for people and as JSON with stable names for programs.
//
//   std::fputs(doctor_text(findings, Style::for_stream(stdout)).c_str(), stdout);
//
// Threads: pure functions.
#pragma once

#include <string>
#include <vector>

#include "app/doctor_verdict.h"
#include "app/terminal.h"

namespace tribar::app {

struct DoctorFindings {
  const Diagnosis& diagnosis;
  const std::vector<Advice>& advice;
  bool from_cache = false;  // the measured part
};

// "good", "could be faster", "bad".
std::string_view verdict_name(const std::vector<Advice>& advice);

std::string doctor_text(const DoctorFindings& findings, const Style& style);
std::string doctor_json(const DoctorFindings& findings);

}  // namespace tribar::app
