#pragma OPENCL FP_CONTRACT OFF

__kernel void results_through_views(
    __global const float* restrict rows,
    __global float* restrict result,
    int n)
{
    int item0 = (int)get_global_id(0);
    if (item0 < n) {
        for (int i0 = 0; i0 < 64; ++i0) {
            result[64 * item0 + (i0 / 8) + 8 * (i0 % 8)] = fabs(rows[i0 + 64 * item0]);
        }
    }
}
