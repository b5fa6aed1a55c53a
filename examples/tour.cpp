// A tour of Tamis: fifteen masking examples as tutorials show them, each with what it really gives.
// `tour webgpu` goes through them on the GPU.
//
// SHOW prints an expression, its value, and keeps count of values that differ from the truth
// written beside it.
#include <tamis/tamis.h>

#include <cmath>
#include <functional>
#include <iostream>
#include <string>
#include <string_view>

using namespace tamis;

namespace {

int examples = 0;
int wrong = 0;

void example(std::string_view title) { std::cout << "\n" << ++examples << ". " << title << "\n"; }

void note(std::string_view text) { std::cout << "   # " << text << "\n"; }

// Without the device, so that every device prints the same.
std::string text_of(const Tensor& x) { return x.cpu().to_string(); }
std::string text_of(const Shape& shape) { return to_string(shape); }
std::string text_of(DType dtype) { return name(dtype); }
std::string text_of(int64_t number) { return std::to_string(number); }
std::string text_of(bool truth) { return truth ? "true" : "false"; }

/// Prints "code -> value", the further lines of the value below its first.
void print(const std::string& code, const std::string& value) {
  const std::string lead = "   " + code + " -> ";
  std::cout << lead;
  for (char c : value) {
    std::cout << c;
    if (c == '\n') std::cout << std::string(lead.size(), ' ');
  }
  std::cout << "\n";
}

void differs(std::string_view code, std::string_view truth) {
  ++wrong;
  std::cerr << "tour: example " << examples << ": " << code << " should be " << truth << "\n";
}

void show(const std::string& code, const std::string& value, std::string_view truth) {
  print(code, value);
  if (value != truth) differs(code, truth);
}

/// Runs what must throw and prints the error; its text must begin with PyTorch's.
void refuse(const std::string& code, const std::function<void()>& call, std::string_view pytorch) {
  try {
    call();
  } catch (const Error& error) {
    const std::string text = error.what();
    print(code, "Error: " + text);
    if (!text.starts_with(pytorch)) differs(code, pytorch);
    return;
  }
  print(code, "no error");
  differs(code, pytorch);
}

#define SHOW(expression, truth) show(#expression, text_of(expression), truth)
#define REFUSE(expression, pytorch) \
  refuse(                           \
      #expression, [&] { (void)(expression); }, pytorch)

// ---- masked_select ------------------------------------------------------------------------------

void keep_what_passes_a_test() {
  example("Keep elements that satisfy a condition");
  const Tensor x = tensor({{1, 2, 3}, {4, 5, 6}});
  SHOW(x.gt(3), "tensor([[False, False, False],\n        [ True,  True,  True]])");
  SHOW(x.masked_select(x.gt(3)), "tensor([4, 5, 6])");
  SHOW(x.masked_select(x.gt(3)).shape(), "[3]");
  note("Some libraries pad the result to six elements with garbage; here it has exactly three.");
  SHOW(x[x > 3], "tensor([4, 5, 6])");
}

void keep_what_is_not_zero() {
  example("Keep nonzero elements");
  const Tensor x = tensor({{1, 2, 3}, {4, 5, 6}});
  const Tensor sparse = tensor({{0, 7, 0}, {9, 0, 0}});
  SHOW(x.masked_select(x.ne(0)), "tensor([1, 2, 3, 4, 5, 6])");
  SHOW(sparse.masked_select(sparse.ne(0)), "tensor([7, 9])");
  SHOW(sparse.nonzero(), "tensor([[0, 1],\n        [1, 0]])");
}

void drop_padding_tokens() {
  example("Drop padding tokens");
  const int64_t batch = 2, seq_len = 3, vocab = 4;
  const Tensor logits = arange(batch * seq_len * vocab, float32).view({batch, seq_len, vocab});
  const Tensor numbers = ones({batch, seq_len});
  note("A tensor of ones and zeros is float32, not a mask:");
  REFUSE(logits.masked_select(numbers.unsqueeze(-1)),
         "masked_select: expected BoolTensor for mask");
  note("Corrected: the first sequence has 3 tokens, the second 1.");
  const Tensor mask = masks::from_lengths(tensor({3, 1}));
  SHOW(mask, "tensor([[ True,  True,  True],\n        [ True, False, False]])");
  note("This is often said to zero the padding. It removes the padding and flattens the rest:");
  SHOW(logits.masked_select(mask.unsqueeze(-1)).shape(), "[16]");
  note("x[mask] keeps a row for each token:");
  SHOW(logits[mask],
       "tensor([[ 0.,  1.,  2.,  3.],\n        [ 4.,  5.,  6.,  7.],\n        [ 8.,  9., 10., "
       "11.],\n"
       "        [12., 13., 14., 15.]])");
  note("To zero the padding and keep the shape, use masked_fill:");
  SHOW(logits.masked_fill(~mask.unsqueeze(-1), 0)[1],
       "tensor([[12., 13., 14., 15.],\n        [ 0.,  0.,  0.,  0.],\n        [ 0.,  0.,  0.,  "
       "0.]])");
}

void hide_the_future() {
  example("Hide the future");
  const Tensor attention = arange(18, float32).view({2, 3, 3});
  REFUSE(attention.masked_select(tril(ones({3, 3})).unsqueeze(0)),
         "masked_select: expected BoolTensor for mask");
  note("Corrected. The lower triangle keeps past and present, so `future_mask` is a misnomer.");
  SHOW(masks::causal(3),
       "tensor([[ True, False, False],\n        [ True,  True, False],\n        [ True,  True,  "
       "True]])");
  SHOW(attention.masked_select(masks::causal(3)),
       "tensor([ 0.,  3.,  4.,  6.,  7.,  8.,  9., 12., 13., 15., 16., 17.])");
  note("Before a softmax, keep the shape and fill the future with -inf:");
  SHOW(attention[0].masked_fill(~masks::causal(3), -INFINITY),
       "tensor([[0., -inf, -inf],\n        [3., 4., -inf],\n        [6., 7., 8.]])");
}

void remove_outliers() {
  example("Remove outliers: keep the 5th to the 95th percentile of 1000 numbers");
  manual_seed(0);
  const Tensor data = randn({1000});
  const Tensor q05 = kthvalue(data, 50).first, q95 = kthvalue(data, 950).first;
  const Tensor inliers = data.masked_select(data.ge(q05).logical_and(data.le(q95)));
  SHOW(inliers.numel(), "901");
  note("Not 900: k counts from 1, and both ends are kept.");
  SHOW(data[masks::between(data, q05, q95)].numel(), "901");
}

void select_by_a_mask() {
  example("Select by a mask");
  const Tensor input = tensor({1, 2, 3, 4, 5});
  const Tensor mask = tensor({true, false, true, false, true});
  SHOW(masked_select(input, mask), "tensor([1, 3, 5])");
  note("The shapes need not be equal; they only have to broadcast:");
  SHOW(masked_select(input, tensor({{true}, {false}, {true}})),
       "tensor([1, 2, 3, 4, 5, 1, 2, 3, 4, 5])");
}

// ---- masks from lists ---------------------------------------------------------------------------

void mask_from_lengths() {
  example("A mask from lengths");
  const Tensor mask = masks::from_lengths(tensor({2, 4, 3}), 5);
  SHOW(
      mask,
      "tensor([[ True,  True, False, False, False],\n        [ True,  True,  True,  True, False],\n"
      "        [ True,  True,  True, False, False]])");
  SHOW(count(mask), "9");
  SHOW(equal(mask, arange(5) < tensor({{2}, {4}, {3}})), "true");
  note("Multiplying by a mask does not drop padding: NaN * 0 is NaN.");
  const Tensor data = ones({3, 5}).masked_fill(~mask, NAN);
  SHOW((data * mask).sum(), "tensor(nan)");
  SHOW(data.masked_fill(~mask, 0).sum(), "tensor(9.)");
}

void mask_from_indices() {
  example("A mask from indices");
  const Tensor data = arange(10, float32);
  const Tensor mask = masks::from_indices(10, {2, 5, 7}, false);
  SHOW(data * mask, "tensor([0., 1., 0., 3., 4., 0., 6., 0., 8., 9.])");
  SHOW(data[mask], "tensor([0., 1., 3., 4., 6., 8., 9.])");
  note("An empty list, which breaks the usual recipe, masks nothing out:");
  SHOW(count(masks::from_indices(10, {}, false)), "10");
}

void mask_from_token_ids() {
  example("A mask from token ids");
  const Tensor tokens = tensor({5, 2, 9, 4, 4, 7, 1, 0, 2, 8, 3, 7});
  const Tensor mask = masks::drop_token_ids(tokens, {2, 4, 7});
  SHOW(equal(mask, ~isin(tokens, tensor({2, 4, 7}))), "true");
  SHOW(tokens * mask, "tensor([5, 0, 9, 0, 0, 0, 1, 0, 0, 8, 3, 0])");
  note(
      "Often written as tokens * mask.float(), which is unnecessary and turns the ids into "
      "floats.");
  SHOW((tokens * mask).dtype(), "int64");
  SHOW((tokens * mask.to_float()).dtype(), "float32");
  note("Zero may be a token too. A selection does not confuse the two:");
  SHOW(tokens[mask], "tensor([5, 9, 1, 0, 8, 3])");
}

// ---- x[mask] ------------------------------------------------------------------------------------

void multiply_what_is_kept() {
  example("Multiply kept elements");
  const Tensor x = tensor({1., 2., 3., 4., 5.});
  const Tensor y = tensor({10., 20., 30., 40., 50.});
  const Tensor mask = tensor({1, 1, 0, 1, 0}, boolean);
  SHOW(x[mask] * y[mask], "tensor([ 10.,  40., 160.])");
  note("Often quoted as tensor([10., 80.]); three elements are kept: 1 * 10, 2 * 20 and 4 * 40.");
}

void sum_what_is_kept() {
  example("Sum kept elements");
  const Tensor x = tensor({{1, 2, 3}, {4, 5, 6}, {7, 8, 9}});
  const Tensor mask = tensor({{true, false, true}, {false, true, false}, {true, false, true}});
  SHOW(x[mask], "tensor([1, 3, 5, 7, 9])");
  SHOW(x[mask].sum(), "tensor(25)");
  SHOW(x.masked_fill(~mask, 0).sum(), "tensor(25)");
  note("Often quoted as tensor(27). The second form needs no selection and runs in one pass.");
}

void combine_masks() {
  example("Combine masks");
  const Tensor ratings = tensor({{1., 2., 3., 4., 5.}, {6., 7., 8., 9., 10.}});
  const Tensor rated = tensor({{1, 0, 0, 1, 0}, {0, 0, 1, 0, 1}}, boolean);
  const Tensor category = tensor({true, false, true, true, false});
  SHOW(ratings[~rated & category], "tensor([3., 6., 9.])");
  note("Often written with unsqueeze and expand_as; broadcasting does the same:");
  SHOW(ratings[~rated & category.unsqueeze(0).expand_as(rated)], "tensor([3., 6., 9.])");
}

// ---- writing through a mask ---------------------------------------------------------------------

void zero_above_a_threshold() {
  example("Zero elements above their threshold");
  const Tensor threshold = tensor({1.5, 2.0, 0.8, 3.1, 1.2});
  const Tensor target = tensor({1.0, 3.0, 0.5, 4.0, 1.8});
  const Tensor mask = target > threshold;
  SHOW(mask, "tensor([False,  True, False,  True,  True])");
  target[mask] = 0;
  SHOW(target, "tensor([1.0000, 0.0000, 0.5000, 0.0000, 0.0000])");
  note(
      "Often quoted as tensor([0., 1., 0.5, 0., 0.]); 1.0 does not exceed 1.5, but 3.0 exceeds "
      "2.0.");
}

void zero_inside_ranges() {
  example("Zero elements in any of several ranges");
  const Tensor ranges = tensor({{1.0, 3.0}, {0.5, 2.5}, {2.0, 4.0}});
  const Tensor lo = ranges.select(1, 0), hi = ranges.select(1, 1);
  const Tensor target = tensor({1.5, 2.2, 3.8, 0.7, 1.2});
  note("Five numbers do not pair with three ranges:");
  REFUSE(
      (target >= lo) & (target <= hi),
      "The size of tensor a (5) must match the size of tensor b (3) at non-singleton dimension 0");
  note(
      "Corrected: compare a column of numbers with a row of ranges, then take `any` over the "
      "ranges.");
  const Tensor inside = masks::between(target.unsqueeze(1), lo, hi);
  SHOW(inside,
       "tensor([[ True,  True, False],\n        [ True,  True,  True],\n        [False, False,  "
       "True],\n"
       "        [False,  True, False],\n        [ True,  True, False]])");
  target[inside.any({1})] = 0;
  SHOW(target, "tensor([0., 0., 0., 0., 0.])");
}

void zero_listed_values() {
  example("Zero listed values");
  const Tensor target = tensor({1, 2, 3, 4, 5, 6, 7, 8, 9});
  target[isin(target, tensor({2, 5, 8}))] = 0;
  SHOW(target, "tensor([1, 0, 3, 4, 0, 6, 7, 0, 9])");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) set_default_device(argv[1]);
  std::cout << "Tamis by example: code -> result.\n";
  keep_what_passes_a_test();
  keep_what_is_not_zero();
  drop_padding_tokens();
  hide_the_future();
  remove_outliers();
  select_by_a_mask();
  mask_from_lengths();
  mask_from_indices();
  mask_from_token_ids();
  multiply_what_is_kept();
  sum_what_is_kept();
  combine_masks();
  zero_above_a_threshold();
  zero_inside_ranges();
  zero_listed_values();
  if (wrong > 0) {
    std::cout << "\ntour: " << wrong << " results are wrong\n";
    return 1;
  }
  std::cout << "\ntour: " << examples << " examples, all correct\n";
}
