#pragma OPENCL FP_CONTRACT OFF

__kernel void scan(
    __global const float* restrict xs,
    __global float* restrict result,
    int n)
{
    float acc0 = 0.0f;
    for (int i0 = 0; i0 < n; ++i0) {
        acc0 = (acc0 + fabs(xs[i0]));
        result[i0] = acc0;
    }
}
