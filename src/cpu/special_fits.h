// Minimax polynomials. Written by tools/fit_math.py; errors are those of exact coefficients,
// relative to the function that the polynomial is a part of.
// clang-format off
#ifndef TENON_CPU_SPECIAL_FITS_H_
#define TENON_CPU_SPECIAL_FITS_H_

// I0(x) in (x/2)^2, for x <= 8; error 2^-59.9.
TN_MATH double fit_i0(double x) {
  double p = 0x1.1caf30c3b68dep-80;
  p = p * x + 0x1.108bedc563c91p-73;
  p = p * x + 0x1.f2a2c868b01d2p-66;
  p = p * x + 0x1.40a5e28d1a977p-58;
  p = p * x + 0x1.69e61e5cfd1a7p-51;
  p = p * x + 0x1.55ff4d9c5a6d5p-44;
  p = p * x + 0x1.0b3153e53d499p-37;
  p = p * x + 0x1.522a4126df88dp-31;
  p = p * x + 0x1.522a44218a694p-25;
  p = p * x + 0x1.02e85c06c98acp-19;
  p = p * x + 0x1.23456789c5e20p-14;
  p = p * x + 0x1.c71c71c71a93ep-10;
  p = p * x + 0x1.c71c71c71c85bp-6;
  p = p * x + 0x1.ffffffffffff3p-3;
  p = p * x + 0x1.0000000000000p+0;
  p = p * x + 0x1.0000000000000p+0;
  return p;
}

// 2/x I1(x) in (x/2)^2, for x <= 8; error 2^-62.7.
TN_MATH double fit_i1(double x) {
  double p = 0x1.17ce40acc4a39p-84;
  p = p * x + 0x1.26fe322812bb9p-77;
  p = p * x + 0x1.1c1862fd4934ap-69;
  p = p * x + 0x1.8ad6aed35e884p-62;
  p = p * x + 0x1.e280896ddb767p-55;
  p = p * x + 0x1.f17427e285fd3p-48;
  p = p * x + 0x1.ab82105c440bcp-41;
  p = p * x + 0x1.2c9757300a7e5p-34;
  p = p * x + 0x1.522a441145bf7p-28;
  p = p * x + 0x1.27e4fb7658563p-22;
  p = p * x + 0x1.845c8a0cf7711p-17;
  p = p * x + 0x1.6c16c16c160bdp-12;
  p = p * x + 0x1.c71c71c71c7a1p-8;
  p = p * x + 0x1.5555555555552p-4;
  p = p * x + 0x1.0000000000000p-1;
  p = p * x + 0x1.0000000000000p+0;
  return p;
}

// sqrt(x) exp(-x) I0(x) in 16/x - 1, for x >= 8; error 2^-57.6.
TN_MATH double fit_i0_far(double x) {
  double p = -0x1.fb5eabc522088p-35;
  p = p * x + -0x1.8d004320e7e87p-36;
  p = p * x + 0x1.e45dbfdcb289ap-32;
  p = p * x + 0x1.6c93e617d3f7fp-33;
  p = p * x + -0x1.b139eec6c74b4p-30;
  p = p * x + -0x1.4bb745b1fb86dp-31;
  p = p * x + 0x1.eb94bf16965b1p-29;
  p = p * x + 0x1.ae01baa6e7133p-30;
  p = p * x + -0x1.955809491e728p-28;
  p = p * x + -0x1.e72a18f49f3abp-29;
  p = p * x + 0x1.fc63e0edc6a7ep-28;
  p = p * x + 0x1.0441fc9e48011p-27;
  p = p * x + -0x1.728bf07465828p-28;
  p = p * x + -0x1.cd0197913d4bbp-27;
  p = p * x + -0x1.cfea242f395b2p-28;
  p = p * x + 0x1.03a4c13d99311p-27;
  p = p * x + 0x1.7234faeb72a1ep-26;
  p = p * x + 0x1.51cdd48b3763ep-25;
  p = p * x + 0x1.7d0f098d0cbccp-24;
  p = p * x + 0x1.3f49a9685efd8p-22;
  p = p * x + 0x1.8e513a79f3993p-20;
  p = p * x + 0x1.75e5ee711d979p-17;
  p = p * x + 0x1.1daa72b5e26b1p-13;
  p = p * x + 0x1.b87969bb93b9bp-9;
  p = p * x + 0x1.9bd428ad249a5p-2;
  return p;
}

// sqrt(x) exp(-x) I1(x) in 16/x - 1, for x >= 8; error 2^-57.6.
TN_MATH double fit_i1_far(double x) {
  double p = 0x1.0913c08c54c52p-34;
  p = p * x + 0x1.6dbb071ad5e2ap-36;
  p = p * x + -0x1.f9bc45fb5cd8ap-32;
  p = p * x + -0x1.504264137cb6ep-33;
  p = p * x + 0x1.c44505b6cc1e6p-30;
  p = p * x + 0x1.344ff61c2a6bap-31;
  p = p * x + -0x1.00e9a75eb4400p-28;
  p = p * x + -0x1.976957bae7199p-30;
  p = p * x + 0x1.a98e71557a0ccp-28;
  p = p * x + 0x1.dc18442920e2fp-29;
  p = p * x + -0x1.0e09512e0c3a8p-27;
  p = p * x + -0x1.07538c4070f86p-27;
  p = p * x + 0x1.99c91c17a0c37p-28;
  p = p * x + 0x1.e27c2fa318f1ap-27;
  p = p * x + 0x1.cefb85d59be43p-28;
  p = p * x + -0x1.21a3ef6fddf59p-27;
  p = p * x + -0x1.91918ca4db084p-26;
  p = p * x + -0x1.727977d3f2c4dp-25;
  p = p * x + -0x1.ad8d48e315824p-24;
  p = p * x + -0x1.7613810066affp-22;
  p = p * x + -0x1.ec8e1075b52cap-20;
  p = p * x + -0x1.f89c2305a32a7p-17;
  p = p * x + -0x1.cbc54df1e8ec3p-13;
  p = p * x + -0x1.3f796198ee631p-7;
  p = p * x + 0x1.8ebe783a84030p-2;
  return p;
}

