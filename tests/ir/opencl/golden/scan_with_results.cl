#pragma OPENCL FP_CONTRACT OFF

__kernel void scan_with_results(
    __global const float* restrict xs,
    __global float* restrict result,
    int n)
{
    float acc0 = 0.0f;
    for (int i0 = 0; i0 < n; ++i0) {
        const float t0 = (acc0 + xs[i0]);
        result[i0] = (t0 * 2.0f);
        acc0 = t0;
    }
}
