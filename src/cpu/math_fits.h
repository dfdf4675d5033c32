// Minimax polynomials. Written by tools/fit_math.py; errors are those of exact coefficients,
// relative to the function that the polynomial is a part of.
// clang-format off
#ifndef TENON_CPU_MATH_FITS_H_
#define TENON_CPU_MATH_FITS_H_

// (exp(r) - 1 - r) / r^2; error 2^-55.6.
TN_MATH double fit_exp(double x) {
  double p = 0x1.af76c47a5e475p-26;
  p = p * x + 0x1.28a2c4804b159p-22;
  p = p * x + 0x1.71dde9f9d7b55p-19;
  p = p * x + 0x1.a019a66e010dcp-16;
  p = p * x + 0x1.a01a01b5db2aep-13;
  p = p * x + 0x1.6c16c17f3edc1p-10;
  p = p * x + 0x1.111111110e6d2p-7;
  p = p * x + 0x1.55555555520d9p-5;
  p = p * x + 0x1.555555555555cp-3;
  p = p * x + 0x1.0000000000005p-1;
  return p;
}

// (exp(r) - 1 - r) / r^2; error 2^-26.2.
#define FIT_EXP_FLOAT(x) \
  (((((0x1.6d99b80000000p-10f * (x) + 0x1.1228200000000p-7f) * (x) + 0x1.5554860000000p-5f) * (x) + 0x1.5554b00000000p-3f) * (x) + 0x1.0000000000000p-1f))

// (log((1 + s) / (1 - s)) - 2 s) / s^3 in s^2; error 2^-58.5.
TN_MATH double fit_log(double x) {
  double p = 0x1.2f08c70b67e69p-3;
  p = p * x + 0x1.39a168b54bedap-3;
  p = p * x + 0x1.746641eb92d0fp-3;
  p = p * x + 0x1.c71c51fb8abf4p-3;
  p = p * x + 0x1.2492494200fecp-2;
  p = p * x + 0x1.999999997fcb1p-2;
  p = p * x + 0x1.5555555555593p-1;
  return p;
}

// (log(1 + f) - f + f^2 / 2) / f^3; error 2^-30.4.
TN_MATH float fit_log_float(float x) {
  float p = 0x1.1b3fd80000000p-4f;
  p = p * x + -0x1.e2e7ca0000000p-4f;
  p = p * x + 0x1.e650f20000000p-4f;
  p = p * x + -0x1.fb43800000000p-4f;
  p = p * x + 0x1.2332be0000000p-3f;
  p = p * x + -0x1.5562e00000000p-3f;
  p = p * x + 0x1.99a5460000000p-3f;
  p = p * x + -0x1.ffffee0000000p-3f;
  p = p * x + 0x1.5555460000000p-2f;
  return p;
}

// (log((1 + s) / (1 - s)) - 2 s - 2/3 s^3) / s^5 in s^2; error 2^-65.3.
TN_MATH double fit_log_more(double x) {
  double p = 0x1.0e45b95f7113cp-3;
  p = p * x + 0x1.0f7f97b887433p-3;
  p = p * x + 0x1.3b1eef752e82fp-3;
  p = p * x + 0x1.745ce9d0f6c69p-3;
  p = p * x + 0x1.c71c722d9a765p-3;
  p = p * x + 0x1.2492492457b1ap-2;
  p = p * x + 0x1.9999999999b31p-2;
  return p;
}

// (sin(x) - x) / x^3 in x^2; error 2^-58.0.
TN_MATH double fit_sin(double x) {
  double p = 0x1.5d90e3af48d6fp-33;
  p = p * x + -0x1.ae5e5f2cbe41bp-26;
  p = p * x + 0x1.71de356f07de6p-19;
  p = p * x + -0x1.a01a019c07fdcp-13;
  p = p * x + 0x1.111111110f831p-7;
  p = p * x + -0x1.5555555555549p-3;
  return p;
}

// (cos(x) - 1 + x^2 / 2) / x^4 in x^2; error 2^-64.2.
TN_MATH double fit_cos(double x) {
  double p = -0x1.8fac4afd5ba77p-37;
  p = p * x + 0x1.1ee9e79650242p-29;
  p = p * x + -0x1.27e4f803d18ddp-22;
  p = p * x + 0x1.a01a019ca99efp-16;
  p = p * x + -0x1.6c16c16c1512ep-10;
  p = p * x + 0x1.555555555554cp-5;
  return p;
}

