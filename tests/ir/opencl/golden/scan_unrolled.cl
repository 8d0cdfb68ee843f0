#pragma OPENCL FP_CONTRACT OFF

__kernel void scan_unrolled(
    __global const float* restrict rows,
    __global float* restrict result,
    int n)
{
    int item0 = (int)get_global_id(0);
    if (item0 < n) {
        float kept0[4];
        float acc0 = 0.0f;
        acc0 = (acc0 + rows[64 * item0]);
        kept0[0] = acc0;
        acc0 = (acc0 + rows[64 * item0 + 1]);
        kept0[1] = acc0;
        acc0 = (acc0 + rows[64 * item0 + 2]);
        kept0[2] = acc0;
        acc0 = (acc0 + rows[64 * item0 + 3]);
        kept0[3] = acc0;
        for (int i0 = 0; i0 < 4; ++i0) {
            result[i0 + 4 * item0] = (kept0[3 - i0] + 1.0f);
        }
    }
}
