module @add_one {
  func.func public @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %one = stablehlo.constant dense<1.0> : tensor<2x3xf32>
    %y = stablehlo.add %x, %one : tensor<2x3xf32>
    return %y : tensor<2x3xf32>
  }
}
