#pragma OPENCL FP_CONTRACT OFF

__kernel void matrix_product(
    __global const float* restrict xss,
    __global const float* restrict yss,
    __global float* restrict result,
    int k,
    int m,
    int n)
{
    int item0 = (int)get_global_id(1);
    if (item0 < n) {
        int item1 = (int)get_global_id(0);
        if (item1 < k) {
            float acc0 = 0.0f;
            for (int i0 = 0; i0 < m; ++i0) {
                acc0 = (acc0 + (xss[item0 * m + i0] * yss[i0 * k + item1]));
            }
            result[item0 * k + item1] = acc0;
        }
    }
}
