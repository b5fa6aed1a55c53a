// Examples: as the manual shows them.
#include "commands/examples.h"

namespace tamis::cli {

std::vector<Example> select_examples() {
  return {
      {"Write the readings above 3 degrees that are not missing to a file",
       "tamis select temperature.npy --where 'x > 3 & ~isnan(x)' -o out.npy",
       "kept 6552 of 8760 (74.8 %)\n"},
      {"Pipe the readings above the limit for their hour to another command",
       "tamis select x=temperature.npy y=limit.npy -w 'x > y' --quiet | tamis count - -w 'x > 30'",
       "14\n"},
      {"Remove outliers, more than three standard deviations from the mean",
       "tamis select temperature.npy -w 'abs(x - mean(x)) <= 3 * std(x)' -o clean.npz",
       "kept 8395 of 8760 (95.8 %)\n"},
      {"Select the first week by index", "tamis select temperature.npy -w 'i < 7' -o week.npy",
       "kept 168 of 8760 (1.9 %)\n"},
  };
}

std::vector<Example> fill_examples() {
  return {
      {"Replace three token ids with zero",
       "tamis fill tokens.npy --where 'isin(x, [2, 4, 7])' --value 0 -o out.npy",
       "filled 9 of 24 (37.5 %)\n"},
      {"Fill gaps with the mean",
       "tamis fill temperature.npy -w 'isnan(x)' --value 'mean(x)' -o filled.npy",
       "filled 355 of 8760 (4.1 %)\n"},
      {"Cap readings at the limit for their hour",
       "tamis fill x=temperature.npy y=limit.npy -w 'x > y' --value y -o capped.npy",
       "filled 422 of 8760 (4.8 %)\n"},
  };
}

std::vector<Example> count_examples() {
  return {
      {"Count readings between the 5 % and 95 % quantiles, for each hour",
       "tamis count temperature.npy --where 'x >= q(0.05) & x <= q(0.95)' --dim 0",
       "312\n"
       "309\n"
       "303\n"
       "297\n"
       "303\n"
       "302\n"
       "311\n"
       "321\n"
       "330\n"
       "340\n"
       "340\n"
       "320\n"
       "313\n"
       "307\n"
       "297\n"
       "293\n"
       "297\n"
       "304\n"
       "313\n"
       "327\n"
       "336\n"
       "342\n"
       "332\n"
       "326\n"},
      {"Count the days with frost",
       "tamis count temperature.npy -w 'x < 0' --dim 1 -o per_day.npy && tamis count per_day.npy "
       "-w 'x > 0'",
       "116\n"},
      {"Count the true elements of a mask",
       "tamis mask -w 'causal(4)' -o causal.npy -q && tamis count causal.npy", "10\n"},
      {"Count several files separately", "tamis count --each temperature.npy limit.npy -w 'x > 20'",
       "file             count  total\n"
       "temperature.npy    852   8760\n"
       "limit.npy           13     24\n"},
      {"JSON output for a script", "tamis count temperature.npy -w 'isnan(x)' --json",
       "{\"count\":355,\"total\":8760}\n"},
  };
}

std::vector<Example> stats_examples() {
  return {
      {"Summarise a whole file", "tamis stats temperature.npy",
       "count     8760\n"
       "total     8760\n"
       "nan       355\n"
       "inf       0\n"
       "sum       81781.6\n"
       "mean      9.730113\n"
       "std       8.406682\n"
       "min       -12.1\n"
       "q(0.05)   -3.28\n"
       "q(0.25)   3.8\n"
       "q(0.5)    9.6\n"
       "q(0.75)   15.4\n"
       "q(0.95)   22.5\n"
       "max       99.9\n"},
      {"Readings above the limit for their hour",
       "tamis stats x=temperature.npy y=limit.npy --where 'x > y'",
       "count     422\n"
       "total     8760\n"
       "nan       0\n"
       "inf       0\n"
       "sum       10461.6\n"
       "mean      24.79052\n"
       "std       12.16361\n"
       "min       18.1\n"
       "q(0.05)   18.3\n"
       "q(0.25)   19.6\n"
       "q(0.5)    24.2\n"
       "q(0.75)   25.7\n"
       "q(0.95)   28.89\n"
       "max       99.9\n"},
      {"One line per row", "tamis stats tokens.npy --dim 1",
       "index  count  total  nan  inf  sum      mean       std  min  max\n"
       "0          6      6    0    0   19  3.166667  2.926887    0    7\n"
       "1          6      6    0    0   39       6.5  1.048809    5    8\n"
       "2          6      6    0    0   34  5.666667  2.875181    0    8\n"
       "3          6      6    0    0   16  2.666667  1.966384    0    5\n"},
      {"JSON output for a script, with chosen quantiles",
       "tamis stats temperature.npy -w 'x < 99' --quantiles 0.1,0.9 --json",
       "{\"count\":8395,\"total\":8760,\"nan\":0,\"inf\":0,\"sum\":80782.60004772246,\"mean\":9."
       "622703996155147,\"std\":7.814009287460074,\"min\":-12.100000381469727,\"q(0.1)\":-0."
       "800000011920929,\"q(0.9)\":20.100000381469727,\"max\":31.0}\n"},
  };
}

std::vector<Example> mask_examples() {
  return {
      {"Mask each row up to its length",
       "tamis mask --lengths lengths.npy --max-len 512 -o mask.npy", "true: 10 of 2048 (0.5 %)\n"},
      {"Attention mask: each query sees itself and the 127 keys before it",
       "tamis mask --where 'causal(512) & sliding_window(512, 128)' -o causal.npy",
       "true: 57408 of 262144 (21.9 %)\n"},
      {"Mark missing readings", "tamis mask temperature.npy -w 'isnan(x)' -o gaps.npy",
       "true: 355 of 8760 (4.1 %)\n"},
  };
}

std::vector<Example> partition_examples() {
  return {
      {"Separate frost from the other readings",
       "tamis partition temperature.npy --where 'x < 0' -o kept.npy --rejected rest.npy",
       "kept 989 of 8760 (11.3 %)\n"},
  };
}

std::vector<Example> show_examples() {
  return {
      {"Draw where readings are missing, days by hours",
       "tamis show temperature.npy --where 'isnan(x)' -o picture.png",
       "temperature.npy [365, 24] float32, where isnan(x)\n"
       "kept 355 of 8,760 (4.05%)\n"
       "a cell is 16 x 1 elements\n"
       "  0 ┤░░··░░····················░░··░░░░░░░░······░░··\n"
       "    │··░░░░····░░░░░░··░░····░░··········░░··░░··░░··\n"
       "    │░░░░··░░░░░░··················░░░░··░░··········\n"
       "    │······░░░░··░░····░░··░░░░░░░░······░░··░░··░░░░\n"
       "    │··░░······░░░░··············░░······░░░░····░░··\n"
       "    │░░░░······░░····░░················░░············\n"
       "100 ┤····░░····░░····░░····░░··············░░░░······\n"
       "    │░░··················░░········░░░░··············\n"
       "    │░░░░········░░········░░··░░░░··░░··░░░░········\n"
       "    │··········░░······░░░░░░··░░░░······░░··········\n"
       "    │········░░····░░······░░······░░················\n"
       "    │░░····░░··░░············░░··░░░░··░░░░··░░····░░\n"
       "200 ┤··░░············░░░░░░··░░········░░··░░··░░····\n"
       "    │░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░\n"
       "    │░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░\n"
       "    │········░░········░░········░░··░░░░··········░░\n"
       "    │········░░░░······░░··░░░░········░░····░░····░░\n"
       "    │····░░····░░··░░░░··░░░░··░░··░░··░░░░░░········\n"
       "300 ┤······░░····░░··········░░··░░··░░········░░····\n"
       "    │··░░······░░░░░░░░····░░··░░············░░░░░░··\n"
       "    │░░··░░··········░░····░░░░··········░░····░░····\n"
       "    │······░░······░░░░░░········░░░░··░░░░··········\n"
       "    │····░░······░░····················░░··░░········\n"
       "    └┴─────────┴─────────┴─────────┴─────────┴───────\n"
       "     0         5         10        15        20\n"},
      {"Draw a causal mask with a sliding window",
       "tamis mask --where 'sliding_window(64, 24)' -o window.npy -q && tamis show window.npy",
       "window.npy [64, 64] bool\n"
       "kept 1,260 of 4,096 (30.76%)\n"
       "a cell is 3 x 1 elements\n"
       " 0 ┤█▓▒·····························································\n"
       "   │████▓▒··························································\n"
       "   │███████▓▒·······················································\n"
       "10 ┤██████████▓▒····················································\n"
       "   │█████████████▓▒·················································\n"
       "   │████████████████▓▒··············································\n"
       "20 ┤███████████████████▓▒···········································\n"
       "   │██████████████████████▓▒········································\n"
       "   │·▒▓██████████████████████▓▒·····································\n"
       "   │····▒▓██████████████████████▓▒··································\n"
       "30 ┤·······▒▓██████████████████████▓▒·······························\n"
       "   │··········▒▓██████████████████████▓▒····························\n"
       "   │·············▒▓██████████████████████▓▒·························\n"
       "40 ┤················▒▓██████████████████████▓▒······················\n"
       "   │···················▒▓██████████████████████▓▒···················\n"
       "   │······················▒▓██████████████████████▓▒················\n"
       "50 ┤·························▒▓██████████████████████▓▒·············\n"
       "   │····························▒▓██████████████████████▓▒··········\n"
       "   │·······························▒▓██████████████████████▓▒·······\n"
       "   │··································▒▓██████████████████████▓▒····\n"
       "60 ┤·····································▒▓██████████████████████▓▒·\n"
       "   │········································████████████████████████\n"
       "   └┴─────────┴─────────┴─────────┴─────────┴─────────┴─────────┴───\n"
       "    0         10        20        30        40        50        60\n"},
  };
}

std::vector<Example> head_examples() {
  return {
      {"Print the first rows", "tamis head tokens.npy -n 2",
       "0 5 2 0 5 7\n"
       "7 5 8 6 6 7\n"
       "2 of 4 lines\n"},
      {"Find the hottest hours", "tamis head temperature.npy -w 'x > 30 & x < 99' -n 3",
       "182,14  31.0\n"
       "207,12  30.4\n"
       "207,15  30.4\n"},
  };
}

std::vector<Example> convert_examples() {
  return {
      {"Write CSV for a spreadsheet",
       "tamis convert tokens.npy --columns a,b,c,d,e,f -o tokens.csv && head -n 3 tokens.csv",
       "wrote int64 of shape [4, 6]\n"
       "a,b,c,d,e,f\n"
       "0,5,2,0,5,7\n"
       "7,5,8,6,6,7\n"},
      {"Read it back", "tamis convert tokens.csv --header -o again.npy && cmp tokens.npy again.npy",
       "wrote int64 of shape [4, 6]\n"},
      {"Write a Zarr store with chunks of 100 days",
       "tamis convert temperature.npy --chunks 100,24 -o temperature.zarr && tamis info "
       "temperature.zarr",
       "wrote float32 of shape [365, 24]\n"
       "temperature.zarr: zarr, 1 array, 35.0 kB\n"
       "  float32   [365, 24]  35.0 kB, compressed\n"
       "    Zarr version 3, chunks [100, 24]\n"
       "    codecs bytes, zstd 1, fill value 0.0\n"},
      {"Extract one tensor from a model", "tamis convert model.safetensors:bias -o bias.npy",
       "wrote float32 of shape [4]\n"},
  };
}

std::vector<Example> info_examples() {
  return {
      {"List the tensors of a model", "tamis info model.safetensors",
       "model.safetensors: safetensors, 2 arrays, 160 B\n"
       "  embedding  float32   [9, 4]  144 B\n"
       "  bias       float32   [4]  16 B\n"},
      {"Describe several files", "tamis info temperature.npy tokens.npy",
       "temperature.npy: npy, 1 array, 35.0 kB\n"
       "  float32   [365, 24]  35.0 kB\n"
       "tokens.npy: npy, 1 array, 192 B\n"
       "  int64     [4, 6]  192 B\n"},
      {"JSON output for a script", "tamis info limit.npy --json",
       "[{\"file\":\"limit.npy\",\"format\":\"npy\",\"arrays\":[{\"name\":\"\",\"dtype\":"
       "\"float32\",\"shape\":[24],\"elements\":24,\"bytes\":96,\"offset\":128,\"fortran_order\":"
       "false,\"byte_swapped\":false,\"compressed\":false}]}]\n"},
  };
}

}  // namespace tamis::cli
