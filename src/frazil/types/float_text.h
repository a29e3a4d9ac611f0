#pragma once

#include <string>

namespace frazil {

/// The text that Java's Double.toString and Float.toString give (and so Spark's CAST to STRING): the shortest digits
/// that read back as the same number, at least one behind the point; plain from 10^-3 up to 10^7, else "1.0E10"; "NaN",
/// "Infinity", "-Infinity", "-0.0".
std::string DoubleToString(double value);
std::string FloatToString(float value);

}  // namespace frazil
