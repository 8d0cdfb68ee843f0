#pragma OPENCL FP_CONTRACT OFF

__kernel void private_array(
    __global const float* restrict rows,
    __global float* restrict result,
    int n)
{
    int item0 = (int)get_global_id(0);
    if (item0 < n) {
        float kept0[4];
        for (int i0 = 0; i0 < 4; ++i0) {
            kept0[i0] = fabs(rows[i0 + 64 * item0]);
        }
        for (int i1 = 0; i1 < 4; ++i1) {
            result[i1 + 4 * item0] = (kept0[i1] + 1.0f);
        }
    }
}
