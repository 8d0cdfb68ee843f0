#pragma OPENCL FP_CONTRACT OFF

__kernel void stages_0(
    __global const float* restrict xss,
    __global float* restrict stage0,
    int m)
{
    int group0 = (int)get_group_id(0);
    float acc0 = 0.0f;
    for (int i0 = 0; i0 < m; ++i0) {
        acc0 = (acc0 + xss[group0 * m + i0]);
    }
    stage0[group0] = acc0;
}

__kernel void stages_1(
    __global const float* restrict stage0,
    __global float* restrict result,
    int n)
{
    int item0 = (int)get_global_id(0);
    if (item0 < n) {
        result[item0] = (stage0[item0] + 1.0f);
    }
}
