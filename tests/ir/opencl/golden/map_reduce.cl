#pragma OPENCL FP_CONTRACT OFF

__kernel void map_reduce(
    __global const float* restrict xs,
    __global float* restrict result_0,
    __global float* restrict result_1,
    int n)
{
    float acc0 = 0.0f;
    for (int i0 = 0; i0 < n; ++i0) {
        const float t0 = fabs(xs[i0]);
        result_1[i0] = ((t0 * 2.0f) - acc0);
        acc0 = (acc0 + t0);
    }
    result_0[0] = acc0;
}
