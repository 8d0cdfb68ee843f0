#pragma OPENCL FP_CONTRACT OFF

__kernel void nested_grid(
    __global const float* restrict xss,
    __global float* restrict result,
    int m)
{
    int item0 = (int)get_global_id(1);
    int item1 = (int)get_global_id(0);
    const float e0 = xss[item0 * m + item1];
    result[item0 * m + item1] = (e0 * e0);
}
