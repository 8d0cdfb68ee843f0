#pragma OPENCL FP_CONTRACT OFF

__kernel void transposed(
    __global const float* restrict xss,
    __global float* restrict result,
    int m,
    int n)
{
    int item0 = (int)get_global_id(0);
    if (item0 < m) {
        for (int i0 = 0; i0 < n; ++i0) {
            result[item0 * n + i0] = xss[i0 * m + item0];
        }
    }
}
