// Writes the small files that the examples of the command line work on: a year of hourly
// temperatures with gaps and wrong readings, a limit for each hour, and lengths and tokens of
// sentences. The same on every machine.
//
//   make_data FOLDER
#include <tamis/tamis.h>

#include <cmath>
#include <iostream>
#include <limits>
#include <string>

using namespace tamis;

namespace {

constexpr int64_t kDays = 365, kHours = 24;

/// [365, 24] degrees Celsius to a tenth: warm in July and in the afternoon. Now and then a reading
/// is missing, in one week all are, and a few are impossible.
Tensor temperatures() {
  const double turn = 2 * std::acos(-1.0);
  const Tensor day = arange(kDays).view({kDays, 1}), hour = arange(kHours);
  const Tensor season = sin((day.to_double() - 110) * (turn / kDays)) * 9;
  const Tensor time = sin((hour.to_double() - 9) * (turn / kHours)) * 5;
  // One by one: in a single expression the compiler chooses which is drawn first.
  const Tensor hourly = randn({kDays, kHours}, float64);
  const Tensor weather = randn({kDays, 1}, float64) * 3 + hourly;
  const Tensor exact = season + time + weather + 10;
  const Tensor x = (round(exact * 10) / 10).to_float();
  x[rand({kDays, kHours}) < 0.001] = 99.9;
  x[rand({kDays, kHours}) < 0.02] = std::numeric_limits<float>::quiet_NaN();
  x.narrow(0, 220, 7) = std::numeric_limits<float>::quiet_NaN();
  return x;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: make_data FOLDER\n";
    return 1;
  }
  const std::string folder = argv[1];
  manual_seed(20);
  save(folder + "/temperature.npy", temperatures());
  const Tensor hour = arange(kHours);
  save(folder + "/limit.npy", where((hour >= 7) & (hour < 20), Tensor(24.f), Tensor(18.f)));
  save(folder + "/lengths.npy", tensor({3, 0, 5, 2}));
  save(folder + "/tokens.npy", randint(0, 9, {4, 6}));
  save_all(folder + "/model.safetensors", {{"embedding", randn({9, 4})}, {"bias", zeros({4})}});
}
