#pragma OPENCL FP_CONTRACT OFF

__kernel void nested_grid(
    __global const float* restrict xss,
    __global float* restrict result,
    int m,
    int n)
{
    int item0 = (int)get_global_id(1);
    if (item0 < n) {
        int item1 = (int)get_global_id(0);
        if (item1 < m) {
            const float e0 = xss[item0 * m + item1];
            result[item0 * m + item1] = (e0 * e0);
        }
    }
}