// K0(x) + log(x/2) I0(x) in (x/2)^2, for x <= 1; error 2^-60.5.
TN_MATH double fit_k0(double x) {
  double p = 0x1.5a8273f9c485cp-24;
  p = p * x + 0x1.e4ce3eea5072dp-19;
  p = p * x + 0x1.f0f17a17a04bbp-14;
  p = p * x + 0x1.56b9b6808cbb5p-9;
  p = p * x + 0x1.1dd628654f8c4p-5;
  p = p * x + 0x1.d877303904624p-3;
  p = p * x + 0x1.b0ee6072093d4p-2;
  p = p * x + -0x1.2788cfc6fb619p-1;
  return p;
}

// x (K1(x) - log(x/2) I1(x)) in (x/2)^2, for x <= 1; error 2^-56.5.
TN_MATH double fit_k1(double x) {
  double p = -0x1.252e0f61bffcdp-20;
  p = p * x + -0x1.5b6809480f259p-15;
  p = p * x + -0x1.2462a0c47b6c9p-10;
  p = p * x + -0x1.3a47ef4833ed7p-6;
  p = p * x + -0x1.73ddae5f5bac8p-3;
  p = p * x + -0x1.5877303903b44p-1;
  p = p * x + 0x1.3c467e37db015p-3;
  p = p * x + 0x1.0000000000000p+0;
  return p;
}

// sqrt(x) exp(x) K0(x) in 2/x - 1, for x >= 1; error 2^-55.0.
TN_MATH double fit_k0_far(double x) {
  double p = 0x1.22045f3e4ff90p-25;
  p = p * x + -0x1.0e39ab8c378acp-25;
  p = p * x + -0x1.d1060869750bcp-23;
  p = p * x + 0x1.8ce5f28bae105p-23;
  p = p * x + 0x1.5caffe48acc10p-21;
  p = p * x + -0x1.12a2f5c6f7e64p-21;
  p = p * x + -0x1.3a78268e87cc2p-20;
  p = p * x + 0x1.c5678267ab3afp-21;
  p = p * x + 0x1.7e72ff488cb83p-20;
  p = p * x + -0x1.fa95fcbce5b9fp-21;
  p = p * x + -0x1.414d730b4bc31p-20;
  p = p * x + 0x1.7a04fb8a06394p-21;
  p = p * x + 0x1.9ccdeac68817bp-21;
  p = p * x + -0x1.e002701893dfbp-22;
  p = p * x + -0x1.03e54f4c9ccb2p-22;
  p = p * x + 0x1.1bee406cc31f5p-27;
  p = p * x + 0x1.88c8a7c42e425p-22;
  p = p * x + -0x1.14ac547b23b81p-21;
  p = p * x + 0x1.c810dd6b27fc8p-21;
  p = p * x + -0x1.bbddd0fec0eafp-20;
  p = p * x + 0x1.b6d81a82d8cacp-19;
  p = p * x + -0x1.befa184ce8072p-18;
  p = p * x + 0x1.dbd7ccde1f34bp-17;
  p = p * x + -0x1.0ae1860b96db9p-15;
  p = p * x + 0x1.3f1d28893a27ap-14;
  p = p * x + -0x1.9db9cccef2e4ep-13;
  p = p * x + 0x1.2a72159b514b2p-11;
  p = p * x + -0x1.f446a7e201361p-10;
  p = p * x + 0x1.085a24b1daf08p-7;
  p = p * x + -0x1.ac450893fa59fp-5;
  p = p * x + 0x1.30ae2423de262p+0;
  return p;
}

// sqrt(x) exp(x) K1(x) in 2/x - 1, for x >= 1; error 2^-54.9.
TN_MATH double fit_k1_far(double x) {
  double p = -0x1.3bb0a15aca694p-25;
  p = p * x + 0x1.270256edb6a22p-25;
  p = p * x + 0x1.f9bf833d9ade3p-23;
  p = p * x + -0x1.b0d7a14e597b8p-23;
  p = p * x + -0x1.7b154fc064e26p-21;
  p = p * x + 0x1.2b678d806cadcp-21;
  p = p * x + 0x1.55bbb9d2b578ap-20;
  p = p * x + -0x1.ee02c41b485a3p-21;
  p = p * x + -0x1.9f95757f47f34p-20;
  p = p * x + 0x1.1408f9b2a49bfp-20;
  p = p * x + 0x1.5cd551036ab79p-20;
  p = p * x + -0x1.9b1c9a503bfb7p-21;
  p = p * x + -0x1.c17744172eaaep-21;
  p = p * x + 0x1.07573c655b802p-21;
  p = p * x + 0x1.128ddd7e652e4p-22;
  p = p * x + 0x1.15b23af67c11bp-28;
  p = p * x + -0x1.c666b55d8ed20p-22;
  p = p * x + 0x1.481f315cb58d9p-21;
  p = p * x + -0x1.13c710c32b117p-20;
  p = p * x + 0x1.0eabd6dc4d9a8p-19;
  p = p * x + -0x1.0eca07bea05f6p-18;
  p = p * x + 0x1.17fbcf0f2a9b6p-17;
  p = p * x + -0x1.2f8a2fee58122p-16;
  p = p * x + 0x1.5c520846da4c5p-15;
  p = p * x + -0x1.acf5b37b422c2p-14;
  p = p * x + 0x1.21729d08be325p-12;
  p = p * x + -0x1.bab479a553f3ap-11;
  p = p * x + 0x1.97e59d88e4c00p-9;
  p = p * x + -0x1.03bbb0fa3033dp-6;
  p = p * x + 0x1.80fb15bf9d177p-3;
  p = p * x + 0x1.7628990a85c65p+0;
  return p;
}

