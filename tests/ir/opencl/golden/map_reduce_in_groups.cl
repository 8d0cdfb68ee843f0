#pragma OPENCL FP_CONTRACT OFF

__kernel void map_reduce_in_groups(
    __global const float* restrict xss,
    __global float* restrict result_0,
    __global float* restrict result_1,
    int m)
{
    int group0 = (int)get_group_id(0);
    float acc0 = 0.0f;
    for (int i0 = 0; i0 < m; ++i0) {
        const float e0 = xss[group0 * m + i0];
        result_1[group0 * m + i0] = (e0 * 2.0f);
        acc0 = (acc0 + e0);
    }
    result_0[group0] = fabs(acc0);
}
