// Trains a small sequence model on padded batches, twice: with zeros in the padding and with NaN.
// `train_masked webgpu` does it on the GPU.
//
// Every step of a sequence has a word and a measurement. Its class says to which of two groups the
// word belongs and whether the measurements of the whole sequence are positive on average, so the
// model has to learn an embedding of words and to look at whole sequences. Padding is left out by
// masks in the mean over a sequence and in the loss, and nowhere else: what stands in it must not
// matter, which the second run proves.
#include <tamis/tamis.h>
#include <unistd.h>

#include <cmath>
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

using namespace tamis;

namespace {

constexpr int64_t kBatch = 32, kLength = 20, kWords = 300, kEmbedding = 8, kHidden = 16,
                  kClasses = 4;
constexpr int kSteps = 300;

struct Batch {
  Tensor words;     // int64 [batch * length], 0 in the padding
  Tensor measured;  // float32 [batch * length, 1], `padding` in the padding
  Tensor classes;   // int64 [batch * length]
  Tensor mask;      // bool [batch, length]
};

// The numbers are drawn on the CPU, so that every device sees the same.
Batch make_batch(double padding, const Device& device) {
  const Tensor mask = masks::from_lengths(randint(3, kLength + 1, {kBatch}), kLength);
  const Tensor words = randint(1, kWords, {kBatch, kLength}).masked_fill(~mask, 0);
  const Tensor mood = where(rand({kBatch, 1}) < 0.5, 1.0, -1.0);
  const Tensor measured = (randn({kBatch, kLength}) * 1.5 + mood).masked_fill(~mask, padding);
  const Tensor is_positive = masked::mean(measured, mask, {1}, true) > 0;
  const Tensor group = (words * words).remainder(5) < 2;
  const Tensor classes = group.to(int64) * 2 + is_positive.to(int64);
  return {words.view({-1}).to(device), measured.view({-1, 1}).to(device).settle(),
          classes.reshape({-1}).to(device).settle(), mask.to(device)};
}

struct Model {
  explicit Model(Device where) : device(std::move(where)) {}

  Device device;
  Tensor embedding = parameter({kWords, kEmbedding});
  Tensor from_word = parameter({kEmbedding, kHidden});
  Tensor from_measured = parameter({1, kHidden}), bias_measured = parameter({kHidden});
  Tensor from_mean = parameter({kHidden, kHidden}), bias = parameter({kHidden});
  Tensor to_class = parameter({kHidden, kClasses}), bias_class = parameter({kClasses});

  Tensor parameter(const Shape& shape) const {
    const double scale = 1 / std::sqrt(static_cast<double>(shape[0]));
    return (randn(shape) * scale).to(device).requires_grad_();
  }

  std::vector<Tensor> parameters() const {
    return {embedding, from_word, from_measured, bias_measured,
            from_mean, bias,      to_class,      bias_class};
  }

  /// What speaks for each class, [batch * length, classes]; anything in the padding.
  Tensor operator()(const Batch& batch) const {
    const Tensor words = embedding.index_select(0, batch.words).matmul(from_word);
    const Tensor steps = relu(batch.measured.matmul(from_measured) + bias_measured);
    const Shape sequences{kBatch, kLength, kHidden};
    const Tensor mean = masked::mean(steps.view(sequences), batch.mask.unsqueeze(-1), {1});
    const Tensor whole = mean.matmul(from_mean).unsqueeze(1);
    const Tensor hidden = tanh((words + steps).view(sequences) + whole + bias);
    return hidden.view({-1, kHidden}).matmul(to_class) + bias_class;
  }
};

/// Draws over itself on a terminal; elsewhere a line now and then.
void show_progress(int step, double loss) {
  static const bool is_terminal = isatty(STDOUT_FILENO) != 0;
  if (!is_terminal && step % (kSteps / 6) != 0) return;
  std::cout << (is_terminal ? "\r" : "");
  if (is_terminal) {
    constexpr int kWidth = 30;
    const int done = step * kWidth / kSteps;
    std::cout << '[' << std::string(done, '#') << std::string(kWidth - done, '.') << "] ";
  }
  std::cout << "step " << std::setw(3) << step << "/" << kSteps << "  loss " << std::fixed
            << std::setprecision(4) << loss;
  std::cout << (is_terminal && step < kSteps ? "" : "\n") << std::flush;
}

struct Result {
  std::vector<float> losses;
  double accuracy = 0;
};

Result train(double padding, const Device& device) {
  manual_seed(7);
  const Model model(device);
  Adam optimizer(model.parameters(), 0.02);
  Result result;
  for (int step = 1; step <= kSteps; ++step) {
    const Batch batch = make_batch(padding, device);
    const Tensor loss = cross_entropy(model(batch), batch.classes, {}, batch.mask.view({-1}));
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    result.losses.push_back(loss.item<float>());
    show_progress(step, result.losses.back());
  }
  NoGradGuard guard;
  const Batch unseen = make_batch(padding, device);
  const Tensor is_right = model(unseen).argmax(1) == unseen.classes;
  result.accuracy = masked::mean(is_right, unseen.mask.view({-1})).item<float>();
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  const Device device(argc > 1 ? argv[1] : "cpu");
  std::cout << "on " << device << ", zeros in the padding\n";
  const Result zeros = train(0, device);
  std::cout << "on " << device << ", NaN in the padding\n";
  const Result nans = train(std::nan(""), device);
  const bool same = zeros.losses == nans.losses;  // false if any loss is NaN
  std::cout << "accuracy on unseen sequences: " << std::setprecision(3) << nans.accuracy
            << "\nall losses have the same bits: " << (same ? "yes" : "no") << "\n";
  return same && zeros.accuracy > 0.9 && nans.accuracy > 0.9 ? 0 : 1;
}