// dawson(x) / x in x^2, for x <= 1; error 2^-60.3.
TN_MATH double fit_dawson(double x) {
  double p = 0x1.61c44607f4c8cp-32;
  p = p * x + -0x1.9979066a955aap-28;
  p = p * x + 0x1.3c5065d0a3fb7p-24;
  p = p * x + -0x1.a35df22e4b5cap-21;
  p = p * x + 0x1.f2830222afbbep-18;
  p = p * x + -0x1.08daf46cc8868p-14;
  p = p * x + 0x1.f09b21935c642p-12;
  p = p * x + -0x1.937e10e35cd6ep-9;
  p = p * x + 0x1.1566abbf1e552p-6;
  p = p * x + -0x1.381381380e38ep-4;
  p = p * x + 0x1.111111111101dp-2;
  p = p * x + -0x1.5555555555553p-1;
  p = p * x + 0x1.0000000000000p+0;
  return p;
}

// x dawson(x) in 1/x^2, for x >= 7; error 2^-61.1.
TN_MATH double fit_dawson_far(double x) {
  double p = 0x1.25654179bbd01p+24;
  p = p * x + -0x1.96fd918a5a597p+19;
  p = p * x + 0x1.25b12743087e4p+16;
  p = p * x + 0x1.7ede27860ace9p+11;
  p = p * x + 0x1.0e23bb71ea00bp+9;
  p = p * x + 0x1.44649188a8071p+6;
  p = p * x + 0x1.d88577298385cp+3;
  p = p * x + 0x1.a3ffeb24dd08ap+1;
  p = p * x + 0x1.e000002ebeef4p-1;
  p = p * x + 0x1.7fffffffe5036p-2;
  p = p * x + 0x1.0000000000031p-2;
  p = p * x + 0x1.0000000000000p-1;
  return p;
}

// (spence(x) - u + u^2/4) / u^3 in u = -log(x); error 2^-60.2.
TN_MATH double fit_spence(double x) {
  double p = 0x1.866d96ac47961p-184;
  p = p * x + -0x1.588f76c7ae6bap-35;
  p = p * x + -0x1.6b325620d2db8p-183;
  p = p * x + 0x1.04b5ded2c847ap-29;
  p = p * x + 0x1.07169285fa4c6p-183;
  p = p * x + -0x1.8a864c327ba73p-24;
  p = p * x + -0x1.71a705d01d377p-185;
  p = p * x + 0x1.3d079f7ce09fap-18;
  p = p * x + 0x1.f395ce960ab46p-188;
  p = p * x + -0x1.234567899a452p-12;
  p = p * x + -0x1.fd24b50d0e14ap-192;
  p = p * x + 0x1.c71c71c71c700p-6;
  return p;
}

// (Ei(x) - log(x) - Euler's constant) / x, for x <= 2; error 2^-76.7.
TN_MATH double fit_expint(double x) {
  double p = 0x1.8e50c8cd659ebp-56;
  p = p * x + 0x1.85b2b0eb64cdcp-55;
  p = p * x + 0x1.0700598f9eabcp-48;
  p = p * x + 0x1.b602539672f25p-45;
  p = p * x + 0x1.d092b70566903p-41;
  p = p * x + 0x1.b240bdd5ead0ep-37;
  p = p * x + 0x1.7e9a8fa6d824bp-33;
  p = p * x + 0x1.390299cbaa28dp-29;
  p = p * x + 0x1.d96e6d29a6c20p-26;
  p = p * x + 0x1.48c588aa4ae96p-22;
  p = p * x + 0x1.a01a01a76cfd7p-19;
  p = p * x + 0x1.db8b6f921c468p-16;
  p = p * x + 0x1.e573ac9020699p-13;
  p = p * x + 0x1.b4e81b4e81ab3p-10;
  p = p * x + 0x1.5555555555557p-7;
  p = p * x + 0x1.c71c71c71c71cp-5;
  p = p * x + 0x1.0000000000000p-2;
  p = p * x + 0x1.0000000000000p+0;
  return p;
}

// S(x) / x^3 in x^4, for x^4 <= 2.5; error 2^-80.3.
TN_MATH double fit_fresnel_sin(double x) {
  double p = -0x1.dc13cce64fad9p-66;
  p = p * x + 0x1.b88ad195f4a10p-58;
  p = p * x + -0x1.437a46289068ap-50;
  p = p * x + 0x1.86543ef00f506p-43;
  p = p * x + -0x1.7b8a0a1b89f1cp-36;
  p = p * x + 0x1.21c01f4b94dc6p-29;
  p = p * x + -0x1.5005162b7f66dp-23;
  p = p * x + 0x1.1b57c07277f7cp-17;
  p = p * x + -0x1.474740f5841a0p-12;
  p = p * x + 0x1.dacb4f393e148p-8;
  p = p * x + -0x1.79fb3502b22a8p-4;
  p = p * x + 0x1.0c152382d7366p-1;
  return p;
}

// C(x) / x in x^4, for x^4 <= 2.5; error 2^-76.2.
TN_MATH double fit_fresnel_cos(double x) {
  double p = -0x1.c4e2e917eb6dap-62;
  p = p * x + 0x1.81f25a9fc6d3cp-54;
  p = p * x + -0x1.01c2bfe283b07p-46;
  p = p * x + 0x1.1805ef3c9e1f2p-39;
  p = p * x + -0x1.e4492b024c055p-33;
  p = p * x + 0x1.43ba95e555476p-26;
  p = p * x + -0x1.42260e324ad1cp-20;
  p = p * x + 0x1.c59b5171fbe65p-15;
  p = p * x + -0x1.a4b5e253713a9p-10;
  p = p * x + 0x1.cdca8f1f7bdcep-6;
  p = p * x + -0x1.f952e0f96d631p-3;
  p = p * x + 0x1.0000000000000p+0;
  return p;
}

