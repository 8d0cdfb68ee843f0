#pragma OPENCL FP_CONTRACT OFF

__kernel void scan_exclusive(
    __global const float* restrict rows,
    __global float* restrict result,
    int n)
{
    int item0 = (int)get_global_id(0);
    if (item0 < n) {
        float acc0 = 0.0f;
        result[3 * item0] = acc0;
        acc0 = (acc0 + rows[64 * item0]);
        result[3 * item0 + 1] = acc0;
        acc0 = (acc0 + rows[64 * item0 + 1]);
        result[3 * item0 + 2] = acc0;
        acc0 = (acc0 + rows[64 * item0 + 2]);
    }
}