// (asin(x) - x) / x^3 in x^2; error 2^-55.9.
TN_MATH double fit_asin(double x) {
  double p = 0x1.05cf7956e019fp-5;
  p = p * x + -0x1.0af8760e7a039p-6;
  p = p * x + 0x1.40b470be90cf7p-6;
  p = p * x + 0x1.aaaf8936ac886p-8;
  p = p * x + 0x1.8ee52d8e0e71dp-7;
  p = p * x + 0x1.c6f8672a53441p-7;
  p = p * x + 0x1.1c6c28fd024bdp-6;
  p = p * x + 0x1.6e89ef6321757p-6;
  p = p * x + 0x1.f1c72c6e4dc3ap-6;
  p = p * x + 0x1.6db6db41d0bfcp-5;
  p = p * x + 0x1.333333336f8cep-4;
  p = p * x + 0x1.5555555555387p-3;
  return p;
}

// (atan(x) - x) / x^3 in x^2; error 2^-59.5.
TN_MATH double fit_atan(double x) {
  double p = -0x1.257f8c96c2eacp-6;
  p = p * x + 0x1.37dff3880566cp-5;
  p = p * x + -0x1.9cd708789f426p-5;
  p = p * x + 0x1.df104bb8101bdp-5;
  p = p * x + -0x1.10ebcaa3c8cb2p-4;
  p = p * x + 0x1.3b111ac5e6516p-4;
  p = p * x + -0x1.745cf8f4964c2p-4;
  p = p * x + 0x1.c71c70e6e1beep-4;
  p = p * x + -0x1.24924922af4aep-3;
  p = p * x + 0x1.99999999958a5p-3;
  p = p * x + -0x1.555555555553dp-2;
  return p;
}

// (sinh(x) - x) / x^3 in x^2; error 2^-63.2.
TN_MATH double fit_sinh(double x) {
  double p = 0x1.b4cf76c388fc5p-41;
  p = p * x + 0x1.611a3a264d1bbp-33;
  p = p * x + 0x1.ae6467667b311p-26;
  p = p * x + 0x1.71de3a45f7372p-19;
  p = p * x + 0x1.a01a01a0291f9p-13;
  p = p * x + 0x1.11111111110a1p-7;
  p = p * x + 0x1.5555555555556p-3;
  return p;
}

// erf(x) / x - 1 in x^2; error 2^-57.0.
TN_MATH double fit_erf(double x) {
  double p = -0x1.acdff76a80247p-31;
  p = p * x + 0x1.d7848dc9ce027p-27;
  p = p * x + -0x1.5c16e16637f40p-23;
  p = p * x + 0x1.b9827aa968d04p-20;
  p = p * x + -0x1.f4ca9488ceabdp-17;
  p = p * x + 0x1.f9a2bf727f2a1p-14;
  p = p * x + -0x1.c02db072df8b6p-11;
  p = p * x + 0x1.565bccfa99d0ep-8;
  p = p * x + -0x1.b82ce3120624cp-6;
  p = p * x + 0x1.ce2f21a041016p-4;
  p = p * x + -0x1.812746b0379c2p-2;
  p = p * x + 0x1.06eba8214db68p-3;
  return p;
}

// erf(x) / x - 1 in x^2; error 2^-26.3.
TN_MATH float fit_erf_float(float x) {
  float p = -0x1.4068620000000p-11f;
  p = p * x + 0x1.48be560000000p-8f;
  p = p * x + -0x1.b6cbaa0000000p-6f;
  p = p * x + 0x1.ce1ec20000000p-4f;
  p = p * x + -0x1.8127000000000p-2f;
  p = p * x + 0x1.06eba60000000p-3f;
  return p;
}

// log(erfc(x)), for x in [0.88, 4]; error 2^-33.7.
TN_MATH float fit_erfc_float(float x) {
  float p = -0x1.5a1c640000000p-16f;
  p = p * x + 0x1.c1ef6a0000000p-12f;
  p = p * x + -0x1.0fa7280000000p-8f;
  p = p * x + 0x1.9a70880000000p-6f;
  p = p * x + -0x1.bb15be0000000p-4f;
  p = p * x + -0x1.4452800000000p-1f;
  p = p * x + -0x1.2124d40000000p+0f;
  p = p * x + 0x1.5a117c0000000p-13f;
  return p;
}