// dawson(x) from 1 to 7; error 2^-57.8.
static const double fit_dawson_pieces[6][19] = {
    {0x1.b686ecab6aaa9p-2, -0x1.2394c6023fffbp-3, -0x1.27c3a80aaa9f8p-12, 0x1.8715e4a86a897p-6, -0x1.2428a7d645a1ap-7, 0x1.2dc6fa3a1cb73p-12, 0x1.5fd2ab2c068f8p-11, -0x1.58ac6d5baca12p-13, -0x1.754564f5e8e73p-17, 0x1.70969f29c97a5p-17, -0x1.24ff5afa3e687p-20, -0x1.78509640ea1b8p-22, 0x1.7f7c3c19e88f3p-24, 0x1.b5495823e5df8p-29, -0x1.e4fce51812a96p-29, 0x1.0af19563bdea4p-32, 0x1.7e1f3270d2787p-34, -0x1.c1e018b547867p-37, -0x1.3f1f8c12477e8p-40},
    {0x1.c8e01e57d52aep-3, -0x1.d8c12f6e53ac7p-5, 0x1.0c22b9e426d9ap-6, -0x1.07722c656753cp-8, 0x1.e95fecd4d0b99p-12, 0x1.61a707a3019d1p-13, -0x1.c9d5d54e7a1d0p-14, 0x1.c3f69a0a8f2d5p-16, -0x1.ac79ad661d2b5p-20, -0x1.1ab964afbd1e2p-20, 0x1.706b5988858ccp-22, -0x1.029efb21eea34p-25, -0x1.13b69eae180fap-27, 0x1.734f4aca48446p-29, -0x1.ae4ae83a40003p-33, -0x1.fd7357717ab52p-35, 0x1.0888b34097ff8p-36, -0x1.2eb628900d400p-42, -0x1.73cb4fbbf2735p-42},
    {0x1.326cce4875497p-3, -0x1.83e68fecd4087p-6, 0x1.07e77d3621ef7p-8, -0x1.8a4d910a27394p-11, 0x1.447186cb01742p-13, -0x1.158e915b5e045p-15, 0x1.ae153ee27efd0p-18, -0x1.c38019ea29d31p-21, -0x1.1829421279d5bp-25, 0x1.fe4906952bd94p-25, -0x1.492efb38736d6p-26, 0x1.d2ce07daecb7dp-29, -0x1.a6c9e13b3900ap-33, -0x1.5adb5c1ce4becp-34, 0x1.d3c6d3f877e4ep-36, -0x1.f7b3be9d5062fp-39, -0x1.e32ecfde05ccep-45, 0x1.09fa8e878c853p-43, -0x1.55d6c20ede50dp-46},
    {0x1.d34e941c532acp-4, -0x1.b70cd3fbb202ap-7, 0x1.a9fda5ed51839p-10, -0x1.acb0474dbcb86p-13, 0x1.c245525116646p-16, -0x1.f257bb89861b2p-19, 0x1.264e5719a4a46p-21, -0x1.768137d8badbep-24, 0x1.fc0c1ef2ee8f1p-27, -0x1.5e4ef8bc9b632p-29, 0x1.c03c169ed7e6cp-32, -0x1.bfddd969f285bp-35, 0x1.28a151a8e9102p-39, 0x1.59a7d796d0097p-40, -0x1.08a8b50900effp-41, 0x1.c5d6b7ea1e51fp-44, -0x1.e84724201c90bp-47, 0x1.4ddb88ed60f76p-52, 0x1.313d1fde2fd6dp-52},
    {0x1.7ada2efe042fep-4, -0x1.1d8013a8b839cp-7, 0x1.b6bd813f23f10p-11, -0x1.582f198eb4ff2p-14, 0x1.141a0f28a76e7p-17, -0x1.c5d62a0f42c20p-21, 0x1.7f0c92be4539ep-24, -0x1.4d0e47d416a9cp-27, 0x1.2b9c401507cd2p-30, -0x1.189039bc4ba9dp-33, 0x1.13b9cadf481d2p-36, -0x1.1eb812bb974d3p-39, 0x1.3c08ad57e1255p-42, -0x1.6bd7cbbe8ace5p-45, 0x1.a52fb4548dcd3p-48, -0x1.cda361dfee19cp-51, 0x1.a92897e6bd78fp-54, -0x1.3824eed4a8a18p-58, -0x1.44d3602af5504p-60},
    {0x1.3ef2537f4bd98p-4, -0x1.9271ebb6d05cbp-8, 0x1.014780a7ae394p-11, -0x1.4d85c778e55c2p-15, 0x1.b6a62d518433fp-19, -0x1.24dcaadde71aep-22, 0x1.8d59ae4b78f9ap-26, -0x1.12266243d2f6ep-29, 0x1.81258b15f8eeep-33, -0x1.13c7f710a9904p-36, 0x1.932f5c0f91b79p-40, -0x1.2d6bb5ca0d125p-43, 0x1.cdfe4e08a939fp-47, -0x1.6c108727ef3a2p-50, 0x1.283bb10775a16p-53, -0x1.f38a66f61e12bp-57, 0x1.b8b8f6daa66b3p-60, -0x1.b7ca8724a47a8p-63, 0x1.ac3356fcebad9p-66},
};

