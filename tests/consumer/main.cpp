// The smallest program that uses Tamis: selects what is greater than 2 and prints it.
#include <tamis/tamis.h>

#include <iostream>

int main() {
  tamis::Tensor x = tamis::tensor({1, 2, 3, 4});
  std::cout << x[x > 2] << "\n";
}
