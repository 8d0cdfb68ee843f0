#pragma OPENCL FP_CONTRACT OFF

__kernel void map_reduce_pairs(
    __global const float* restrict xs,
    __global float* restrict result_0,
    __global float* restrict result_1,
    int n)
{
    float acc0 = 0.0f;
    float acc1 = (-1000.0f);
    for (int i0 = 0; i0 < n; ++i0) {
        const float e0 = xs[i0];
        result_0[i0] = (e0 - acc1);
        acc0 = (acc0 + e0);
        acc1 = (acc1 > e0 || acc1 != acc1 ? acc1 : e0);
    }
    result_1[0] = (acc0 * acc1);
}