// x exp(-x) Ei(x) in 1/x from 0 to 1/2; error 2^-59.6.
static const double fit_expint_pieces[16][18] = {
    {0x1.04219a12a3d84p+0, 0x1.113aa5948d8fbp-6, 0x1.292efbcc52b51p-11, 0x1.f71c1f7c09897p-16, 0x1.27492c0338011p-19, 0x1.c3db47963325ep-23, 0x1.b20aa85d9bd25p-26, 0x1.fed6a6accb412p-29, 0x1.6a70378f27faap-31, 0x1.33888e2ea06cap-33, 0x1.39bf2c884e014p-35, 0x1.686dbb9c0cbf5p-37, 0x1.8c292e3f449bbp-39, 0x1.1aa5286c98a8ep-39, 0x1.3696ba04edf60p-39, 0x1.634aca020ad1fp-41, -0x1.23516f96d9ae8p-41, -0x1.30506e490825ap-42},
    {0x1.0d52a7b9ed391p+0, 0x1.3dd5177ca0acbp-6, 0x1.b1fca5db0c965p-11, 0x1.11cd97a2c29ccp-14, 0x1.2dbe6d4731c27p-17, 0x1.ab2b2bca176bdp-20, 0x1.5b66593697ee8p-24, -0x1.00887d97350fcp-23, -0x1.52565baed26bep-25, 0x1.78584f1caa791p-28, 0x1.2bfef7cad93c9p-28, -0x1.177b8e6393e96p-31, -0x1.d07eec670fb60p-32, 0x1.8eea8dd2ebf97p-34, 0x1.1f91d6f7bfd80p-35, -0x1.e816bf0cd6297p-37, -0x1.76384d3c76a5fp-40, 0x1.4cc375d8c0cb0p-40},
    {0x1.1848542f1ac1ep+0, 0x1.86d58231111cbp-6, 0x1.841751cc070cfp-10, 0x1.186983686b68bp-13, -0x1.7a509204137d7p-18, -0x1.58a5592bfa804p-18, -0x1.022f34e7b62eep-23, 0x1.7b99e2cea30b2p-23, -0x1.7aee8360d9a71p-28, -0x1.8c88df8c1df5cp-28, 0x1.f6802a0238bb9p-31, 0x1.437ca3ef7bf31p-34, -0x1.94f2967108feap-35, 0x1.a11e38f0613e7p-38, 0x1.27f7c06980107p-41, -0x1.7a6a055f8f4dap-42, 0x1.a731425c000f7p-45, 0x1.d460ef02d93efp-50},
    {0x1.263944ad7aec8p+0, 0x1.f924f3c1ca013p-6, 0x1.d7fb64463c957p-10, -0x1.0d9eec6feeef7p-14, -0x1.10717f1969711p-15, 0x1.ec48979d451b3p-21, 0x1.12c4f31759868p-21, -0x1.e3d8df368b6f5p-25, -0x1.be628e4f0b960p-29, 0x1.883746514853ep-30, -0x1.36a91ca278f55p-33, -0x1.4c047c42147acp-38, 0x1.e17a4fbd81f2ep-39, -0x1.1d946d69b6ff3p-41, 0x1.f2e8d3fe50732p-46, 0x1.4129435ffd660p-48, -0x1.a14465a18ac4cp-50, 0x1.b17629049feb5p-53},
    {0x1.379a3a6312926p+0, 0x1.29ee0ac78092bp-5, 0x1.9fa79bd50aa07p-11, -0x1.f1bceb3de6b4ep-13, -0x1.0ee4c074a964bp-17, 0x1.681a58b922945p-19, -0x1.d92271439745ep-24, -0x1.36dac2501eca0p-26, 0x1.b407b508ba984p-29, -0x1.9f13f55b01c1bp-33, -0x1.6af67d67362e2p-37, 0x1.f5d4b18d6d5bep-39, -0x1.cb300dee18962p-42, 0x1.8753881a831ebp-46, 0x1.66fd680b7473cp-50, -0x1.0503e9ffa2363p-51, 0x1.1a5e5254a6396p-54, -0x1.646bde1fff3f7p-58},
    {0x1.4a8917aed93dap+0, 0x1.2c0080d896adep-5, -0x1.51bd2f814c560p-11, -0x1.c8a35701aa06fp-13, 0x1.4a38628cddd4cp-17, 0x1.d33ad2e9ca32dp-21, -0x1.2448f242661d7p-23, 0x1.c0b7b9c005e73p-28, 0x1.4d147da525b05p-32, -0x1.6973261403f44p-34, 0x1.0b3c3c78d516bp-37, -0x1.79c1ab681464ep-42, -0x1.f3a00e130dca3p-47, 0x1.3e7917ec01cd4p-48, -0x1.21351c6b45436p-51, 0x1.4fb0ff3616efep-55, -0x1.6481c2b0cf1e1p-60, -0x1.f310a2d43f72dp-64},
    {0x1.5c39b9e4be0b9p+0, 0x1.0473216eeea34p-5, -0x1.b687aa7c71f0ep-10, -0x1.001941e9c548cp-13, 0x1.9cc4362347216p-17, -0x1.9f87eea524a32p-23, -0x1.878d32042d073p-25, 0x1.597712a1c5688p-28, -0x1.1415582400b3ap-32, -0x1.265b4fe310018p-41, 0x1.8853462bb6a28p-40, -0x1.5a86e6b279e5cp-43, 0x1.7217883a6ea5bp-47, -0x1.b5d8b49d347a4p-52, -0x1.7e3d1e1ef7d24p-57, 0x1.f277dff06fb61p-59, -0x1.b80f19ac45c46p-62, 0x1.074ed9246cd16p-65},
    {0x1.6a96b50a33ab8p+0, 0x1.8957cb5d44374p-6, -0x1.17aecfd55938fp-9, -0x1.3104573293b8ep-15, 0x1.263e5ad72ac0bp-17, -0x1.c76cb5178a93fp-22, -0x1.9a02c79022c22p-31, 0x1.cd32de20ef4f1p-30, -0x1.43a2a614c4899p-33, 0x1.fe61e2f187165p-38, -0x1.1693ff3907fbcp-43, -0x1.2de585b7849acp-46, 0x1.43fe47ba5aa3bp-49, -0x1.88a4512136dc5p-53, 0x1.51d66ea17eff4p-57, -0x1.6270c0012f97dp-62, -0x1.a3fcf8a14203dp-68, 0x1.186ddff934597p-69},
    {0x1.74a755f759ebap+0, 0x1.f4cddafa77b3cp-7, -0x1.1d0be52edf03ep-9, 0x1.2440371217df8p-16, 0x1.4320d1005f218p-18, -0x1.723548655d8c8p-22, 0x1.6b4833d4b5bd6p-27, 0x1.bc51f42faa955p-33, -0x1.ac66885dcf857p-35, 0x1.f97a888a92fccp-39, -0x1.7f46c04e44326p-43, 0x1.3c4f49b0202b0p-48, 0x1.227910b44e412p-53, -0x1.e1ec8f43a0c93p-56, 0x1.3ca9789b77c58p-59, -0x1.2e327b1c8c388p-63, 0x1.b9cf25cb140fdp-68, -0x1.9f63e4322174dp-73},
    {0x1.7a4df69e383dbp+0, 0x1.c5a40f77c39c7p-8, -0x1.03799a05a2512p-9, 0x1.701cebf4a14b0p-15, 0x1.0e933c0c2b4c4p-19, -0x1.d1782c72954e7p-23, 0x1.52aac5eae9245p-27, -0x1.b5eb9b80e0c94p-33, -0x1.3063edb8d9976p-37, 0x1.4c242f1fe238cp-40, -0x1.5413b69babc24p-44, 0x1.e9d10e41ab20ep-49, -0x1.d1554b89662f0p-54, 0x1.5902edd67bc65p-63, 0x1.23100e4dbd551p-62, -0x1.a9fd89da285d1p-66, 0x1.adde66c6fe097p-70, -0x1.56e070f3e226fp-74},
    {0x1.7beb0040eb66cp+0, -0x1.b96e7acacd6e3p-12, -0x1.b93582cbdd424p-10, 0x1.bae1119c0db2bp-15, 0x1.96236f5f62adbp-22, -0x1.f770b47733eefp-24, 0x1.cb4515e752e2dp-28, -0x1.ee042dfee9dfep-33, 0x1.7f28be162f508p-39, 0x1.1b89f439c22bap-42, -0x1.bcb590d4a76adp-46, 0x1.935852066b37dp-50, -0x1.1252fcff5ef23p-54, 0x1.119f6563d102cp-59, -0x1.e79762c538f84p-66, -0x1.0fa4abc08ea52p-69, 0x1.f5ccc82533502p-73, -0x1.0472bb96a75e8p-76},
    {0x1.7a16784fabb71p+0, -0x1.ab05ad5d2802ap-8, -0x1.65dd81232ee09p-10, 0x1.b4e558a8a45a1p-15, -0x1.e55fb5277b84ap-22, -0x1.d2a35c55bc9a8p-25, 0x1.0f3a45ab73afep-28, -0x1.653e8955ee596p-33, 0x1.2baa29345dbf4p-38, -0x1.5f6eacd0b4b79p-46, -0x1.a6f19dad1a3a2p-48, 0x1.06f5d66881b52p-51, -0x1.acc56bb8b85aep-56, 0x1.12d4726f5be3fp-60, -0x1.141769d792d3ep-65, 0x1.5db5dc07e1998p-71, 0x1.33a6000ff263fp-77, -0x1.f9c4a9e9f4214p-80},
    {0x1.75754b2f6d273p+0, -0x1.748edb7fdf08bp-7, -0x1.17b577751827bp-10, 0x1.88edc2449eaf9p-15, -0x1.ad2243947938fp-21, -0x1.428d4a046864fp-26, 0x1.23ab46fe75963p-29, -0x1.bb8fa9df12c70p-34, 0x1.d0ba38ee231c7p-39, -0x1.346c3a4dce395p-44, -0x1.21fc7edb58a5fp-52, 0x1.0c94a5247285ap-53, -0x1.172dbe5ed36cdp-57, 0x1.9dbe07e379871p-62, -0x1.f3c8361c0bff7p-67, 0x1.eeef31cc790e2p-72, -0x1.6485bf01b9941p-77, 0x1.a7ea8397a89ccp-85},
    {0x1.6ea30a93f034cp+0, -0x1.eede8bdf6425ep-7, -0x1.a6ae2808ce5a4p-11, 0x1.4f68852373882p-15, -0x1.dae4fe4235ea9p-21, -0x1.e24eb885116b5p-32, 0x1.1c5e21f343723p-30, -0x1.fb3f45bffe69ap-35, 0x1.2bc9dc52cb956p-39, -0x1.04e19fe07a43dp-44, 0x1.0e5e443a582afp-50, 0x1.ee53d3bb7c391p-57, -0x1.2bf680886c071p-59, 0x1.0d5e068bebf8fp-63, -0x1.6e046d80917fap-68, 0x1.a0fbc8ae5086ep-73, -0x1.92db0b15bc067p-78, 0x1.3323e512cdc77p-83},
    {0x1.66284328d9b52p+0, -0x1.24debb024d07fp-6, -0x1.33f06ff649b1dp-11, 0x1.150be2a90bfe6p-15, -0x1.c36e7abddd072p-21, 0x1.121555d38b3bep-27, 0x1.d8e09a200ab4dp-32, -0x1.10a5ce72a84b8p-35, 0x1.632775c52275cp-40, -0x1.5d0f0f166f39cp-45, 0x1.01a02dfca710dp-50, -0x1.8d33d153be117p-57, -0x1.86b8d24ad029ap-62, 0x1.2c96e05b33ecbp-65, -0x1.dcf2d8505f370p-70, 0x1.2b3bcbb71b05ap-74, -0x1.43022aad3eeedp-79, 0x1.2d4069c84cc77p-84},
    {0x1.5c77c8ce8acc7p+0, -0x1.454c650d97d18p-6, -0x1.ac7f28cb458a4p-12, 0x1.bf7c6fec2f6c1p-16, -0x1.8ebb10c428128p-21, 0x1.7aec7d140ef01p-27, 0x1.f668a35a15136p-34, -0x1.1250c22ac4db8p-36, 0x1.8f4e1c888a939p-41, -0x1.a833656f8cb42p-46, 0x1.66a513e9c994fp-51, -0x1.c4bdfec65104dp-57, 0x1.cae57d2b205c7p-64, 0x1.d8c2743a0792cp-68, -0x1.120d7730998d9p-71, 0x1.867393f7ae217p-76, -0x1.c8f7b400a77eap-81, 0x1.d0f0802f34557p-86},
};