// (1 + 2 x) exp(x^2) erfc(x) in (x - 4) / (x + 4), for x in [0.5, 28.4]; error 2^-58.6.
TN_MATH double fit_erfcx(double x) {
  double p = -0x1.55983d9fa68e4p-27;
  p = p * x + -0x1.9efe540d20e28p-27;
  p = p * x + 0x1.befa053786f31p-24;
  p = p * x + 0x1.1e2aec4e50fb1p-24;
  p = p * x + -0x1.b87dc136aa0dep-21;
  p = p * x + 0x1.4222a06c08ea3p-22;
  p = p * x + 0x1.7effd897222d7p-18;
  p = p * x + -0x1.78a62dbc99928p-17;
  p = p * x + -0x1.9955f5659dfb6p-16;
  p = p * x + 0x1.3be0e50d3f1abp-13;
  p = p * x + -0x1.a1df3c15b4f94p-13;
  p = p * x + -0x1.8d4aa24f7d500p-11;
  p = p * x + 0x1.49c6729f6c251p-8;
  p = p * x + -0x1.0962387cb1414p-6;
  p = p * x + 0x1.3079edf63c7f8p-5;
  p = p * x + -0x1.0fb06dfe702c9p-4;
  p = p * x + 0x1.7fee004e14115p-4;
  p = p * x + -0x1.9ddb23c3e79bbp-4;
  p = p * x + 0x1.16ecefcfa52edp-4;
  p = p * x + 0x1.f7f5df66fd510p-7;
  p = p * x + -0x1.1df1ad154a28ep-3;
  p = p * x + 0x1.3ba5916e9fd7fp+0;
  return p;
}

// erfinv(x) / x in -log(1 - x^2) - 3; error 2^-28.0.
TN_MATH double fit_erfinv(double x) {
  double p = 0x1.b68611ebe9cbcp-36;
  p = p * x + 0x1.73d7d37c3ce21p-31;
  p = p * x + -0x1.9f97768768fe8p-28;
  p = p * x + -0x1.4e35010b77baep-26;
  p = p * x + 0x1.e6890b2613563p-22;
  p = p * x + -0x1.da671a49a7002p-20;
  p = p * x + -0x1.aafb6dfd78e16p-17;
  p = p * x + 0x1.99282e57785edp-13;
  p = p * x + -0x1.b6650073b9c81p-11;
  p = p * x + -0x1.780e711df1dc6p-8;
  p = p * x + 0x1.eedbeb5a23e93p-3;
  p = p * x + 0x1.9fa072fd69270p+0;
  return p;
}

// erfinv(x) in sqrt(-log(1 - x^2)) - 4.25; error 2^-29.7.
TN_MATH double fit_erfinv_far(double x) {
  double p = 0x1.8cd6bdf0e1d66p-25;
  p = p * x + -0x1.351db1199deadp-23;
  p = p * x + -0x1.e3cc16667d167p-24;
  p = p * x + 0x1.0f3d3433d4dc7p-20;
  p = p * x + -0x1.ade1cd827ad3dp-19;
  p = p * x + 0x1.d0e2ea7942d10p-17;
  p = p * x + -0x1.e564a009afe43p-15;
  p = p * x + 0x1.b41d8fa6f710ap-13;
  p = p * x + -0x1.3d619da7d2432p-11;
  p = p * x + 0x1.751ee60d7463cp-11;
  p = p * x + 0x1.028df3a4a1dcbp+0;
  p = p * x + 0x1.05e6fcf8cfebfp+2;
  return p;
}

// erfinv(x) r in r = 1 / sqrt(-log(1 - x^2)); error 2^-34.2.
TN_MATH double fit_erfinv_farther(double x) {
  double p = 0x1.2b15dfed79d6dp+21;
  p = p * x + -0x1.6e863066e5f82p+21;
  p = p * x + 0x1.96bddbf59070ap+20;
  p = p * x + -0x1.0ecaafaecf48ep+19;
  p = p * x + 0x1.e3d10ade275d0p+16;
  p = p * x + -0x1.3404fe6b4d107p+14;
  p = p * x + 0x1.23b13c3c0016fp+11;
  p = p * x + -0x1.b0cd67ae577ddp+7;
  p = p * x + 0x1.237f3b27d0bd4p+4;
  p = p * x + -0x1.dc19c771b1ae0p+0;
  p = p * x + -0x1.064c38c5f107dp-7;
  p = p * x + 0x1.0001db69ace87p+0;
  return p;
}

#endif  // TENON_CPU_MATH_FITS_H_