// pi x f(x) in 1/x from 0 to 0.8; error 2^-65.0.
static const double fit_fresnel_f[8][14] = {
    {0x1.ffffc041715abp-1, -0x1.fdf19083384c6p-18, -0x1.7e6f632b7b555p-17, -0x1.fdced9f7bdab7p-18, -0x1.fd2ce49542495p-20, 0x1.43ca1b56f2c47p-29, 0x1.4368285460b40p-30, 0x1.7014210e6a63fp-32, 0x1.66eade8523beep-35, -0x1.44d3d12cf5928p-41, -0x1.82dd49051a69bp-43, -0x1.10d44b6f0ae44p-45, -0x1.15b0988aa34bep-49, 0x1.be6196aadbf72p-53},
    {0x1.ffebddd0b447dp-1, -0x1.acc02a30975f0p-13, -0x1.aab8b1b9183c9p-14, -0x1.750c7128b5d1dp-16, -0x1.c0195ad8bbfbep-20, 0x1.fda67f7b173c9p-25, 0x1.34651267f163ap-27, 0x1.388881a6116aep-31, -0x1.60d040e301d82p-35, -0x1.432a15c264287p-37, -0x1.09fbc6117b1a0p-42, 0x1.a1f72451be8a1p-44, 0x1.75140988673d5p-47, -0x1.68c2521e045e7p-51},
    {0x1.ff6672a6e4bd3p-1, -0x1.e4f4717077767p-11, -0x1.1910d58b0e4fap-12, -0x1.08ee4822c4cafp-15, -0x1.ec5a25c95fccap-22, 0x1.82389075f52d9p-23, 0x1.efafc31da37a4p-28, -0x1.13dd064b5384ap-30, -0x1.ac62c5af35e6ep-34, 0x1.309d7d325866dp-37, 0x1.48c9fbbf18e7ap-40, -0x1.d63cd34ceae64p-44, -0x1.f3e875cbd3058p-47, 0x1.bf204c1b5c7dbp-50},
    {0x1.fdc627af94e70p-1, -0x1.375eec08f3159p-9, -0x1.db3d47cc65c01p-12, -0x1.ceb7539c4c75ap-16, 0x1.7f3f2e0ecd624p-20, 0x1.5aa61594e754ap-23, -0x1.56f825a5c9a29p-27, -0x1.f04cad074b9cdp-31, 0x1.9bf033de6bf0dp-34, 0x1.3a8acb0b1f787p-38, -0x1.2007f4d638ccdp-40, 0x1.678817712f578p-47, 0x1.5184c5e9cefdap-47, -0x1.8cc205e6373d2p-51},
    {0x1.fa507318c33f3p-1, -0x1.247d770f5d482p-8, -0x1.2d1ff2f4eaf12p-11, -0x1.862105ba95bcdp-17, 0x1.34cd34f774fc3p-19, 0x1.4778c8510df80p-27, -0x1.9d35626a2bae5p-27, 0x1.fff863ec0dbebp-32, 0x1.9b928a14f0899p-35, -0x1.8e7bd115f3c5ap-38, 0x1.14acbf022f54bp-44, 0x1.3cd84774a419dp-45, -0x1.c6ab00b877756p-49, 0x1.214a6cc886485p-59},
    {0x1.f489f22da8f58p-1, -0x1.bf74dbb5b701ep-8, -0x1.35aae7df944c5p-11, 0x1.74a08d6169c5dp-18, 0x1.ecf2cac16196cp-20, -0x1.6c9c0937427f4p-24, -0x1.e3fa5dd891f4bp-29, 0x1.3940e0a338607p-31, -0x1.5e7afdff000e3p-36, -0x1.82a7d62a42368p-40, 0x1.cbeca4d7abf2cp-43, -0x1.4b453d5edf31bp-47, -0x1.8eedf9313a202p-52, 0x1.741664b0ccb2cp-54},
    {0x1.ec5fbfca1a522p-1, -0x1.2945f4eabeed4p-7, -0x1.10eaec7ce3384p-11, 0x1.15e26cd04cf9fp-16, 0x1.e8a9241f5191cp-21, -0x1.80e7104eb9b20p-24, 0x1.fb70a4581103ep-30, 0x1.b5b826f5b9945p-33, -0x1.647fb4560deecp-36, 0x1.951d781b75438p-41, 0x1.b3ea58918f461p-46, -0x1.5fced5b5c9c49p-48, 0x1.64e6bc5611413p-52, -0x1.ca25758b2b5c4p-58},
    {0x1.e2179074ef53ep-1, -0x1.6641a132a2953p-7, -0x1.a9ab7fd55f7cfp-12, 0x1.5a317624b4181p-16, 0x1.59819d452c865p-23, -0x1.f4b9ceda555b9p-25, 0x1.8acb0a6b0a984p-29, -0x1.2d1fdb6dde7b1p-36, -0x1.002a28c6cc54dp-37, 0x1.45fbe9ae8563ap-41, -0x1.7cb808310ae83p-46, -0x1.b9ee68eb97940p-53, 0x1.8c47304424f7ep-54, -0x1.dfe16a5cfbc10p-58},
};

// pi^2 x^3 g(x) in 1/x from 0 to 0.8; error 2^-61.1.
static const double fit_fresnel_g[8][14] = {
    {0x1.fffec148a9191p-1, -0x1.3eb415b68bb4ep-15, -0x1.de011c1d83d0ep-15, -0x1.3e8d098e88388p-15, -0x1.3dd6dfb4b41fep-17, 0x1.6c1ea3ef6a58ep-26, 0x1.6b7f89c251009p-27, 0x1.9cf17394b7e7fp-29, 0x1.8e12b55304ee6p-32, -0x1.076605d468675p-37, -0x1.38f6225c9b184p-39, -0x1.b51dde1ad91c6p-42, -0x1.9145385169fc3p-46, 0x1.d4c0f6a47d951p-49},
    {0x1.ff9b79c8cb2b7p-1, -0x1.0b354d318ef2fp-10, -0x1.08f0c278dc27ep-11, -0x1.c9113231502a3p-14, -0x1.f4662e9ef59c6p-18, 0x1.15dadcd34a72ap-21, 0x1.411ed5ef8c889p-24, 0x1.ecc383de708f3p-29, -0x1.4ecb7f6175e07p-31, -0x1.b3432d2c0a98bp-34, 0x1.078c32d50a55fp-41, 0x1.aa0eb7ec6b4d3p-40, 0x1.e97eb7504b7bep-44, -0x1.413976f7976cep-46},
    {0x1.fd0841191827dp-1, -0x1.28e7a1d306ce0p-8, -0x1.4efc51f897012p-10, -0x1.1c29cd9ca8280p-13, 0x1.27c00a1b1b90cp-19, 0x1.5bc1054f55549p-20, 0x1.080016199636cp-26, -0x1.99bc149587cf1p-27, -0x1.0bbff56a8112ap-31, 0x1.3ee79f5a0eabdp-33, 0x1.f3d9c7107abeap-38, -0x1.2a61174097d6ap-39, -0x1.615f36ad7adf5p-44, 0x1.2bcb12f2744d5p-45},
    {0x1.f5428f3b56416p-1, -0x1.6b9a456de60f2p-7, -0x1.fc421d489564cp-10, -0x1.270baf75cddf7p-14, 0x1.ad1a5096a2608p-17, 0x1.26e647952d0f2p-21, -0x1.ea167b0fde9a7p-24, -0x1.0fb4ad8f3ec8bp-29, 0x1.351f3514c4f27p-30, -0x1.da12f30ce3760p-36, -0x1.70fa1abd061b6p-37, 0x1.034f4b3161476p-40, 0x1.08f85e968a807p-44, -0x1.055e769100ee6p-46},
    {0x1.e5bfa0b9aeb02p-1, -0x1.3ba0b43172cb9p-6, -0x1.0afd71d25e003p-9, 0x1.30acb1722b8b7p-15, 0x1.90649102e84e3p-17, -0x1.3df1b8349d7f9p-21, -0x1.d7212b29758d2p-25, 0x1.e77e8625a6f84p-28, -0x1.4a7dca3cc66e9p-35, -0x1.c16106daba700p-35, 0x1.249524230f79bp-38, 0x1.45bba9adac4fdp-44, -0x1.6ded88f459561p-45, 0x1.b7b81b3a8dd76p-49},
    {0x1.ce15e74c0b3b5p-1, -0x1.b49fed4491757p-6, -0x1.a077a995cfcfcp-10, 0x1.b00f0ebd4e5e3p-14, 0x1.2ed9658639d58p-18, -0x1.8e3b931f06e30p-21, 0x1.4a490a79af525p-26, 0x1.818d40ef95011p-29, -0x1.5aac1e6e036d3p-32, 0x1.3312bda7b7457p-37, 0x1.3f457f58a15d1p-40, -0x1.5995b7d1191fdp-43, 0x1.f8804734fa031p-48, 0x1.46589d28b9529p-52},
    {0x1.affd8a0a6b89fp-1, -0x1.03826a881bc58p-5, -0x1.e014d0d8cbd80p-11, 0x1.dc67237d0640ep-14, -0x1.5603d7f187fc0p-20, -0x1.a6be46648334dp-22, 0x1.0a9919cd8654dp-25, -0x1.1b2eb29657820p-31, -0x1.afd269e230c8ap-34, 0x1.6bdc863955cd7p-37, -0x1.e65d34e859832p-42, -0x1.6399eb7101f46p-47, 0x1.ac0b67a5357aep-49, -0x1.080b372797334p-52},
    {0x1.8e202ead1138ep-1, -0x1.16e5028f53abep-5, -0x1.2f576338e3f34p-12, 0x1.82aea692cf41bp-14, -0x1.ded13d423dd23p-19, -0x1.87d25f3ff55bdp-24, 0x1.3a9124dcf0e29p-26, -0x1.15cb838ce92e0p-30, 0x1.bd0220c7346a5p-37, 0x1.70d510954bf5fp-39, -0x1.295ad4ca3d118p-42, 0x1.d45773ae1a3cdp-47, -0x1.582b3fff513bbp-53, -0x1.4265d090f350ep-55},
};

#endif  // TENON_CPU_SPECIAL_FITS_H_
